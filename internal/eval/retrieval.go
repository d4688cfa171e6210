package eval

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
	"ibid/internal/lsa"
	"ibid/internal/search"
	"ibid/internal/text"
)

// Config says what is measured. The zero Config measures what users get without
// any embedding server.
type Config struct {
	Embedder ibid.Embedder   // nil: the built-in one, fitted on the set
	Reranker search.Reranker // measured beside MaxSim; nil: none
	Split    string          // of the judgements; "": DefaultSplit
	Sample   int             // measure with so many queries, chosen at random; 0: all
	Seed     uint64          // of the sample and the bootstrap
	// Progress, when set, is told what is being done and how far it is, from
	// one goroutine at a time.
	Progress func(stage string, done, total int)
}

// configuration is one way of searching.
type configuration struct {
	name     string // the mode, or "rerank=" and what reranks what auto finds
	mode     search.Mode
	reranker search.Reranker
	against  string // what it is compared with
}

// configurations are measured in this order.
func configurations(embedder ibid.Embedder, cfg Config) []configuration {
	var all []configuration
	for _, m := range []search.Mode{search.ModeLexical, search.ModeVector, search.ModeRRF, search.ModeMix, search.ModeAuto} {
		all = append(all, configuration{name: string(m), mode: m, against: string(search.ModeLexical)})
	}
	var rerankers []search.Reranker
	if _, ok := embedder.(search.LateInteraction); ok {
		rerankers = append(rerankers, search.NewMaxSim(func() ibid.Embedder { return embedder }))
	}
	if cfg.Reranker != nil {
		rerankers = append(rerankers, cfg.Reranker)
	}
	for _, r := range rerankers {
		all = append(all, configuration{name: "rerank=" + r.Name(), mode: search.ModeAuto, reranker: r, against: string(search.ModeAuto)})
	}
	return all
}

// Retrieval measures every way of searching on the test collection in dir.
func Retrieval(ctx context.Context, dir string, cfg Config) (*Report, error) {
	start := time.Now()
	set, err := ReadSplit(dir, cmp.Or(cfg.Split, DefaultSplit))
	if err != nil {
		return nil, err
	}
	set.sample(cfg)
	chunks := newStore(set)
	searcher, embedder, err := set.searcher(ctx, chunks, cfg)
	if err != nil {
		return nil, err
	}
	report := &Report{Set: dir, Documents: len(set.Documents), Queries: len(set.Queries), Chunks: set.chunks(), Notices: set.Notices}
	if embedder != nil {
		report.Embedder = embedder.Name()
	}
	measured := make(map[string][][]float64)
	for _, c := range configurations(embedder, cfg) {
		rows, used, err := set.measure(ctx, searcher, chunks, c, measured, cfg)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", c.name, err)
		}
		measured[c.name] = rows
		report.add(c, used, rows)
		if base, ok := measured[c.against]; ok && c.name != c.against && c.name != string(search.ModeAuto) {
			report.compare(c, rows, base, cfg.Seed)
		}
	}
	report.Took = time.Since(start)
	return report, nil
}

// sample keeps cfg.Sample queries, in their order.
func (s *Set) sample(cfg Config) {
	if cfg.Sample <= 0 || cfg.Sample >= len(s.Queries) {
		return
	}
	chosen := rand.New(rand.NewPCG(cfg.Seed, 2)).Perm(len(s.Queries))[:cfg.Sample]
	slices.Sort(chosen)
	queries := make([]Query, len(chosen))
	for i, at := range chosen {
		queries[i] = s.Queries[at]
	}
	s.Queries = queries
}

// searcher indexes the set.
func (s *Set) searcher(ctx context.Context, chunks store, cfg Config) (*search.Searcher, ibid.Embedder, error) {
	x := local.New(local.Config{})
	for i, d := range s.Documents {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := x.Apply(ctx, []engine.Change{engine.Put{Document: d, Passages: s.Chunks[i]}}); err != nil {
			return nil, nil, err
		}
		cfg.progress("index", i+1, len(s.Documents))
	}
	embedder := cfg.Embedder
	if embedder == nil {
		m, err := lsa.Fit(ctx, s.texts(func(done int) { cfg.progress("fit the embedder", done, s.chunks()) }), lsa.Config{})
		switch {
		case err == nil:
			embedder = m
		case ibid.CodeOf(err) != ibid.CodeNoDocuments: // a tiny set is searched by words
			return nil, nil, err
		}
	}
	if embedder != nil {
		if err := s.embed(ctx, x, embedder, cfg); err != nil {
			return nil, nil, err
		}
	}
	return search.New(search.Config{Engine: x, Store: chunks, Embedder: embedder, MaxLimit: depth + 1}), embedder, nil
}

// chunks is how many there are.
func (s *Set) chunks() int {
	n := 0
	for _, c := range s.Chunks {
		n += len(c)
	}
	return n
}

// texts yields the chunks as they are embedded, and tells how many it has
// yielded.
func (s *Set) texts(yielded func(done int)) iter.Seq[string] {
	return func(yield func(string) bool) {
		done := 0
		for i, d := range s.Documents {
			for _, c := range s.Chunks[i] {
				done++
				yielded(done)
				if !yield(text.Passage(d.Title, c.Heading, c.Text)) {
					return
				}
			}
		}
	}
}

// embedBatch suits embedding servers, which are slow, and the built-in one.
const embedBatch = 64

func (s *Set) embed(ctx context.Context, x *local.Index, e ibid.Embedder, cfg Config) error {
	var ids, texts []string
	total, done := s.chunks(), 0
	flush := func() error {
		vecs, err := e.Embed(ctx, texts, ibid.EmbedPassage)
		if err != nil {
			return fmt.Errorf("embed the test collection: %w", err)
		}
		if err := x.Apply(ctx, []engine.Change{engine.Vectors{Space: e.Name(), IDs: ids, Vectors: vecs}}); err != nil {
			return err
		}
		done += len(ids)
		cfg.progress("embed", done, total)
		ids, texts = ids[:0], texts[:0]
		return nil
	}
	for i, d := range s.Documents {
		for _, c := range s.Chunks[i] {
			ids, texts = append(ids, c.ID), append(texts, text.Passage(d.Title, c.Heading, c.Text))
			if len(ids) == embedBatch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return flush()
}

// measure returns a row of metrics per query, and the mode that was used.
func (s *Set) measure(ctx context.Context, searcher *search.Searcher, chunks store, c configuration,
	measured map[string][][]float64, cfg Config) (rows [][]float64, used search.Mode, err error) {
	// What auto stands for need not be measured again.
	first, err := searcher.Rank(ctx, access.For(ibid.Owner), search.Query{Text: s.Queries[0].Text, Mode: c.mode})
	if err != nil {
		return nil, "", err
	}
	if rows, done := measured[string(first.Mode)]; done && c.name == string(search.ModeAuto) {
		return rows, first.Mode, nil
	}
	rows = make([][]float64, len(s.Queries))
	group, ctx := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error {
			for i := w; i < len(s.Queries); i += workers {
				q := s.Queries[i]
				ranking, err := rank(ctx, searcher, chunks, c, q)
				if err != nil {
					return err
				}
				rows[i] = measure(ranking, s.Relevant[q.ID])
				if w == 0 {
					cfg.progress(c.name, i+1, len(s.Queries))
				}
			}
			return nil
		})
	}
	return rows, first.Mode, group.Wait()
}

// rank returns the ids of what a configuration finds. An entry that is the query
// itself is no find, as in BEIR.
func rank(ctx context.Context, searcher *search.Searcher, chunks store, c configuration, q Query) ([]string, error) {
	r, err := searcher.Rank(ctx, access.For(ibid.Owner), search.Query{Text: q.Text, Mode: c.mode, Limit: depth + 1})
	if err != nil {
		return nil, err
	}
	passages := make([]ibid.Passage, 0, len(r.Ranked))
	for _, found := range r.Ranked {
		chunk := chunks.chunks[found.ChunkID]
		if !q.is(chunk) {
			passages = append(passages, ibid.Passage{Chunk: chunk, Document: chunks.documents[chunk.DocumentID], Score: found.Match.Fused})
		}
	}
	passages, reranking := search.Rerank(ctx, c.reranker, q.Text, passages)
	ids := make([]string, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	return ids, reranking.Err
}

// is reports whether an entry is the query itself: in some sets the queries are
// taken from the corpus, ids and all. In others both are numbered from 1, which
// says nothing, so one text must stand in the other.
func (q Query) is(entry ibid.Chunk) bool {
	if q.ID != entry.ID {
		return false
	}
	a, b := plain(q.Text), plain(entry.Text)
	return b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// plain is a text as it reads, however it was laid out.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func (c Config) progress(stage string, done, total int) {
	if c.Progress != nil {
		c.Progress(stage, done, total)
	}
}
