package search

import (
	"context"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// ruleReranker scores texts by a rule.
type ruleReranker func(text string) float64

func (ruleReranker) Name() string { return "rule" }
func (score ruleReranker) Rerank(_ context.Context, _ string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i, t := range texts {
		scores[i] = score(t)
	}
	return scores, nil
}

func TestRerankingPutsInANewOrder(t *testing.T) {
	index := &fakeIndex{lexical: candidates("a", 3.0, "b", 2.0, "c", 1.0)}
	s := New(Config{Engine: index, Store: storeOf("a", "b", "c"), Reranker: ruleReranker(func(text string) float64 {
		return map[string]float64{"Text of a.": -5, "Text of b.": 1, "Text of c.": 7}[text[strings.LastIndex(text, "Text of"):]]
	})})
	r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := passageIDs(r.Passages); got != "c b a" {
		t.Errorf("order %s, want c b a", got)
	}
	if p := r.Passages; p[0].Score != 1 || p[1].Score != 0.5 || p[2].Score != 0 || p[0].Match.LexicalRank != 3 {
		t.Errorf("passages %+v", p)
	}
	if by := r.Reranking; by.Method != "rule" || by.Input != 3 || by.TopScore != 7 || by.Err != nil {
		t.Errorf("reranking %+v", by)
	}
	r, err = s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "x", NoRerank: true})
	if err != nil || passageIDs(r.Passages) != "a b c" || r.Reranking.Method != "" {
		t.Errorf("without reranking: %s, %+v, %v", passageIDs(r.Passages), r.Reranking, err)
	}
}

func passageIDs(passages []ibid.Passage) string {
	var s []string
	for _, p := range passages {
		s = append(s, p.ID)
	}
	return strings.Join(s, " ")
}

// TestMaxSimNeedsVectorsOfWords: without them the search goes on, and says so.
func TestMaxSimNeedsVectorsOfWords(t *testing.T) {
	for name, e := range map[string]ibid.Embedder{"no embedder": nil, "no words": fakeEmbedder{name: "ollama/x"}} {
		s := New(Config{Engine: &fakeIndex{lexical: candidates("a", 3.0, "b", 2.0)}, Store: storeOf("a", "b"),
			Reranker: NewMaxSim(func() ibid.Embedder { return e })})
		r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "x"})
		if err != nil || passageIDs(r.Passages) != "a b" || r.Passages[0].Score != 1 || ibid.CodeOf(r.Reranking.Err) != ibid.CodeVectorDB {
			t.Errorf("%s: %s, %+v, %v", name, passageIDs(r.Passages), r.Reranking, err)
		}
	}
}

// wordy is an embedder with vectors of words, or so it says.
type wordy struct{ fakeEmbedder }

func (wordy) MaxSim(_ context.Context, _ string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	scores[len(texts)-1] = 1
	return scores, nil
}

// TestMaxSimCountsLittle: it decides where the fused scores are close.
func TestMaxSimCountsLittle(t *testing.T) {
	for want, scores := range map[string][]ibid.Candidate{
		"b a": candidates("a", 3.0, "b", 2.9),
		"a b": candidates("a", 3.0, "b", 1.0),
	} {
		var s *Searcher
		s = New(Config{Engine: &fakeIndex{lexical: scores}, Store: storeOf("a", "b"), Embedder: wordy{fakeEmbedder{name: "lsa-2@x"}},
			Reranker: NewMaxSim(func() ibid.Embedder { return s.Embedder() })})
		r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "x", Mode: ModeLexical})
		if err != nil || passageIDs(r.Passages) != want || r.Reranking.Err != nil {
			t.Errorf("%s instead of %s, %+v, %v", passageIDs(r.Passages), want, r.Reranking, err)
		}
	}
}

// TestOnlyTheBestAreReranked: what stands behind them stays behind them.
func TestOnlyTheBestAreReranked(t *testing.T) {
	var passages []ibid.Passage
	for i := range rerankPool + 2 {
		passages = append(passages, ibid.Passage{Chunk: ibid.Chunk{ID: string(rune('A' + i)), Text: strings.Repeat("x", i+1)}, Score: 1 - float64(i)/100})
	}
	got, r := Rerank(context.Background(), ruleReranker(func(text string) float64 { return float64(len(text)) }), "q", passages)
	if r.Input != rerankPool || got[0].ID != string(rune('A'+rerankPool-1)) || got[rerankPool].ID != string(rune('A'+rerankPool)) {
		t.Errorf("%+v, first %s", r, got[0].ID)
	}
	for i := 1; i < len(got); i++ {
		if got[i].Score > got[i-1].Score {
			t.Errorf("passage %d has the score %v after %v", i, got[i].Score, got[i-1].Score)
		}
	}
}

// sections are those of chunks, by id.
type sections map[string]ibid.Chunk

func (s sections) Parents(_ context.Context, _ access.View, ids []string) (map[string]ibid.Chunk, error) {
	found := make(map[string]ibid.Chunk)
	for _, id := range ids {
		if c, ok := s[id]; ok {
			found[id] = c
		}
	}
	return found, nil
}

func TestExpand(t *testing.T) {
	const said = "The warranty lasts two years.\n\nDamage by water is not covered."
	chunk := func(id string, level, start, end int) ibid.Chunk {
		return ibid.Chunk{ID: id, DocumentID: "d", Level: level, Start: start, End: end, Text: said[start:end], Pages: []int{level}} // different pages: they are not joined
	}
	section := chunk("section", 1, 0, len(said))
	first, second := chunk("first", 2, 0, 29), chunk("second", 2, 31, len(said))
	second.Pages = []int{3}
	long := ibid.Chunk{ID: "long", DocumentID: "d", Level: 2, Start: 100, End: 104, Text: "long"}
	tooLong := ibid.Chunk{ID: "too long", DocumentID: "d", Level: 1, Start: 100, End: 9000, Text: strings.Repeat("x", 8900)}
	s := New(Config{Engine: &fakeIndex{lexical: candidates("first", 3.0, "second", 2.0, "long", 1.0)},
		Store:    fakeStore{"first": first, "second": second, "long": long},
		Sections: sections{"first": section, "second": section, "long": tooLong}})
	r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "warranty water", Expand: true})
	if err != nil {
		t.Fatal(err)
	}
	if passageIDs(r.Passages) != "section long" || r.Passages[0].Text != said || r.Passages[0].Quote.Text != "The warranty lasts two years." {
		t.Errorf("expanded to %+v", r.Passages)
	}
	if n := len(r.Passages[0].Highlights); n != 2 {
		t.Errorf("%d words are marked in the section, want 2", n)
	}
	if r, err = s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "warranty water"}); err != nil || passageIDs(r.Passages) != "first second long" {
		t.Errorf("not expanded: %s, %v", passageIDs(r.Passages), err)
	}
}

func TestLatency(t *testing.T) {
	s := New(Config{Engine: &fakeIndex{lexical: candidates("a", 1.0)}, Store: storeOf("a")})
	if l := s.Latency(); l != (Latency{}) {
		t.Errorf("before the first search: %+v", l)
	}
	if _, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if l := s.Latency(); l.Searches != 1 || l.P50 != l.P99 {
		t.Errorf("after one search: %+v", l)
	}
	var l latencies
	for i := range recent + 100 {
		l.add(time.Duration(i+1) * time.Millisecond)
	}
	if got, want := l.latency(), (Latency{P50: 600 * time.Millisecond, P99: 1090 * time.Millisecond, Searches: recent}); got != want {
		t.Errorf("of 101…1100 ms: %+v, want %+v", got, want)
	}
}
