package search

import (
	"ibid"
	"ibid/internal/text"
)

// highlight marks the query's words in each passage.
func highlight(query string, passages []ibid.Passage) {
	words := text.NewHighlighter(query)
	for i := range passages {
		p := &passages[i]
		for _, s := range words.Spans(p.Text, p.Document.Language) {
			p.Highlights = append(p.Highlights, ibid.Range{Start: p.Start + s.Start, End: p.Start + s.End})
		}
	}
}
