package search

import (
	"strings"
	"testing"

	"ibid"
)

func TestQuoteIsTheSentenceThatAnswers(t *testing.T) {
	const said = "Warranty\n\nGoods are delivered within ten days. The warranty lasts two years. Damage by water is not covered."
	p := ibid.Passage{Chunk: ibid.Chunk{Text: said, Start: 1000, End: 1000 + len(said), Heading: []string{"Terms", "Warranty"}, Pages: []int{7}}}
	only := ibid.Passage{Chunk: ibid.Chunk{Text: "Warranty", Start: 5, End: 13, Heading: []string{"Warranty"}}}
	passages := []ibid.Passage{p, only}
	quote("how long does the warranty last?", passages)
	q := passages[0].Quote
	if q.Text != "The warranty lasts two years." || q.Start != 1000+strings.Index(said, q.Text) || q.End != q.Start+len(q.Text) || q.Page != 7 {
		t.Errorf("quote %+v", q)
	}
	if q := passages[1].Quote; q.Text != "Warranty" || q.Start != 5 || q.End != 13 || q.Page != 0 {
		t.Errorf("quote of a heading %+v", q)
	}
}
