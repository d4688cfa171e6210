package extract

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decodeText turns the bytes of a text file into UTF-8: by its byte order mark,
// else as UTF-16 when every other byte is zero, as UTF-8 when it is that but
// for a few bytes, and else as Windows-1252, of which Latin-1 is a part. Text
// beyond limit bytes need not be there.
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
	if mostlyUTF8(data) {
		return string(data)
	}
	return decode1252(data)
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

// guessUTF16 recognises UTF-16 without a mark by the zero bytes of its ASCII
// characters, which most text has; nil is no.
func guessUTF16(data []byte) binary.ByteOrder {
	sample := data[:min(len(data), sniffBytes)&^1]
	if len(sample) < 16 {
		return nil
	}
	var zeros [2]int
	for i, c := range sample {
		if c == 0 {
			zeros[i&1]++
		}
	}
	half := len(sample) / 2
	switch {
	case zeros[1]*10 > half*3 && zeros[0]*50 < half:
		return binary.LittleEndian
	case zeros[0]*10 > half*3 && zeros[1]*50 < half:
		return binary.BigEndian
	}
	return nil
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

func decode1252(data []byte) string {
	s, err := charmap.Windows1252.NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(s)
}
