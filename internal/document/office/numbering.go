package office

import (
	"strconv"
	"strings"

	"ibid/internal/document/format"
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
			shown = strings.ReplaceAll(shown, sign, format.ListNumber(c.counts[i], n.levels[i].format))
		}
	}
	return format.OneLine(shown)
}

func (c *counter) begin(n *numbering, level int) {
	if !c.begun[level] {
		c.counts[level], c.begun[level] = n.levels[level].start, true
	}
}

// listItem is a line of a list: its bullet or number, further right the deeper
// it stands.
func listItem(depth int, number, text string) string {
	const deepest = 8
	if number == "" {
		number = "•"
	}
	return strings.Repeat("  ", min(max(depth, 0), deepest)) + number + " " + format.OneLine(text)
}
