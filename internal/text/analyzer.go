package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"
)

// Analyzer turns the words of one language into search terms. It is immutable
// and safe for concurrent use.
type Analyzer struct {
	language string
	stem     func(*snowballstem.Env) bool
	stop     map[string]bool
}

// NewAnalyzer returns the analyzer of an ISO 639-1 language ("en", "de-AT"). A
// language that is not known is lower-cased only.
func NewAnalyzer(language string) *Analyzer {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	return &Analyzer{language: language, stem: stemmer(language), stop: stopWords(language)}
}

// Language returns the ISO 639-1 code the analyzer was made for, "" for none.
func (a *Analyzer) Language() string { return a.language }

// Terms returns the search terms of s in order: stemmed, without stop words
// (unless there is nothing else), joined forms included.
func (a *Analyzer) Terms(s string) []string {
	var terms, stopped []string
	for w := range Words(s) {
		if t, ok := a.Term(w.Text); ok {
			terms = append(terms, t)
		} else {
			stopped = append(stopped, w.Text)
		}
	}
	if len(terms) == 0 {
		return stopped
	}
	return terms
}

// Stop reports whether a normalized word is a stop word.
func (a *Analyzer) Stop(word string) bool { return a.stop[word] }

// Term maps a normalized word to its search term; ok is false for stop words.
func (a *Analyzer) Term(word string) (term string, ok bool) {
	if a.stop[word] {
		return "", false
	}
	return a.Stem(word), true
}

// Stem maps a normalized word to its stem, without accents. Words with digits stay
// as they are.
func (a *Analyzer) Stem(word string) string {
	ascii := true
	for i := 0; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf {
			ascii = false
		} else if word[i] < 'a' {
			return word
		}
	}
	if a.stem != nil {
		env := snowballstem.NewEnv(word)
		a.stem(env)
		if s := env.Current(); s != "" {
			word = s
		}
	}
	if ascii {
		return word
	}
	return withoutAccents(word)
}

// withoutAccents removes the marks of Latin, Greek and Cyrillic letters, which
// people leave out when they type. In other scripts marks are letters.
func withoutAccents(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	if r > 0x052F && !unicode.In(r, unicode.Latin, unicode.Greek) {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func stemmer(language string) func(*snowballstem.Env) bool {
	switch language {
	case "en":
		return english.Stem
	case "de":
		return german.Stem
	case "fr":
		return french.Stem
	case "es":
		return spanish.Stem
	case "it":
		return italian.Stem
	case "pt":
		return portuguese.Stem
	case "nl":
		return dutch.Stem
	case "sv":
		return swedish.Stem
	case "no", "nb", "nn":
		return norwegian.Stem
	case "da":
		return danish.Stem
	case "fi":
		return finnish.Stem
	case "ru":
		return russian.Stem
	case "ro":
		return romanian.Stem
	case "hu":
		return hungarian.Stem
	case "tr":
		return turkish.Stem
	}
	return nil
}
