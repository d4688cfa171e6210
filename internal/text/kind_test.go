package text

import (
	"testing"
	"unicode/utf8"
)

func TestKindOf(t *testing.T) {
	for question, want := range map[string]Kind{
		"How many people live there?":          KindNumber,
		"How does it work?":                    KindAny,
		"In what year did it end?":             KindTime,
		"Who wrote it?":                        KindPerson,
		"Where is it?":                         KindPlace,
		"Why did it fail?":                     KindReason,
		"Which party won the vote?":            KindName,
		"What is a chloroplast?":               KindDefine,
		"When did the number of people double": KindTime,
		"how":                                  KindAny,
		"":                                     KindAny,
	} {
		if got := KindOf(question); got != want {
			t.Errorf("KindOf(%q) = %d, want %d", question, got, want)
		}
	}
}

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
