package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
)

// fakeIndex returns what it is told to.
type fakeIndex struct {
	lexical, vector       []ibid.Candidate
	lexicalErr, vectorErr error

	mu     sync.Mutex
	limits []int
	spaces []string
}

func (f *fakeIndex) Lexical(_ context.Context, _ access.View, _ string, limit int, _ ibid.Scope) ([]ibid.Candidate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limits = append(f.limits, limit)
	return f.lexical, f.lexicalErr
}

func (f *fakeIndex) Vector(ctx context.Context, view access.View, space string, _ []float32, limit int, _ ibid.Scope) ([]ibid.Candidate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limits = append(f.limits, limit)
	f.spaces = append(f.spaces, space)
	return f.vector, f.vectorErr
}

func (f *fakeIndex) State(context.Context) (engine.State, error) {
	return engine.State{Chunks: 42}, nil
}

// fakeStore holds chunks; every chunk's document exists.
type fakeStore map[string]ibid.Chunk

func (f fakeStore) Chunks(_ context.Context, _ access.View, ids []string) ([]ibid.Chunk, error) {
	var chunks []ibid.Chunk
	for _, id := range ids {
		if c, ok := f[id]; ok {
			chunks = append(chunks, c)
		}
	}
	return chunks, nil
}

func (f fakeStore) Documents(_ context.Context, _ access.View, ids []string) ([]ibid.Document, error) {
	var docs []ibid.Document
	for _, id := range ids {
		docs = append(docs, ibid.Document{ID: id})
	}
	return docs, nil
}

// storeOf has a chunk of its own text for every id.
func storeOf(ids ...string) fakeStore {
	f := fakeStore{}
	for _, id := range ids {
		f[id] = ibid.Chunk{ID: id, DocumentID: "d" + id, Text: "Text of " + id + ".", End: len(id) + 9, Level: 2}
	}
	return f
}

type fakeEmbedder struct {
	name string
	err  error
}

func (f fakeEmbedder) Name() string    { return f.name }
func (f fakeEmbedder) Dimensions() int { return 2 }
func (f fakeEmbedder) Embed(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, error) {
	if use != ibid.EmbedQuery {
		return nil, errors.New("a query is no passage")
	}
	return make([][]float32, len(texts)), f.err
}

func candidates(pairs ...any) []ibid.Candidate {
	var cs []ibid.Candidate
	for i := 0; i < len(pairs); i += 2 {
		cs = append(cs, ibid.Candidate{ChunkID: pairs[i].(string), Score: pairs[i+1].(float64)})
	}
	return cs
}

func ids(r []Ranked) string {
	var b []string
	for _, c := range r {
		b = append(b, c.ChunkID)
	}
	return strings.Join(b, " ")
}

func TestAutoPicksByTheEmbedder(t *testing.T) {
	x := &fakeIndex{lexical: candidates("a", 3.0), vector: candidates("b", 0.9)}
	for _, tt := range []struct {
		embedder ibid.Embedder
		asked    Mode
		want     Mode
		failed   bool
	}{
		{nil, "", ModeLexical, false},
		{nil, ModeAuto, ModeLexical, false},
		{fakeEmbedder{name: "lsa-300@abc"}, ModeAuto, ModeMix, false},
		{fakeEmbedder{name: "ollama/nomic"}, ModeAuto, ModeRRF, false},
		{fakeEmbedder{name: "ollama/nomic"}, ModeMix, ModeMix, false},
		{nil, ModeVector, ModeLexical, true},
		{nil, ModeRRF, ModeLexical, true},
		{fakeEmbedder{"ollama/nomic", errors.New("connection refused")}, ModeAuto, ModeLexical, true},
		{fakeEmbedder{"ollama/nomic", errors.New("connection refused")}, ModeVector, ModeLexical, true},
	} {
		s := New(Config{Engine: x, Store: storeOf("a", "b"), Embedder: tt.embedder})
		r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q", Mode: tt.asked})
		if err != nil || r.Mode != tt.want || (r.VectorError != nil) != tt.failed || r.ChunksSearched != 42 {
			t.Errorf("%v asked for %q: %+v, %v", tt.embedder, tt.asked, r, err)
		}
		if tt.failed && (len(r.Passages) != 1 || r.Passages[0].ID != "a") {
			t.Errorf("%v asked for %q: no lexical passages: %+v", tt.embedder, tt.asked, r.Passages)
		}
	}
}

func TestBadQueries(t *testing.T) {
	s := New(Config{Engine: &fakeIndex{}, Store: fakeStore{}})
	for _, q := range []Query{{Text: ""}, {Text: " \n"}, {Text: "x", Mode: "magic"}} {
		if _, err := s.Search(context.Background(), access.For(ibid.Owner), q); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestErrorsOfTheIndex(t *testing.T) {
	broken := errors.New("broken")
	e := fakeEmbedder{name: "lsa-2@x"}
	s := New(Config{Engine: &fakeIndex{lexicalErr: broken}, Store: fakeStore{}, Embedder: e})
	if _, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q"}); !errors.Is(err, broken) {
		t.Errorf("lexical half: %v", err)
	}
	s = New(Config{Engine: &fakeIndex{lexical: candidates("a", 1.0), vectorErr: broken}, Store: storeOf("a"), Embedder: e})
	r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q"})
	if err != nil || !errors.Is(r.VectorError, broken) || len(r.Passages) != 1 {
		t.Errorf("vector half: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s = New(Config{Engine: &fakeIndex{vectorErr: context.Canceled}, Store: fakeStore{}, Embedder: e})
	if _, err := s.Search(ctx, access.For(ibid.Owner), Query{Text: "q"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBothHalvesFetchMoreThanIsWanted(t *testing.T) {
	x := &fakeIndex{}
	s := New(Config{Engine: x, Store: fakeStore{}, Embedder: fakeEmbedder{name: "lsa-2@x"}, MaxLimit: 60})
	for _, limit := range []int{1, 0, 60} {
		if _, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q", Limit: limit}); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range x.limits {
		if n < 20 {
			t.Errorf("a half fetched %d", n)
		}
	}
	if d := cmp.Diff([]string{"lsa-2@x", "lsa-2@x", "lsa-2@x"}, x.spaces); d != "" {
		t.Errorf("searched in other spaces than the embedder's:\n%s", d)
	}
}

func TestLimits(t *testing.T) {
	var all []ibid.Candidate
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprint("c", i))
		all = append(all, ibid.Candidate{ChunkID: names[i], Score: float64(100 - i)})
	}
	s := New(Config{Engine: &fakeIndex{lexical: all}, Store: storeOf(names...)})
	for asked, want := range map[int]int{0: 7, 1: 1, 20: 20, 21: 20, 1000: 20, -3: 1} {
		r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q", Limit: asked})
		if err != nil || len(r.Passages) != want {
			t.Errorf("asked for %d, got %d, %v", asked, len(r.Passages), err)
		}
	}
}

func TestReciprocalRankFusion(t *testing.T) {
	lexical, vector := candidates("a", 9.0, "b", 5.0), candidates("b", 0.8, "c", 0.7)
	got := fuse(ModeRRF, lexical, vector)
	if ids(got) != "b a c" {
		t.Fatalf("order %s", ids(got))
	}
	want := ibid.Match{LexicalRank: 2, LexicalScore: 5, VectorRank: 1, VectorScore: 0.8, Fused: 61.0 / 2 * (1.0/62 + 1.0/61)}
	if d := cmp.Diff(want, got[0].Match); d != "" {
		t.Error(d)
	}
	if best := fuse(ModeRRF, candidates("a", 1.0), candidates("a", 1.0)); best[0].Match.Fused != 1 {
		t.Errorf("first in both halves: %v", best[0].Match.Fused)
	}
}

func TestMixing(t *testing.T) {
	got := fuse(ModeMix, candidates("a", 9.0, "b", 7.0, "c", 5.0), candidates("b", 0.8, "d", 0.7, "c", 0.6))
	// a: 1; b: 0.5 + 0.2; d: 0.2·0.5; c: 0; all by 1.2.
	for i, want := range []float64{1 / 1.2, 0.7 / 1.2, 0.1 / 1.2, 0} {
		if d := got[i].Match.Fused - want; d > 1e-9 || d < -1e-9 {
			t.Errorf("%d: %s has %v, want %v", i, got[i].ChunkID, got[i].Match.Fused, want)
		}
	}
	if ids(got) != "a b d c" {
		t.Errorf("order %s", ids(got))
	}
}

func TestScoresLieBetween0And1(t *testing.T) {
	for _, mode := range []Mode{ModeLexical, ModeVector, ModeRRF, ModeMix} {
		for _, r := range fuse(mode, candidates("a", 90.0, "b", 5.0), candidates("b", 1.0000001, "c", 0.1)) {
			if r.Match.Fused < 0 || r.Match.Fused > 1 {
				t.Errorf("%s: %+v", mode, r)
			}
		}
	}
}

func TestVeryWeakVectorHitsAreDropped(t *testing.T) {
	if got := dropWeak(candidates("a", 0.8, "b", 0.25, "c", 0.2)); len(got) != 2 {
		t.Errorf("by share: %v", got)
	}
	if got := dropWeak(candidates("a", 0.06, "b", 0.04)); len(got) != 1 {
		t.Errorf("by cosine: %v", got)
	}
	if got := dropWeak(nil); got != nil {
		t.Errorf("of none: %v", got)
	}
}

func TestTheBestLexicalHitIsNeverPushedOut(t *testing.T) {
	lexical, vector := candidates("perfect", 50.0), []ibid.Candidate(nil)
	for i := range 10 {
		c := ibid.Candidate{ChunkID: fmt.Sprint("both", i), Score: 0.9 - float64(i)/100}
		lexical, vector = append(lexical, c), append(vector, c)
	}
	x := &fakeIndex{lexical: lexical, vector: vector}
	r, err := New(Config{Engine: x, Embedder: fakeEmbedder{name: "e"}}).Rank(context.Background(), access.For(ibid.Owner), Query{Text: "q", Limit: 3})
	if err != nil || ids(r.Ranked) != "both0 both1 perfect" {
		t.Errorf("%s, %v", ids(r.Ranked), err)
	}
}

func TestChunksThatAreGoneAreLeftOut(t *testing.T) {
	s := New(Config{Engine: &fakeIndex{lexical: candidates("gone", 3.0, "a", 2.0)}, Store: storeOf("a")})
	r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "text"})
	if err != nil || len(r.Passages) != 1 || r.Passages[0].ID != "a" || r.Passages[0].Quote.Text != "Text of a." {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestHighlights(t *testing.T) {
	store := storeOf("a")
	c := store["a"]
	c.Start, c.End = 100, 100+len(c.Text)
	store["a"] = c
	r, err := New(Config{Engine: &fakeIndex{lexical: candidates("a", 2.0)}, Store: store}).Search(context.Background(), access.For(ibid.Owner), Query{Text: "which texts?"})
	if err != nil || !cmp.Equal(r.Passages[0].Highlights, []ibid.Range{{Start: 100, End: 104}}) {
		t.Errorf("%+v, %v", r.Passages, err)
	}
}

func TestEmbedderIsExchangedWhileSearching(t *testing.T) {
	s := New(Config{Engine: &fakeIndex{lexical: candidates("a", 1.0), vector: candidates("a", 1.0)}, Store: storeOf("a")})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 200 {
				if _, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "q"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 200 {
		s.SetEmbedder(fakeEmbedder{name: fmt.Sprint("e", i)})
		s.SetEmbedder(nil)
	}
	wg.Wait()
}

// TestTwoScopesAtOnce searches a real index.
func TestTwoScopesAtOnce(t *testing.T) {
	x, store := local.New(local.Config{}), fakeStore{}
	for _, d := range []string{"one", "two"} {
		var chunks []ibid.Chunk
		for i := range 20 {
			c := ibid.Chunk{ID: fmt.Sprint(d, i), DocumentID: d, Level: 2, Text: fmt.Sprintf("The river %s flows past town %d.", d, i)}
			c.End = len(c.Text)
			chunks, store[c.ID] = append(chunks, c), c
		}
		if err := x.Apply(t.Context(), []engine.Change{engine.Put{Document: ibid.Document{Principal: ibid.Owner, ID: d}, Passages: chunks}}); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Config{Engine: x, Store: store})
	var wg sync.WaitGroup
	for _, d := range []string{"one", "two"} {
		wg.Go(func() {
			for range 50 {
				r, err := s.Search(context.Background(), access.For(ibid.Owner), Query{Text: "river one two", Scope: ibid.Scope{Documents: []string{d}}})
				if err != nil || len(r.Passages) != 7 {
					t.Errorf("%d passages, %v", len(r.Passages), err)
				}
				for _, p := range r.Passages {
					if p.DocumentID != d {
						t.Errorf("scope %s saw %s", d, p.ID)
					}
				}
			}
		})
	}
	wg.Wait()
}
