package pdfium

import (
	"math"
	"unicode"
)

// turns counts the characters of a page by how often it would have to be turned
// by 90 degrees, clockwise, for their lines to run from left to right. Wide
// tables stand sideways on a page, and some scanners turn all of them.
type turns [4]int

// count counts a word of n characters by the boxes of its first and last.
func (t *turns) count(letter rune, first, last rect, n int) {
	const short = 3
	if n < short {
		return
	}
	dx := last.x0 + last.x1 - first.x0 - first.x1
	dy := last.y0 + last.y1 - first.y0 - first.y1
	switch {
	case math.Abs(dy) > 2*math.Abs(dx) && dy < 0: // upwards
		t[1] += n
	case math.Abs(dy) > 2*math.Abs(dx):
		t[3] += n
	case dx < 0 && !unicode.In(letter, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana):
		t[2] += n
	default:
		t[0] += n
	}
}

// needed returns how often the page must be turned for nearly all of its words.
func (t *turns) needed() int {
	all := t[0] + t[1] + t[2] + t[3]
	for turn, n := range t {
		if turn > 0 && n*10 > all*7 {
			return turn
		}
	}
	return 0
}
