package document

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText turns the bytes of a text file into UTF-8: by its byte order mark,
// else as UTF-16 when that makes sense of its zero bytes, as UTF-8 when it is
// that but for a few bytes, and else by what its letters look like. Text beyond
// limit bytes need not be there.
func decodeText(data []byte, limit int) string {
	if most := 4*limit + 4; len(data) > most {
		data = data[:most] // UTF-32 has four bytes for one
	}
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return string(data[3:])
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return decodeUTF32(data[4:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0, 0, 0xFE, 0xFF}):
		return decodeUTF32(data[4:], binary.BigEndian)
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data[2:], binary.BigEndian)
	}
	if order := guessUTF16(data); order != nil {
		return decodeUTF16(data, order)
	}
	if mostlyUTF8(data) && !bytes.Contains(data[:min(len(data), sniffBytes)], []byte("\x1B$")) {
		return string(data)
	}
	s, err := guessEncoding(data).NewDecoder().Bytes(data)
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

// guessUTF16 recognises UTF-16 without a mark; nil is no. Its blanks, line ends
// and ASCII letters have zero bytes, which no other encoding of text has, and
// read in the right order it is text.
func guessUTF16(data []byte) binary.ByteOrder {
	sample := data[:min(len(data), sniffBytes)&^1]
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
