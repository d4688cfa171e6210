package search

import (
	"context"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
)

func TestPropositionsAreSentences(t *testing.T) {
	const said = "Terms of sale\n\nGoods are delivered within ten days. The warranty lasts two years. Is damage by water covered? It is not."
	p := ibid.Chunk{ID: "c_p", DocumentID: "d", Level: 2, Heading: []string{"Terms of sale"}, Text: said, Start: 100, End: 100 + len(said), Pages: []int{4}}
	other := ibid.Chunk{ID: "c_o", DocumentID: "d", Level: 2, Text: "The warranty lasts\ntwo years. The old warranty ended.", Start: 900, End: 953}
	s := New(Config{Engine: &fakeIndex{lexical: candidates("c_p", 2.0, "c_o", 1.0)}, Store: fakeStore{"c_p": p, "c_o": other}})
	r, err := s.Propositions(context.Background(), access.For(ibid.Owner), Query{Text: "How long does the warranty last?", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	best := r.Passages[0]
	if best.Text != "The warranty lasts two years." || best.Level != 3 || best.ParentID != "c_p" || best.ID != ibid.SentenceID("c_p", best.Ordinal) ||
		best.Start != 100+strings.Index(said, best.Text) || best.End != best.Start+len(best.Text) || best.Score != 1 || best.Quote.Page != 4 || best.Match.LexicalRank != 1 {
		t.Errorf("best %+v", best)
	}
	for i, p := range r.Passages {
		if strings.HasSuffix(p.Text, "?") || p.Text == "Terms of sale" || i > 0 && (p.Score > r.Passages[i-1].Score || strings.Join(strings.Fields(p.Text), " ") == best.Text) {
			t.Errorf("sentence %d: %q, %v", i, p.Text, p.Score)
		}
	}
	if len(best.Highlights) == 0 {
		t.Error("nothing is marked")
	}
}

// likes is an embedder that remembers what it was given.
type likes struct {
	fakeEmbedder
	text *string
	use  *ibid.EmbedUse
}

func (l likes) Embed(_ context.Context, texts []string, use ibid.EmbedUse) ([][]float32, error) {
	*l.text, *l.use = texts[0], use
	return [][]float32{{1, 0}}, nil
}

func TestLikeIsEmbeddedInsteadOfTheQuery(t *testing.T) {
	var text string
	var use ibid.EmbedUse
	s := New(Config{Engine: &fakeIndex{}, Store: storeOf(), Embedder: likes{fakeEmbedder{name: "x"}, &text, &use}})
	if _, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q", Like: "a passage"}); err != nil || text != "a passage" || use != ibid.EmbedPassage {
		t.Errorf("embedded %q as %s, %v", text, use, err)
	}
	if _, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q"}); err != nil || text != "q" || use != ibid.EmbedQuery {
		t.Errorf("embedded %q as %s, %v", text, use, err)
	}
}
