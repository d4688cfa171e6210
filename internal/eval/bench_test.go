package eval

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
	"ibid/internal/ibidtest"
	"ibid/internal/lsa"
	"ibid/internal/search"
)

// house is search as it is wired for users, over a library of n chunks in
// documents of 50.
type house struct {
	x        *local.Index
	searcher *search.Searcher
	queries  []Query
	document func(i int) (ibid.Document, []ibid.Chunk) // what was put, made again
}

// houses are built once per size.
var houses sync.Map

// openHouse fills a library with the paragraphs of SQuAD, each some twenty
// words of it changed at random, so that no two are alike, and fits the built-in
// embedder on it.
func openHouse(b *testing.B, n int) *house {
	if h, ok := houses.Load(n); ok {
		return h.(*house)
	}
	set, err := ReadSet(ibidtest.Data(b, "retrieval/squad-dev"))
	if err != nil {
		b.Fatal(err)
	}
	h := &house{x: local.New(local.Config{}), queries: set.Queries, document: varied(set)}
	st := &madeStore{h: h}
	m, err := lsa.Fit(context.Background(), passages(h, min(n, 10_000)), lsa.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n / 50 {
		d, chunks := h.document(i)
		if err := h.x.Apply(context.Background(), []engine.Change{engine.Put{Document: d, Passages: chunks}}); err != nil {
			b.Fatal(err)
		}
		ids, texts := make([]string, len(chunks)), make([]string, len(chunks))
		for k, c := range chunks {
			ids[k], texts[k] = c.ID, c.Text
		}
		vecs, err := m.Embed(context.Background(), texts, ibid.EmbedPassage)
		if err != nil {
			b.Fatal(err)
		}
		if err := h.x.Apply(context.Background(), []engine.Change{engine.Vectors{Space: m.Name(), IDs: ids, Vectors: vecs}}); err != nil {
			b.Fatal(err)
		}
	}
	h.searcher = search.New(search.Config{Engine: h.x, Store: st, Embedder: m})
	houses.Store(n, h)
	return h
}

// varied makes document i out of 50 paragraphs with changed words.
func varied(set *Set) func(i int) (ibid.Document, []ibid.Chunk) {
	var paragraphs, words []string
	for _, chunks := range set.Chunks {
		for _, c := range chunks {
			paragraphs = append(paragraphs, c.Text)
			words = append(words, strings.Fields(c.Text)...)
		}
	}
	return func(i int) (ibid.Document, []ibid.Chunk) {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		d := ibid.Document{Principal: ibid.Owner, ID: fmt.Sprint("d", i), Title: words[rng.IntN(len(words))] + " " + words[rng.IntN(len(words))], Language: "en"}
		chunks := make([]ibid.Chunk, 50)
		for k := range chunks {
			fields := strings.Fields(paragraphs[(i*50+k)%len(paragraphs)])
			for range len(fields) / 5 {
				at := rng.IntN(len(fields))
				if fields[at] = words[rng.IntN(len(words))]; rng.IntN(5) == 0 {
					fields[at] = fmt.Sprint("rare", int(math.Exp(rng.Float64()*14)))
				}
			}
			text := strings.Join(fields, " ")
			chunks[k] = ibid.Chunk{ID: fmt.Sprintf("%s/%d", d.ID, k), DocumentID: d.ID, Ordinal: k, Level: 2, Text: text, End: len(text)}
		}
		return d, chunks
	}
}

func passages(h *house, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n / 50 {
			_, chunks := h.document(i)
			for _, c := range chunks {
				if !yield(c.Text) {
					return
				}
			}
		}
	}
}

// madeStore makes chunks anew instead of keeping a million of them; of what it
// costs, searches are not charged more than a database would.
type madeStore struct {
	h    *house
	kept sync.Map
}

func (s *madeStore) Chunks(_ context.Context, _ access.View, ids []string) ([]ibid.Chunk, error) {
	var chunks []ibid.Chunk
	for _, id := range ids {
		var i, k int
		fmt.Sscanf(id, "d%d/%d", &i, &k)
		made, ok := s.kept.Load(i)
		if !ok {
			_, all := s.h.document(i)
			made, _ = s.kept.LoadOrStore(i, all)
		}
		chunks = append(chunks, made.([]ibid.Chunk)[k])
	}
	return chunks, nil
}

func (s *madeStore) Documents(_ context.Context, _ access.View, ids []string) ([]ibid.Document, error) {
	docs := make([]ibid.Document, len(ids))
	for i, id := range ids {
		docs[i].ID = id
	}
	return docs, nil
}

// inSizes runs f at 10k and 100k chunks, and with IBID_FULL=1 at a million.
func inSizes(b *testing.B, f func(b *testing.B, h *house)) {
	sizes := []int{10_000, 100_000}
	if os.Getenv("IBID_FULL") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) { f(b, openHouse(b, n)) })
	}
}

// times reports percentiles beside the mean.
type times []time.Duration

func (t times) report(b *testing.B) {
	if len(t) == 0 {
		return
	}
	slices.Sort(t)
	b.ReportMetric(float64(t[len(t)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(t[len(t)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkSearch ranks: analysis, both halves, fusion. BenchmarkSearchPassages
// fetches, joins and quotes the passages as well.
func BenchmarkSearch(b *testing.B) {
	for _, mode := range []search.Mode{search.ModeLexical, search.ModeVector, search.ModeAuto} {
		b.Run(string(mode), func(b *testing.B) {
			inSizes(b, func(b *testing.B, h *house) {
				var t times
				for i := 0; b.Loop(); i++ {
					start := time.Now()
					if _, err := h.searcher.Rank(context.Background(), access.For(ibid.Owner), search.Query{Text: h.queries[i*7%len(h.queries)].Text, Mode: mode}); err != nil {
						b.Fatal(err)
					}
					t = append(t, time.Since(start))
				}
				t.report(b)
			})
		})
	}
}

func BenchmarkSearchPassages(b *testing.B) {
	inSizes(b, func(b *testing.B, h *house) {
		for i := range 200 { // fill the store
			if _, err := h.searcher.Search(context.Background(), access.For(ibid.Owner), search.Query{Text: h.queries[i*7].Text}); err != nil {
				b.Fatal(err)
			}
		}
		var t times
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			if _, err := h.searcher.Search(context.Background(), access.For(ibid.Owner), search.Query{Text: h.queries[i%200*7].Text}); err != nil {
				b.Fatal(err)
			}
			t = append(t, time.Since(start))
		}
		t.report(b)
	})
}

// BenchmarkSearchWhileIndexing searches while a document of 50 chunks is
// replaced over and over.
func BenchmarkSearchWhileIndexing(b *testing.B) {
	inSizes(b, func(b *testing.B, h *house) {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					d, chunks := h.document(i % 20)
					if err := h.x.Apply(context.Background(), []engine.Change{engine.Put{Document: d, Passages: chunks}}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		var t times
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			if _, err := h.searcher.Rank(context.Background(), access.For(ibid.Owner), search.Query{Text: h.queries[i*7%len(h.queries)].Text}); err != nil {
				b.Fatal(err)
			}
			t = append(t, time.Since(start))
		}
		close(stop)
		wg.Wait()
		t.report(b)
	})
}

// BenchmarkMemory reports what the index holds, by its own account and by the
// heap's.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		houses.Clear()
		before := heap()
		h := openHouse(b, 100_000)
		held := heap() - before
		b.ReportMetric(float64(held)/1e6, "heap-MB/100k")
		b.ReportMetric(float64(h.x.Stats().Bytes)/1e6, "stats-MB/100k")
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
