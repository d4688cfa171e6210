package text

import (
	"testing"
	"unicode/utf8"
)

// Package evidence spares the stemming of words that begin unlike any term.
func TestStemmersKeepTheFirstLetter(t *testing.T) {
	for language, words := range stopLists {
		a := NewAnalyzer(language)
		for w := range WordSet(words) {
			if s := a.Stem(w); w[0] < utf8.RuneSelf && len(s) > 1 && s[0] != w[0] {
				t.Errorf("%s: %q became %q", language, w, s)
			}
		}
	}
}
