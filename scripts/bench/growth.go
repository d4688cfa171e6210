package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
	"ibid/internal/lsa"
	"ibid/internal/search"
)

// point is what searches took at one size: medians of CPU time, and of the clock
// for both halves together.
type point struct {
	chunks                        int
	lexical, vector, hybrid, wall time.Duration
}

// measureGrowth lets one index grow, measures it at each size, and draws what it
// measured.
func measureGrowth(ctx context.Context, o options, t *table) error {
	p, err := newPassages()
	if err != nil {
		return err
	}
	b := &indexed{index: local.New(local.Config{}), queries: p.queries}
	if err := b.fitOn(ctx, p); err != nil {
		return err
	}
	var points []point
	next := 0
	for size := 10_000; size <= o.growth; size = larger(size) {
		if err := b.growTo(ctx, o, p, &next, size); err != nil {
			return err
		}
		measured, err := b.measure(ctx, 1)
		if err != nil {
			return err
		}
		points = append(points, point{size, median(measured.lexical.cpu), median(measured.vector.cpu), median(measured.hybrid.cpu), median(measured.hybrid.wall)})
		runs := len(measured.hybrid.wall)
		t.add(fmt.Sprintf("%d chunks (%s): by words, p50 / p99", size, p.source), measured.lexical.both(), runs)
		t.add("  by vectors", measured.vector.both(), runs)
		t.add("  both, fused", measured.hybrid.both(), runs)
	}
	path := filepath.Join("docs", "images", "search-growth.svg")
	if err := os.WriteFile(path, []byte(drawGrowth(points)), 0o644); err != nil {
		return fmt.Errorf("draw the growth: %w", err)
	}
	return nil
}

// growTo lets the index have size chunks: those of a snapshot that an earlier run
// has kept, or more documents.
func (b *indexed) growTo(ctx context.Context, o options, p *passages, next *int, size int) error {
	upTo := size / documentChunks
	if o.keep == "" {
		return b.grow(ctx, p, next, upTo)
	}
	path := filepath.Join(o.keep, fmt.Sprintf("%d-%s", size, b.model.Name()))
	kept, err := os.Open(path)
	if err == nil {
		defer kept.Close()
		*next = upTo
		return b.index.Load(kept)
	}
	if err := b.grow(ctx, p, next, upTo); err != nil {
		return err
	}
	made, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	return errors.Join(b.index.Save(made), made.Close())
}

// larger steps 10,000, 30,000, 100,000, 300,000 and so on.
func larger(size int) int {
	if strings.HasPrefix(fmt.Sprint(size), "1") {
		return 3 * size
	}
	return size / 3 * 10
}

// fitOn fits the embedder on the first documents.
func (b *indexed) fitOn(ctx context.Context, p *passages) error {
	var texts []string
	for i := range fitTexts / documentChunks {
		_, chunks := p.document(i)
		for _, c := range chunks {
			texts = append(texts, c.Text)
		}
	}
	var err error
	if b.model, err = lsa.Fit(ctx, slices.Values(texts), lsa.Config{}); err != nil {
		return err
	}
	b.searcher = search.New(search.Config{Engine: b.index, Embedder: b.model, MaxLimit: 100})
	b.asked, err = b.model.Embed(ctx, b.queries, ibid.EmbedQuery)
	return err
}

// grow adds documents *next to upTo, on all cores.
func (b *indexed) grow(ctx context.Context, p *passages, next *int, upTo int) error {
	var at atomic.Int64
	at.Store(int64(*next))
	*next = upTo
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil && ctx.Err() == nil {
				n := int(at.Add(1)) - 1
				if n >= upTo {
					return
				}
				errs[w] = b.add(ctx, p, n)
			}
		})
	}
	wg.Wait()
	return cmp.Or(errors.Join(errs...), ctx.Err())
}

func (b *indexed) add(ctx context.Context, p *passages, n int) error {
	doc, chunks := p.document(n)
	if err := b.index.Apply(ctx, []engine.Change{engine.Put{Document: doc, Passages: chunks}}); err != nil {
		return err
	}
	ids, bodies := make([]string, len(chunks)), make([]string, len(chunks))
	for i, c := range chunks {
		ids[i], bodies[i] = c.ID, c.Text
	}
	vecs, err := b.model.Embed(ctx, bodies, ibid.EmbedPassage)
	if err != nil {
		return err
	}
	return b.index.Apply(ctx, []engine.Change{engine.Vectors{Space: b.model.Name(), IDs: ids, Vectors: vecs}})
}

// drawGrowth is a chart with logarithmic axes, where what grows as fast as the
// index is a slope of one; a dashed line shows that slope.
func drawGrowth(points []point) string {
	const width, height, left, bottom = 720, 420, 70, 50
	x := func(chunks float64) float64 { return left + (math.Log10(chunks)-4)*(width-left-130)/2 }
	y := func(ms float64) float64 { return height - bottom - (math.Log10(ms)+2)*(height-bottom-30)/4 }
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintln(&s, `<title>CPU time of a search (median) against the size of the index</title>`)
	for _, ms := range []float64{0.01, 0.1, 1, 10, 100} {
		fmt.Fprintf(&s, `<line x1="%d" x2="%.0f" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g ms</text>`+"\n",
			left, x(1e6), y(ms), y(ms), left-8, y(ms)+4, ms)
	}
	for _, chunks := range []float64{1e4, 1e5, 1e6} {
		fmt.Fprintf(&s, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%.0f chunks</text>`+"\n",
			x(chunks), x(chunks), y(0.01), y(100), x(chunks), height-bottom+22, chunks)
	}
	if len(points) == 0 {
		return s.String() + "</svg>\n"
	}
	last := points[len(points)-1]
	first := points[0]
	type line struct {
		name, colour string
		of           func(point) time.Duration
	}
	lines := []line{
		{"both, fused", "#1b4f8a", func(p point) time.Duration { return p.hybrid }},
		{"vectors", "#b3541e", func(p point) time.Duration { return p.vector }},
		{"words", "#3b7a3b", func(p point) time.Duration { return p.lexical }},
		{"both, clock", "#9aa5b1", func(p point) time.Duration { return p.wall }},
	}
	linear := float64(first.hybrid.Microseconds()) / 1000 * float64(last.chunks) / float64(first.chunks)
	fmt.Fprintf(&s, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#888" stroke-dasharray="5 4"/><text x="%.1f" y="%.1f" fill="#666">as fast as</text><text x="%.1f" y="%.1f" fill="#666">the index</text>`+"\n",
		x(float64(first.chunks)), y(linear*float64(first.chunks)/float64(last.chunks)), x(float64(last.chunks)), y(linear), x(float64(last.chunks))+10, y(linear)-6, x(float64(last.chunks))+10, y(linear)+10)
	// The names stand one below the other, the slowest first.
	slices.SortStableFunc(lines, func(a, b line) int { return int(b.of(last) - a.of(last)) })
	const lineHeight = 15
	label := 0.0
	for _, line := range lines {
		var path []string
		for _, p := range points {
			ms := max(0.01, float64(line.of(p).Microseconds())/1000)
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(float64(p.chunks)), y(ms)))
			fmt.Fprintf(&s, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s, %d chunks: %.2f ms</title></circle>`+"\n",
				x(float64(p.chunks)), y(ms), line.colour, line.name, p.chunks, ms)
		}
		ms := float64(line.of(last).Microseconds()) / 1000
		label = max(label+lineHeight, y(max(0.01, ms))+4)
		fmt.Fprintf(&s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%.1f" y="%.1f" fill="%s">%s %.1f ms</text>`+"\n",
			strings.Join(path, " "), line.colour, x(float64(last.chunks))+10, label, line.colour, line.name, ms)
	}
	return s.String() + "</svg>\n"
}
