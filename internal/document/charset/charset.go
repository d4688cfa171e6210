// Package charset turns texts into UTF-8. Few files say how they are written, so it
// is found out: by a byte order mark, by where zero bytes stand, by what the letters
// of each encoding would spell (guess.go, asian.go).
package charset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// SampleSize is how much of a file is looked at to tell what it is, in bytes.
const SampleSize = 64 << 10

// form is how a text is written, and what has to be skipped before it.
type form struct {
	encoding encoding.Encoding // nil: UTF-8, or nearly so
	order    binary.ByteOrder  // of UTF-16 and UTF-32, else nil
	wide     bool              // UTF-32
	mark     int               // bytes of the byte order mark
}

// marked recognises a text by its byte order mark.
func marked(data []byte) (form, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return form{mark: 3}, true
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return form{order: binary.LittleEndian, wide: true, mark: 4}, true
	case bytes.HasPrefix(data, []byte{0, 0, 0xFE, 0xFF}):
		return form{order: binary.BigEndian, wide: true, mark: 4}, true
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return form{order: binary.LittleEndian, mark: 2}, true
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return form{order: binary.BigEndian, mark: 2}, true
	}
	return form{}, false
}

// formOf tells how a text is written: by its byte order mark, else as UTF-16 when
// that makes sense of its zero bytes, as UTF-8 when it is that but for a few bytes,
// and else by what its letters look like.
func formOf(data []byte) form {
	if f, ok := marked(data); ok {
		return f
	}
	if order := utf16Order(data); order != nil {
		return form{order: order}
	}
	return formOfBytes(data)
}

// formOfBytes is formOf for texts of which no character takes two or four bytes
// throughout.
func formOfBytes(data []byte) form {
	if mostlyUTF8(data) && !bytes.Contains(data[:min(len(data), SampleSize)], []byte("\x1B$")) {
		return form{}
	}
	return form{encoding: Guess(data)}
}

// Decode turns the bytes of a text file into UTF-8, however it is written. Bytes
// that are wrong in their encoding stay as they are. Text beyond limit bytes need
// not be there.
func Decode(data []byte, limit int) string {
	if most := 4*limit + 4; len(data) > most {
		data = data[:most] // UTF-32 has four bytes for one
	}
	f := formOf(data)
	data = data[f.mark:]
	switch {
	case f.wide:
		return decodeUTF32(data, f.order)
	case f.order != nil:
		return decodeUTF16(data, f.order)
	case f.encoding == nil:
		return string(data)
	}
	s, err := f.encoding.NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(s)
}

func decodeUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return string(utf16.Decode(units))
}

func decodeUTF32(data []byte, order binary.ByteOrder) string {
	var b strings.Builder
	for i := 0; i+3 < len(data); i += 4 {
		b.WriteRune(rune(order.Uint32(data[i:]) & 0x7FFFFFFF))
	}
	return b.String()
}

// utf16Order recognises UTF-16 without a mark; nil is no. Its blanks, line ends
// and ASCII letters have zero bytes, which no other encoding of text has, and
// read in the right order it is text.
func utf16Order(data []byte) binary.ByteOrder {
	sample := data[:min(len(data), SampleSize)&^1]
	zeros, ascii := bytes.Count(sample, []byte{0}), 0
	for _, c := range sample {
		if c >= ' ' && c < 0x7F {
			ascii++
		}
	}
	if len(sample) < 16 || zeros == 0 || ascii*5 > len(sample)*4 {
		return nil
	}
	little, big := asciiIn(decodeUTF16(sample, binary.LittleEndian)), asciiIn(decodeUTF16(sample, binary.BigEndian))
	switch {
	case little > 0 && little >= big:
		return binary.LittleEndian
	case big > 0:
		return binary.BigEndian
	}
	return nil
}

// asciiIn counts the ASCII characters of a text, 0 where characters stand in it
// that text does not have.
func asciiIn(s string) (ascii int) {
	all, bad := 0, 0
	for _, r := range s {
		all++
		switch {
		case r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
			bad++
		case r < utf8.RuneSelf:
			ascii++
		}
	}
	if bad*50 > all {
		return 0
	}
	return ascii
}

// mostlyUTF8 reports whether the bytes beyond ASCII are UTF-8, with a few
// exceptions such as a file cut in the middle of a character.
func mostlyUTF8(data []byte) bool {
	valid, invalid := 0, 0
	for len(data) > 0 && valid < 1<<20 {
		if data[0] < utf8.RuneSelf {
			n := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
			if n < 0 {
				break
			}
			data = data[n:]
		}
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			invalid++
		} else {
			valid++
		}
		data = data[n:]
	}
	return invalid == 0 || invalid*20 < valid
}

// IsBinary reports whether there are more control characters than text has.
// NULs of UTF-16 are no sign.
func IsBinary(b []byte) bool {
	if f, ok := marked(b); ok && f.order != nil || utf16Order(b) != nil {
		return false
	}
	control := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1B || c == 0x7F {
			control++
		}
	}
	return control*50 > len(b)
}
