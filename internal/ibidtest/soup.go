package ibidtest

import (
	"math/rand/v2"
	"strings"
)

// Soup makes a text out of fragments that mean something to a filter.
func Soup(r *rand.Rand, fragments []string) string {
	var b strings.Builder
	for range r.IntN(24) {
		b.WriteString(fragments[r.IntN(len(fragments))])
	}
	return b.String()
}

// Cut returns s in random pieces, cut anywhere, also within a character.
func Cut(s string, r *rand.Rand) []string {
	longest := 1 + r.IntN(30)
	var pieces []string
	for s != "" {
		n := min(len(s), 1+r.IntN(longest))
		pieces = append(pieces, s[:n])
		s = s[n:]
	}
	return pieces
}
