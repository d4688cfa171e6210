package search

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
)

// document is cut at | into chunks.
const document = "Alpha one. Alpha two. |Beta one. Beta two.\n\n|Gamma one."

func chunksOf(version string) map[string]ibid.Chunk {
	chunks := map[string]ibid.Chunk{}
	at := 0
	for i, piece := range strings.Split(document, "|") {
		text := strings.TrimSpace(piece)
		id := string(rune('a' + i))
		chunks[id] = ibid.Chunk{ID: id, DocumentID: "d", Version: version, Ordinal: i, Level: 2, Pages: []int{1},
			Text: text, Start: at, End: at + len(text)}
		at += len(piece)
	}
	return chunks
}

func found(store fakeStore, order ...string) []ibid.Passage {
	var ps []ibid.Passage
	for i, id := range order {
		ps = append(ps, ibid.Passage{Chunk: store[id], Score: 1 - float64(i)/10, Match: ibid.Match{LexicalRank: i + 1}})
	}
	return ps
}

func describe(ps []ibid.Passage) string {
	var b []string
	for _, p := range ps {
		b = append(b, p.ID+"="+p.Text)
	}
	return strings.Join(b, " / ")
}

func join(t *testing.T, store fakeStore, ps []ibid.Passage) []ibid.Passage {
	t.Helper()
	got, err := New(Config{Store: store, Engine: &fakeIndex{}}).join(context.Background(), access.For(ibid.Owner), ps)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestNeighboursAreJoined(t *testing.T) {
	store := fakeStore(chunksOf("v1"))
	whole := strings.ReplaceAll(document, "|", "")
	got := join(t, store, found(store, "c", "a", "b"))
	if len(got) != 1 || got[0].ID != "c" || got[0].Match.LexicalRank != 1 || got[0].Text != whole || got[0].Start != 0 || got[0].End != len(whole) {
		t.Errorf("%s %+v", describe(got), got)
	}
	if got := join(t, store, found(store, "a", "c")); len(got) != 2 {
		t.Errorf("joined over a gap: %s", describe(got))
	}
	for name, change := range map[string]func(*ibid.Chunk){
		"page":     func(c *ibid.Chunk) { c.Pages = []int{2} },
		"heading":  func(c *ibid.Chunk) { c.Heading = []string{"H"} },
		"version":  func(c *ibid.Chunk) { c.Version = "v2" },
		"document": func(c *ibid.Chunk) { c.DocumentID = "e" },
		"level":    func(c *ibid.Chunk) { c.Level = 1 },
		"length":   func(c *ibid.Chunk) { c.Text += strings.Repeat(" long", maxJoined/5); c.End = c.Start + len(c.Text) },
		"offsets":  func(c *ibid.Chunk) { c.End++ },
	} {
		store := fakeStore(chunksOf("v1"))
		b := store["b"]
		change(&b)
		store["b"] = b
		if got := join(t, store, found(store, "a", "b")); len(got) != 2 {
			t.Errorf("joined in spite of another %s: %s", name, describe(got))
		}
	}
}

func TestSentencesBecomeTheirPassage(t *testing.T) {
	store := fakeStore(chunksOf("v1"))
	store["s1"] = ibid.Chunk{ID: "s1", DocumentID: "d", Level: 3, ParentID: "b", Text: "Beta one."}
	store["s2"] = ibid.Chunk{ID: "s2", DocumentID: "d", Level: 3, ParentID: "b", Text: "Beta two."}
	store["orphan"] = ibid.Chunk{ID: "orphan", DocumentID: "d", Level: 3, ParentID: "gone", Text: "Orphan."}
	got := join(t, store, found(store, "s1", "orphan", "s2"))
	if describe(got) != "b=Beta one. Beta two. / orphan=Orphan." || got[0].Match.LexicalRank != 1 {
		t.Errorf("%s", describe(got))
	}
}

func TestRepetitionsAreDropped(t *testing.T) {
	store := storeOf("a", "b")
	copied := store["a"]
	copied.ID, copied.DocumentID, copied.Text = "copy", "elsewhere", "Text  of\na."
	store["copy"] = copied
	if got := join(t, store, found(store, "a", "copy", "b")); describe(got) != "a=Text of a. / b=Text of b." {
		t.Errorf("%s", describe(got))
	}
}

func TestASectionAndItsPassageAreOne(t *testing.T) {
	store := fakeStore(chunksOf("v1"))
	store["section"] = ibid.Chunk{ID: "section", DocumentID: "d", Version: "v1", Level: 1, Text: document, Start: 0, End: len(document)}
	if got := join(t, store, found(store, "b", "section")); len(got) != 1 || got[0].ID != "b" {
		t.Errorf("%s", describe(got))
	}
	if got := join(t, store, found(store, "section", "b", "a")); len(got) != 1 || got[0].ID != "section" {
		t.Errorf("%s", describe(got))
	}
}

type fakeReranker struct {
	scores []float64
	err    error
}

func (f fakeReranker) Name() string { return "fake" }
func (f fakeReranker) Rerank(_ context.Context, query string, texts []string) ([]float64, error) {
	return f.scores, f.err
}

func TestRerank(t *testing.T) {
	x := &fakeIndex{lexical: candidates("a", 3.0, "b", 2.0, "c", 1.0)}
	rerank := func(r fakeReranker) (string, Reranking) {
		t.Helper()
		found, err := New(Config{Engine: x, Store: storeOf("a", "b", "c"), Reranker: r}).Search(context.Background(), access.For(ibid.Owner), Query{Text: "q"})
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, p := range found.Passages {
			order = append(order, p.ID)
		}
		return strings.Join(order, " "), found.Reranking
	}
	order, r := rerank(fakeReranker{scores: []float64{-2, 5, 1}})
	if order != "b c a" || r.Method != "fake" || r.Input != 3 || r.TopScore != 5 || r.Err != nil {
		t.Errorf("%s, %+v", order, r)
	}
	for name, bad := range map[string]fakeReranker{
		"fails": {err: errors.New("no")}, "too few": {scores: []float64{1}}, "NaN": {scores: []float64{1, math.NaN(), 2}},
	} {
		if order, r := rerank(bad); order != "a b c" || r.Err == nil {
			t.Errorf("%s: %s, %+v", name, order, r)
		}
	}
}
