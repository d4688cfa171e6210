package search

import (
	"cmp"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

// highlight marks the query's words in each passage.
func highlight(query string, passages []ibid.Passage) {
	words := newHighlighter(query)
	for i := range passages {
		p := &passages[i]
		for _, s := range words.spans(p.Text, p.Document.Language) {
			p.Highlights = append(p.Highlights, ibid.Range{Start: p.Start + s.Start, End: p.Start + s.End})
		}
	}
}

// highlighter finds the words of one query in passages. It serves one goroutine.
type highlighter struct {
	query    string
	language string            // of the query, "" where it is too short to tell
	asked    map[string]*asked // by language
}

// asked are the words of a query as one language reads them.
type asked struct {
	memo  *text.Memo
	terms map[string]bool
	first [256]bool // bytes that a word which is one of the terms may begin with
}

func newHighlighter(query string) *highlighter {
	return &highlighter{query: query, language: text.Language(query), asked: make(map[string]*asked)}
}

// in reads the query in a language.
func (h *highlighter) in(language string) *asked {
	if a := h.asked[language]; a != nil {
		return a
	}
	a := &asked{memo: text.NewMemo(text.NewAnalyzer(language)), terms: make(map[string]bool)}
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

// spans are where the words of the query stand in a passage, in any form of the same
// stem, in order and without overlap. Stop words are none. language is that of the
// passage; "" for one to be guessed.
func (h *highlighter) spans(passage, language string) []text.Span {
	a := h.in(cmp.Or(h.language, language, text.Language(passage), "en"))
	var spans []text.Span
	for w := range text.Words(passage) {
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
