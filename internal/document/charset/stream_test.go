package charset

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// A stream is read as Decode reads the whole, however it comes.
func TestStreamIsDecodedAsTheWhole(t *testing.T) {
	const text = "Город;Население\nМосква;13010112\nНижний Новгород;1228199\n"
	for name, e := range map[string]encoding.Encoding{
		"UTF-8":              encoding.Nop,
		"UTF-8 with a mark":  unicode.UTF8BOM,
		"UTF-16":             unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16BE":           unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		"UTF-16 and no mark": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		"UTF-32":             utf32.UTF32(utf32.LittleEndian, utf32.UseBOM),
		"UTF-32BE":           utf32.UTF32(utf32.BigEndian, utf32.UseBOM),
		"Windows-1251":       charmap.Windows1251,
		"KOI8-U":             charmap.KOI8U,
	} {
		data, err := e.NewEncoder().String(strings.Repeat("plain lines first\n", 10_000*len(name)%30_000) + text)
		if err != nil {
			t.Fatal(err)
		}
		want := Decode([]byte(data), len(data))
		if !strings.HasSuffix(want, text) {
			t.Fatalf("%s: Decode gives …%q", name, want[max(0, len(want)-100):])
		}
		found, err := Detect(iotest.HalfReader(strings.NewReader(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(found.NewReader(iotest.HalfReader(strings.NewReader(data))))
		if err != nil || string(got) != want {
			t.Errorf("%s: …%q, %v", name, got[max(0, len(got)-100):], err)
		}
	}
}

func TestNoText(t *testing.T) {
	if e, err := Detect(strings.NewReader("\x7FELF\x00\x00\x01\x02\x03")); !errors.Is(err, ErrBinary) {
		t.Errorf("a program is %+v, %v", e, err)
	}
	broken := errors.New("the disk is gone")
	for _, readable := range []string{"", strings.Repeat("words, words\n", 20_000)} {
		if _, err := Detect(io.MultiReader(strings.NewReader(readable), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("a disk that fails behind %d bytes: %v", len(readable), err)
		}
	}
}
