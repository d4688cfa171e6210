package text

import "strings"

// memoWords bounds what a Memo remembers; natural text repeats far fewer forms.
const memoWords = 1 << 16

// Memo is an Analyzer that remembers the terms of the words it has seen, which
// makes it several times faster on running text. It serves one goroutine at a
// time.
type Memo struct {
	*Analyzer
	terms map[string]string // "" for stop words
}

// NewMemo returns an empty memory over a.
func NewMemo(a *Analyzer) *Memo {
	return &Memo{Analyzer: a, terms: make(map[string]string)}
}

// Term is Analyzer.Term.
func (m *Memo) Term(word string) (term string, ok bool) {
	if term, seen := m.terms[word]; seen {
		return term, term != ""
	}
	term, ok = m.Analyzer.Term(word)
	if len(m.terms) >= memoWords {
		clear(m.terms)
	}
	// Cloned, so that a word does not keep alive the text it was cut from.
	term = strings.Clone(term)
	m.terms[strings.Clone(word)] = term
	return term, ok
}

// Passage is the text of a chunk as embedders see it: what it stands under,
// then what it says.
func Passage(title string, heading []string, body string) string {
	var b strings.Builder
	for _, h := range append([]string{title}, heading...) {
		if h != "" {
			b.WriteString(h)
			b.WriteByte('\n')
		}
	}
	b.WriteString(body)
	return b.String()
}
