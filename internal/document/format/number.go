package format

import (
	"strconv"
	"strings"
)

// ListNumber writes a number in one of the formats of ECMA-376, part 1, 17.18.59;
// those of other scripts as digits.
func ListNumber(n int, format string) string {
	const most = 1000 // beyond which letters and Roman numbers grow long
	small := func(s string, lower bool) string {
		if lower {
			return strings.ToLower(s)
		}
		return s
	}
	switch {
	case format == "bullet" || format == "none":
		return ""
	case n <= 0 || n > most:
	case format == "lowerLetter" || format == "upperLetter": // …z, aa, bb
		return small(strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1), format == "lowerLetter")
	case format == "lowerRoman" || format == "upperRoman":
		return small(roman(n), format == "lowerRoman")
	case format == "decimalZero" && n < 10:
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func roman(n int) string {
	var b strings.Builder
	for _, s := range []struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= s.value; n -= s.value {
			b.WriteString(s.sign)
		}
	}
	return b.String()
}
