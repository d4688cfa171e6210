package tool

import (
	"slices"

	"ibid"
	"ibid/internal/search"
)

// excerptRoom is what one call shows of a text that is cut into passages, in bytes.
const excerptRoom = 12_000

// relevant returns the passages that answer a question best, as many as fit into
// so many bytes, in the order of their text. The first one is always there: it
// says what the text is. Where nothing has to do with the question the text is
// shown from its beginning.
func relevant(question string, passages []ibid.Passage, bytes int) []ibid.Passage {
	order := []int{}
	if len(passages) > 0 {
		order = append(order, 0)
	}
	for _, c := range search.Sentences(question, passages) {
		p := &passages[c.Passage]
		if p.Quote.Text == "" {
			p.Quote = search.QuoteOf(*p, c.Span)
			p.Score = c.Within
		}
		if c.Within > 0 && !slices.Contains(order, c.Passage) {
			order = append(order, c.Passage)
		}
	}
	if len(order) == 1 {
		for i := range passages[1:] {
			order = append(order, i+1)
		}
	}
	return shownInOrder(passages, order, bytes)
}

// shownInOrder takes passages by rank as long as they fit, and puts them in the
// order of the text.
func shownInOrder(passages []ibid.Passage, ranked []int, bytes int) []ibid.Passage {
	var fit []int
	for _, i := range ranked {
		need := len(ibid.FormatPassages([]ibid.Handled{handled("c0000", passages[i])}))
		if need > bytes {
			continue
		}
		bytes -= need
		fit = append(fit, i)
	}
	slices.Sort(fit)
	shown := make([]ibid.Passage, len(fit))
	for i, at := range fit {
		shown[i] = passages[at]
	}
	return shown
}
