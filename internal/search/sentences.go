package search

import (
	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/text"
)

// Sentences ranks the sentences of passages by how well they answer a query. The scores
// of the passages don't count: they may be of different rankings.
func Sentences(query string, passages []ibid.Passage) []evidence.Choice {
	all := evidence.Passages(passages)
	for i := range all {
		all[i].Score = 0
	}
	return evidence.Choose(query, all)
}

// QuoteOf is a part of a passage as a quote, with the first page of the passage.
func QuoteOf(p ibid.Passage, part text.Span) ibid.Quote {
	q := ibid.Quote{Text: p.Text[part.Start:part.End], Start: p.Start + part.Start, End: p.Start + part.End}
	if len(p.Pages) > 0 {
		q.Page = p.Pages[0]
	}
	return q
}
