package local

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/internal/text"
)

const (
	// A query is read in the languages most chunks are in, at most this many.
	queryLanguages = 4
	// Of a pasted page, as many terms and pairs count.
	maxQueryTerms = 128
)

// parsed is a query cut into distinct terms, in order.
type parsed struct {
	terms   []string
	pairs   [][2]string // neighbours
	phrases [][]string  // what stood in quotation marks
}

// readQuery reads a query in its own language where that is plain and indexed,
// else in every language of the corpus.
func (x *Index) readQuery(query string) parsed {
	x.mu.RLock()
	languages := x.totals.commonest(queryLanguages)
	x.mu.RUnlock()
	if l := text.Language(query); l != "" && slices.Contains(languages, l) {
		languages = []string{l}
	}
	r := x.readers.Get().(*reader)
	defer x.readers.Put(r)
	var p parsed
	for _, l := range languages {
		p.add(r.memo(l), query)
	}
	for _, quoted := range quotations(query) {
		// In a mixed corpus the commonest language reads quotations.
		if terms := plainTerms(r.memo(languages[0]), quoted); len(terms) > 0 {
			p.phrases = append(p.phrases, terms)
		}
	}
	return p
}

// add reads the query once more, in another language.
func (p *parsed) add(memo *text.Memo, query string) {
	previous := ""
	found := false
	for w := range text.Words(query) {
		term, ok := memo.Term(w.Text)
		if !ok {
			continue
		}
		found = true
		p.terms = appendNew(p.terms, term)
		if w.Joined {
			continue
		}
		if previous != "" {
			p.pairs = appendNew(p.pairs, [2]string{previous, term})
		}
		previous = term
	}
	if !found {
		for t := range termsOf(memo, query) { // stop words only
			p.terms = appendNew(p.terms, t)
		}
	}
}

func appendNew[T comparable](list []T, v T) []T {
	if len(list) >= maxQueryTerms || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// plainTerms returns the terms of s without joined forms.
func plainTerms(memo *text.Memo, s string) []string {
	var terms []string
	for w := range text.Words(s) {
		if w.Joined {
			continue
		}
		if t, ok := memo.Term(w.Text); ok {
			terms = append(terms, t)
		}
	}
	return terms
}

// quotations returns what stands between double quotation marks.
func quotations(s string) []string {
	var found []string
	for {
		open := strings.IndexAny(s, "\"“„«")
		if open < 0 {
			return found
		}
		_, size := utf8.DecodeRuneInString(s[open:])
		s = s[open+size:]
		end := strings.IndexAny(s, "\"”“»")
		if end < 0 {
			return found
		}
		found = append(found, s[:end])
		_, size = utf8.DecodeRuneInString(s[end:])
		s = s[end+size:]
	}
}

// commonest returns the languages of most chunks, unknown as English.
func (t *totals) commonest(n int) []string {
	counts := make(map[string]int)
	for l, c := range t.languages {
		counts[cmp.Or(l, "en")] += c
	}
	if len(counts) == 0 {
		return []string{"en"}
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return keys[:min(n, len(keys))]
}
