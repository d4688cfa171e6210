package search

import (
	"ibid"
	"ibid/internal/text"
)

// highlight marks the query's words in each passage.
func highlight(query string, passages []ibid.Passage) {
	for i := range passages {
		p := &passages[i]
		for _, s := range text.Highlights(query, p.Text) {
			p.Highlights = append(p.Highlights, ibid.Range{Start: p.Start + s.Start, End: p.Start + s.End})
		}
	}
}
