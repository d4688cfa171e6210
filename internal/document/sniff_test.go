package document

import (
	"strings"
	"testing"
)

// Nearly all bytes of a white page are 0xFF, which text may well have.
func TestWhiteBitmapIsAPicture(t *testing.T) {
	header := "BM\x36\x10\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x20\x00\x00\x00\x20\x00\x00\x00\x01\x00\x20\x00"
	white := header + strings.Repeat("\x00", 24) + strings.Repeat("\xFF", 32*32*4)
	if format, err := Formats().Detect([]byte(white), "page.bmp", ""); err != nil || format.Name != "image" {
		t.Errorf("a white bitmap is %q, %v", format.Name, err)
	}
	if format, err := Formats().Detect([]byte("BM is how this text begins, and nothing follows."), "notes.txt", ""); err != nil || format.Name != "text" {
		t.Errorf("a text that begins with BM is %q, %v", format.Name, err)
	}
}
