package charset

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// multiByteCharset is an East Asian encoding. Its pairs of bytes are marked like
// the letters of alphabets: national standards put syllables and the few
// thousand common characters into rows of their own.
type multiByteCharset struct {
	encoding encoding.Encoding
	single   func(c byte) bool              // bytes beyond ASCII that stand alone
	pair     func(lead, trail byte) float64 // 0 is punctuation
}

// Marks of pairs.
const (
	typical    = 1.0 // syllables, which no other encoding has there
	common     = 0.6 // characters of the first level
	rare       = 0.1
	improbable = -0.3
	impossible = -1.0
)

var multiByte = []multiByteCharset{
	{japanese.ShiftJIS, func(c byte) bool { return c >= 0xA1 && c <= 0xDF }, shiftJISPair},
	{japanese.EUCJP, nil, eucJPPair},
	{korean.EUCKR, nil, eucKRPair},
	{simplifiedchinese.GB18030, nil, gbPair},
	{traditionalchinese.Big5, nil, big5Pair},
}

// mark is the mean over all pairs but punctuation.
func (m multiByteCharset) mark(sample []byte) float64 {
	const nothing = 0.3 // only punctuation
	sum, n := 0.0, 0
	add := func(mark float64) {
		if mark != 0 {
			sum += mark
			n++
		}
	}
	for i := 0; i < len(sample); i++ {
		c := sample[i]
		switch {
		case c < 0x80:
		case m.single != nil && m.single(c):
			add(improbable)
		case i+1 == len(sample):
		default:
			add(m.pair(c, sample[i+1]))
			i++
		}
	}
	if n == 0 {
		return nothing
	}
	return sum / float64(n)
}

func between(c, from, to byte) bool { return c >= from && c <= to }

// shiftJISPair knows the rows of JIS X 0208 as Shift JIS shifts them.
func shiftJISPair(lead, trail byte) float64 {
	switch {
	case trail < 0x40 || trail == 0x7F || trail > 0xFC:
		return impossible
	case lead == 0x81:
		return 0
	case lead == 0x82 && between(trail, 0x9F, 0xF1), lead == 0x83 && between(trail, 0x40, 0x96):
		return typical
	case lead == 0x82 && between(trail, 0x4F, 0x9A):
		return 0 // wide digits and letters
	case between(lead, 0x88, 0x97):
		return common
	case between(lead, 0x98, 0x9F), between(lead, 0xE0, 0xEA):
		return rare
	case between(lead, 0x83, 0x87), between(lead, 0xED, 0xFC):
		return improbable
	}
	return impossible
}

func eucJPPair(lead, trail byte) float64 {
	switch {
	case lead == 0x8E: // half-width kana
		return improbable
	case lead < 0xA1 || trail < 0xA1 || lead == 0xFF || trail == 0xFF:
		return impossible
	case lead == 0xA4 && trail <= 0xF3, lead == 0xA5 && trail <= 0xF6:
		return typical
	case lead <= 0xA3:
		return 0
	case between(lead, 0xB0, 0xCF):
		return common - 0.2 // Chinese has them at the same place, and no kana
	case between(lead, 0xD0, 0xF4):
		return rare
	}
	return improbable
}

// eucKRPair knows KS X 1001: the syllables of Hangul are in rows 16 to 40, what
// comes after them are Chinese characters, which hardly any text has.
func eucKRPair(lead, trail byte) float64 {
	switch {
	case between(lead, 0xB0, 0xC8) && trail >= 0xA1 && trail != 0xFF:
		return typical
	case between(lead, 0xA1, 0xA3) && trail >= 0xA1:
		return 0
	case between(lead, 0x81, 0xC6) && between(trail, 0x41, 0xA0):
		return improbable // rare syllables of Windows-949
	}
	return impossible
}

// gbPair knows GB 2312: the common characters are in rows 16 to 55.
func gbPair(lead, trail byte) float64 {
	switch {
	case lead == 0x80 || lead == 0xFF || trail < 0x30 || trail == 0x7F || trail == 0xFF:
		return impossible
	case between(lead, 0xB0, 0xD7) && trail >= 0xA1:
		return common
	case between(lead, 0xA1, 0xA3) && trail >= 0xA1:
		return 0
	case between(lead, 0xD8, 0xF7) && trail >= 0xA1:
		return rare
	}
	return improbable
}

func big5Pair(lead, trail byte) float64 {
	switch {
	case !between(trail, 0x40, 0x7E) && !between(trail, 0xA1, 0xFE):
		return impossible
	case between(lead, 0xA1, 0xA3):
		return 0
	case between(lead, 0xA4, 0xC6):
		return common
	case between(lead, 0xC9, 0xF9):
		return rare
	}
	return impossible
}
