// Package say writes numbers, names and errors as people read them.
package say

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Safe takes out of a text whatever would let a document or a model steer the
// terminal: control characters other than newline and tab, and the marks that
// turn the direction of writing.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

// OneLine makes a text fit for one line of at most most columns; 0 for any
// length.
func OneLine(s string, most int) string {
	return Cut(strings.Join(strings.Fields(Safe(s)), " "), most)
}

// Cut shortens a text to at most most columns, marking the cut; 0 for any
// length.
func Cut(s string, most int) string {
	if most <= 0 || uniseg.StringWidth(s) <= most {
		return s
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used+g.Width() > most-1 {
			break
		}
		used += g.Width()
		b.WriteString(g.Str())
	}
	return strings.TrimRight(b.String(), " ") + "…"
}
