package main

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// A folder of notes may hold photographs: that they say nothing is no fault. A
// picture that somebody names is meant to be read.
func TestPicturesOfFoldersMayHoldNoWords(t *testing.T) {
	h := newHouse(t)
	t.Setenv("PATH", t.TempDir()) // no tesseract: it would read nothing either, but slowly
	noise := image.NewGray(image.Rect(0, 0, 90, 90))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32())
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, noise); err != nil {
		t.Fatal(err)
	}
	h.file("notes.md", "The house was built in 1912.")
	photo := h.file("photo.png", picture.String())

	code, out, errs := h.run("add", filepath.Dir(photo))
	if code != exitOK || !strings.Contains(out, "– ") || strings.Contains(out, "✗") || !strings.Contains(errs, "nothing could be read in them: 1 picture") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if code, out, _ := h.run("add", photo); code == exitOK || !strings.Contains(out, "✗") || !strings.Contains(out, "tesseract") {
		t.Errorf("a picture that is named: exit code %d\n%s", code, out)
	}
}
