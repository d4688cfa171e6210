package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
	"ibid/internal/lsa"
	"ibid/internal/search"
)

// indexed is a library in this process, for what the index does alone.
type indexed struct {
	index    *local.Index
	model    *lsa.Model
	searcher *search.Searcher
	queries  []string
	asked    [][]float32 // the queries, embedded
	vectors  [][]float32 // of the chunks, where they are kept
	ids      []string    // of the chunks, where vectors are kept

	rate  float64 // chunks indexed in a second of CPU time
	bytes int64   // held by the index, without the embedder
	fit   time.Duration
}

// fitTexts is how many chunks the embedder is fitted on; a fit takes a sample of
// a larger library anyway.
const fitTexts = 20_000

// buildIndex indexes n chunks on one core and embeds them. keep keeps their
// vectors for measuring recall.
func buildIndex(ctx context.Context, p *passages, n int, keep bool) (*indexed, error) {
	b := &indexed{index: local.New(local.Config{}), queries: p.queries}
	var texts []string
	var indexing time.Duration
	before := heap()
	embed := func(chunks []ibid.Chunk) error {
		ids, bodies := make([]string, len(chunks)), make([]string, len(chunks))
		for i, c := range chunks {
			ids[i], bodies[i] = c.ID, c.Text
		}
		vecs, err := b.model.Embed(ctx, bodies, ibid.EmbedPassage)
		if err != nil {
			return err
		}
		if keep {
			b.ids, b.vectors = append(b.ids, ids...), append(b.vectors, vecs...)
		}
		return b.index.Apply(ctx, []engine.Change{engine.Vectors{Space: b.model.Name(), IDs: ids, Vectors: vecs}})
	}
	var waiting [][]ibid.Chunk
	for i := 0; i < n/documentChunks; i++ {
		doc, chunks := p.document(i)
		used := cpuTime()
		err := b.index.Apply(ctx, []engine.Change{engine.Put{Document: doc, Passages: chunks}})
		indexing += cpuTime() - used
		if err != nil {
			return nil, err
		}
		if b.model == nil {
			waiting = append(waiting, chunks)
			for _, c := range chunks {
				texts = append(texts, c.Text)
			}
			if len(texts) < fitTexts && i+1 < n/documentChunks {
				continue
			}
			began := time.Now()
			var err error
			if b.model, err = lsa.Fit(ctx, slices.Values(texts), lsa.Config{}); err != nil {
				return nil, err
			}
			b.fit = time.Since(began)
			for _, c := range waiting {
				if err := embed(c); err != nil {
					return nil, err
				}
			}
			waiting, texts = nil, nil
			continue
		}
		if err := embed(chunks); err != nil {
			return nil, err
		}
	}
	b.rate = float64(n) / max(indexing, time.Microsecond).Seconds()
	b.bytes = heap() - before - b.kept()
	var err error
	if b.asked, err = b.model.Embed(ctx, b.queries, ibid.EmbedQuery); err != nil {
		return nil, err
	}
	b.searcher = search.New(search.Config{Engine: b.index, Embedder: b.model, MaxLimit: 100})
	return b, nil
}

// heap is what lives on the heap, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// kept is what the vectors that are kept for recall take, and the model.
func (b *indexed) kept() int64 {
	var n int64
	for _, v := range b.vectors {
		n += int64(4*len(v)) + 24
	}
	n += int64(16 * cap(b.ids))
	if b.vectors != nil {
		n += int64(24*(cap(b.vectors)-len(b.vectors))) + int64(32*len(b.ids))
	}
	return n
}

// costs are what an operation took, each time: by the clock, and of the
// processors. On a machine that others use too only the second says how fast the
// program is.
type costs struct{ wall, cpu []time.Duration }

// pace is what each kind of search took.
type pace struct{ lexical, vector, hybrid costs }

// measure asks all queries o.runs times, in three ways.
func (b *indexed) measure(ctx context.Context, runs int) (pace, error) {
	var p pace
	for i := range len(b.queries) * (runs + 1) {
		if i == len(b.queries) { // the first round warms up
			p = pace{}
		}
		q := i % len(b.queries)
		err := errors.Join(
			p.lexical.add(func() error {
				_, err := b.index.Lexical(ctx, access.For(ibid.Owner), b.queries[q], 20, ibid.Scope{})
				return err
			}),
			p.vector.add(func() error {
				_, err := b.index.Vector(ctx, access.For(ibid.Owner), b.model.Name(), b.asked[q], 20, ibid.Scope{})
				return err
			}),
			p.hybrid.add(func() error {
				_, err := b.searcher.Rank(ctx, access.For(ibid.Owner), search.Query{Text: b.queries[q], Limit: 20})
				return err
			}))
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// add does f and adds what it took.
func (c *costs) add(f func() error) error {
	used, began := cpuTime(), time.Now()
	err := f()
	c.wall = append(c.wall, time.Since(began))
	c.cpu = append(c.cpu, cpuTime()-used)
	return err
}

func timed(f func() error) (time.Duration, error) {
	began := time.Now()
	err := f()
	return time.Since(began), err
}

// recall is the share of the exact k nearest that the index finds. Of equally
// near ones any will do.
func (b *indexed) recall(ctx context.Context, k int) (float64, error) {
	found, wanted := 0, 0
	row := make(map[string]int, len(b.ids))
	for i, id := range b.ids {
		row[id] = i
	}
	cosines := make([]float64, len(b.vectors))
	for q := 0; q < len(b.asked); q += 5 {
		if dot(b.asked[q], b.asked[q]) == 0 { // no word is known: near to nothing
			continue
		}
		for i, v := range b.vectors {
			cosines[i] = dot(v, b.asked[q])
		}
		sorted := slices.Clone(cosines)
		slices.Sort(sorted)
		least := sorted[len(sorted)-k]
		got, err := b.index.Vector(ctx, access.For(ibid.Owner), b.model.Name(), b.asked[q], k, ibid.Scope{})
		if err != nil {
			return 0, err
		}
		for _, c := range got {
			if cosines[row[c.ChunkID]] >= least-1e-5 {
				found++
			}
		}
		wanted += k
	}
	return float64(found) / float64(wanted), nil
}

func dot(a, b []float32) float64 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}

// duringIndexing measures searches while another goroutine puts documents.
func (b *indexed) duringIndexing(ctx context.Context, p *passages, from int) (pace, error) {
	type made struct {
		doc    ibid.Document
		chunks []ibid.Chunk
	}
	documents := make([]made, 200) // beforehand: making them up is no indexing
	for i := range documents {
		documents[i].doc, documents[i].chunks = p.document(from + i)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			d := documents[i%len(documents)]
			err := b.index.Apply(ctx, []engine.Change{engine.Put{Document: d.doc, Passages: d.chunks},
				engine.Remove{DocumentID: d.doc.ID}}) // so that it grows no larger
			if err != nil {
				return
			}
		}
	}()
	measured, err := b.measure(ctx, 1)
	close(stop)
	<-done
	return measured, err
}

// measureIndex takes the figures of the index alone over n chunks, beside the
// peers where they are to be had.
func measureIndex(ctx context.Context, o options, n int, label string, t *table) error {
	p, err := newPassages()
	if err != nil {
		return err
	}
	b, err := buildIndex(ctx, p, n, true)
	if err != nil {
		return err
	}
	t.add(fmt.Sprintf("index of %s chunks (%s), built", label, p.source), fmt.Sprintf("%.0f chunks per CPU second", b.rate), 1)
	t.add("  memory, 100k chunks", fmt.Sprintf("%.0f MiB", float64(b.bytes)/float64(n)*100_000/(1<<20)), 1)
	if err := measureSnapshot(b, o, t); err != nil {
		return err
	}
	idle, err := b.measure(ctx, o.runs)
	if err != nil {
		return err
	}
	runs := len(idle.hybrid.wall)
	t.add("  search by words, p50 / p99", idle.lexical.both(), runs)
	t.add("  search by vectors, p50 / p99", idle.vector.both(), runs)
	t.add("  both, fused, p50 / p99", idle.hybrid.both(), runs)
	recall, err := b.recall(ctx, 20)
	if err != nil {
		return err
	}
	t.add("  recall@20 of the vectors", fmt.Sprintf("%.4f", recall), len(b.asked)/5)
	busy, err := b.duringIndexing(ctx, p, n/documentChunks)
	if err != nil {
		return err
	}
	t.add("  both, fused, while indexing, p50 / p99", fmt.Sprintf("%s (×%.1f / ×%.1f)", both(busy.hybrid.wall), times(busy.hybrid.wall, idle.hybrid.wall, 50), times(busy.hybrid.wall, idle.hybrid.wall, 99)), len(busy.hybrid.wall))
	return measurePeers(ctx, b, p, n, idle, t)
}

// measureSnapshot times reading a snapshot.
func measureSnapshot(b *indexed, o options, t *table) error {
	var saved bytes.Buffer
	if err := b.index.Save(&saved); err != nil {
		return err
	}
	var times []time.Duration
	for range o.runs {
		took, err := timed(func() error {
			return local.New(local.Config{}).Load(bytes.NewReader(saved.Bytes()))
		})
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	t.add("  loading its snapshot", millis(median(times)), len(times))
	return nil
}

// both is the clock's median and 99th percentile, and the processors'.
func (c costs) both() string { return both(c.wall) + ", CPU " + both(c.cpu) }

func both(times []time.Duration) string {
	return millis(median(times)) + " / " + millis(percentile(times, 99))
}

func ratio(a, b []time.Duration) float64 {
	return math.Round(10*float64(median(a))/float64(max(1, median(b)))) / 10
}
