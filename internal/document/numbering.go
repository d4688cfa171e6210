package document

import (
	"strconv"
	"strings"
)

// The numbers of lists, of clauses and of headings are not in the text of a
// document. Its styles say how each level is numbered, and the reader counts.

// maxLevels is how deep numbered lists nest in Office files.
const maxLevels = 10

// numberLevel says how one level is numbered.
type numberLevel struct {
	format string // "decimal", "lowerLetter"…, "bullet"; "" and "none" show nothing
	text   string // with %1 for the number of the first level, %2 for the second…
	start  int
}

// numbering is how a list is numbered.
type numbering struct{ levels [maxLevels]numberLevel }

// counter counts the items of one list.
type counter struct {
	counts [maxLevels]int
	begun  [maxLevels]bool
}

// next returns what stands before the next item of a level, from 0; "" for
// bullets and for what has no number.
func (c *counter) next(n *numbering, level int) string {
	level = min(max(level, 0), maxLevels-1)
	for i := range level {
		c.begin(n, i)
	}
	if c.begun[level] {
		c.counts[level]++
	}
	c.begin(n, level)
	for i := level + 1; i < maxLevels; i++ {
		c.begun[i] = false
	}
	l := n.levels[level]
	if l.format == "bullet" || l.format == "none" || l.format == "" {
		return ""
	}
	shown := l.text
	for i := range level + 1 {
		sign := "%" + strconv.Itoa(i+1)
		if strings.Contains(shown, sign) {
			shown = strings.ReplaceAll(shown, sign, listNumber(c.counts[i], n.levels[i].format))
		}
	}
	return oneLine(shown)
}

func (c *counter) begin(n *numbering, level int) {
	if !c.begun[level] {
		c.counts[level], c.begun[level] = n.levels[level].start, true
	}
}

// listNumber writes a number in one of the formats of ECMA-376, part 1, 17.18.59;
// those of other scripts as digits.
func listNumber(n int, format string) string {
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

// listItem is a line of a list: its bullet or number, further right the deeper
// it stands.
func listItem(depth int, number, text string) string {
	const deepest = 8
	if number == "" {
		number = "•"
	}
	return strings.Repeat("  ", min(max(depth, 0), deepest)) + number + " " + oneLine(text)
}
