package text

import (
	"cmp"
	"unicode/utf8"
)

// Highlights returns where the words of a query stand in a passage, in any
// form of the same stem, in order and without overlap. Stop words are none.
func Highlights(query, passage string) []Span {
	return NewHighlighter(query).Spans(passage, "")
}

// Highlighter finds the words of one query in passages. It serves one goroutine.
type Highlighter struct {
	query    string
	language string            // of the query, "" where it is too short to tell
	asked    map[string]*asked // by language
}

// asked are the words of a query as one language reads them.
type asked struct {
	memo  *Memo
	terms map[string]bool
	first [256]bool // bytes that a word which is one of the terms may begin with
}

// NewHighlighter returns a Highlighter for a query.
func NewHighlighter(query string) *Highlighter {
	return &Highlighter{query: query, language: Language(query), asked: make(map[string]*asked)}
}

// in reads the query in a language.
func (h *Highlighter) in(language string) *asked {
	if a := h.asked[language]; a != nil {
		return a
	}
	a := &asked{memo: NewMemo(NewAnalyzer(language)), terms: make(map[string]bool)}
	for _, t := range a.memo.Terms(h.query) {
		a.terms[t] = true
		a.first[t[0]] = true
	}
	for b := utf8.RuneSelf; b < len(a.first); b++ {
		a.first[b] = true // what a word loses with its accents
	}
	h.asked[language] = a
	return a
}

// has reports whether a normalized word is one of the terms. Stemmers keep the first
// letter, so most words need none.
func (a *asked) has(word string) bool {
	if !a.first[word[0]] {
		return false
	}
	t, ok := a.memo.Term(word)
	return ok && a.terms[t]
}

// Spans is Highlights in one more passage, of the language that is given; "" for
// one to be guessed.
func (h *Highlighter) Spans(passage, language string) []Span {
	a := h.in(cmp.Or(h.language, language, Language(passage), "en"))
	var spans []Span
	for w := range Words(passage) {
		if !a.has(w.Text) {
			continue
		}
		// A joined word comes after its parts and swallows those that were
		// asked for too; pairs of characters overlap.
		for n := len(spans); n > 0 && spans[n-1].End > w.Start; n-- {
			w.Start = min(w.Start, spans[n-1].Start)
			w.End = max(w.End, spans[n-1].End)
			spans = spans[:n-1]
		}
		spans = append(spans, w.Span)
	}
	return spans
}
