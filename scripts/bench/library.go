package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// generator writes documents of made-up words whose frequencies fall off as
// those of a language do (Zipf 1935). The same seed writes the same documents.
type generator struct {
	rng   *rand.Rand
	zipf  *rand.Zipf
	words []string
	n     int // documents written
}

func newGenerator(seed uint64) *generator {
	rng := rand.New(rand.NewPCG(seed, seed))
	g := &generator{rng: rng, words: []string{
		"the", "of", "and", "to", "in", "is", "that", "for", "it", "as", "was", "with", "be", "by", "on", "not", "are", "from", "at", "this",
	}}
	const vocabulary = 30_000
	syllables := strings.Fields("ba ce di fo gu ha ke li mo nu pa re si to vu wa ze bri cla dro fle gra plo sta tri nen ter tion ment")
	for len(g.words) < vocabulary {
		word := ""
		for range 2 + rng.IntN(3) {
			word += syllables[rng.IntN(len(syllables))]
		}
		g.words = append(g.words, word)
	}
	g.zipf = rand.NewZipf(rng, 1.07, 2.7, vocabulary-1)
	return g
}

func (g *generator) word() string { return g.words[g.zipf.Uint64()] }

// document is Markdown of some 20 KB.
func (g *generator) document() (name string, body []byte) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Report %d on %s\n", g.n, g.word())
	for b.Len() < 20_000 {
		fmt.Fprintf(&b, "\n## On %s and %s\n\n", g.word(), g.word())
		for range 3 {
			for range 5 {
				words := make([]string, 12+g.rng.IntN(10))
				for i := range words {
					words[i] = g.word()
				}
				b.WriteString(strings.ToUpper(words[0][:1]) + words[0][1:] + strings.Join(words[1:], " ") + ". ")
			}
			b.WriteString("\n\n")
		}
	}
	g.n++
	return fmt.Sprintf("report-%05d.md", g.n), b.Bytes()
}

// query is a few words, rare ones mostly.
func (g *generator) query() string {
	words := make([]string, 2+g.rng.IntN(4))
	for i := range words {
		words[i] = g.words[20+g.rng.IntN(5000)]
	}
	return strings.Join(words, " ")
}

// library is what the documents come to.
type library struct {
	documents, pending, failed, chunks int
	err                                string // of one that failed
}

func (s *server) library(ctx context.Context) (library, error) {
	var totals struct{ Documents, Chunks int }
	if err := s.get(ctx, "/v1/folders", &totals); err != nil {
		return library{}, err
	}
	l := library{documents: totals.Documents, chunks: totals.Chunks}
	for status, count := range map[string]*int{"queued": &l.pending, "processing": &l.pending, "failed": &l.failed} {
		var some struct {
			Documents []struct{ Error string }
			Total     int
		}
		if err := s.get(ctx, "/v1/documents?limit=1&status="+status, &some); err != nil {
			return l, err
		}
		*count += some.Total
		if len(some.Documents) > 0 && status == "failed" {
			l.err = some.Documents[0].Error
		}
	}
	return l, nil
}

// measureLibrary adds documents until there are so many chunks, and measures
// the ingestion, the memory and the search.
func measureLibrary(ctx context.Context, o options, s *server, gen *generator, chunks int, label string, t *table) error {
	before, err := s.library(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	sent, made, err := s.fill(ctx, gen, chunks)
	if err != nil {
		return err
	}
	took := time.Since(began)
	t.add(fmt.Sprintf("ingestion up to %s chunks", label), fmt.Sprintf("%.2f MB/s, %.0f chunks/s",
		float64(sent)/1e6/took.Seconds(), float64(made-before.chunks)/took.Seconds()), 1)
	s.settle(ctx)
	t.add(fmt.Sprintf("idle memory, %s chunks", label), s.memory(), 1)
	if err := measureSearch(ctx, o, s, gen, label, t); err != nil {
		return err
	}
	return measureBusy(ctx, o, s, gen, label, t)
}

// fill adds documents until there are so many chunks. It returns the bytes sent
// and the chunks that there are.
func (s *server) fill(ctx context.Context, gen *generator, chunks int) (sent int64, made int, err error) {
	now, err := s.library(ctx)
	if err != nil {
		return 0, 0, err
	}
	for now.chunks < chunks {
		// The first documents show how many chunks one makes, then the rest is
		// sent without waiting.
		missing := 20
		if now.documents > 0 {
			missing = (chunks-now.chunks)*now.documents/now.chunks + 1
		}
		for missing > 0 {
			n := min(missing, 50)
			size, err := s.addDocuments(ctx, gen, n)
			if err != nil {
				return sent, now.chunks, err
			}
			sent += size
			missing -= n
		}
		if now, err = s.wait(ctx); err != nil {
			return sent, now.chunks, err
		}
	}
	return sent, now.chunks, nil
}

// addDocuments sends documents in one request and returns their bytes.
func (s *server) addDocuments(ctx context.Context, gen *generator, n int) (int64, error) {
	var b bytes.Buffer
	var sent int64
	w := multipart.NewWriter(&b)
	for range n {
		name, body := gen.document()
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			return 0, fmt.Errorf("write upload: %w", err)
		}
		part.Write(body)
		sent += int64(len(body))
	}
	w.Close()
	return sent, s.do(ctx, http.MethodPost, "/v1/documents", w.FormDataContentType(), &b, nil)
}

// wait waits until all documents are processed. It asks seldom enough that the
// answers, which list every document, cost next to nothing.
func (s *server) wait(ctx context.Context) (library, error) {
	for {
		asked := time.Now()
		l, err := s.library(ctx)
		switch {
		case err != nil:
			return l, err
		case l.failed > 0:
			return l, errors.New("a document could not be read: " + l.err)
		case l.pending == 0:
			return l, nil
		}
		select {
		case <-time.After(max(100*time.Millisecond, 20*time.Since(asked))):
		case <-ctx.Done():
			return l, ctx.Err()
		}
	}
}

func measureSearch(ctx context.Context, o options, s *server, gen *generator, label string, t *table) error {
	var times []time.Duration
	mode := ""
	for i := range 20 + 100*o.runs {
		query := url.Values{"q": {gen.query()}}
		var found struct {
			Mode     string
			Passages []struct{}
		}
		began := time.Now()
		if err := s.get(ctx, "/v1/search?"+query.Encode(), &found); err != nil {
			return err
		}
		if i >= 20 { // the first ones warm up
			times = append(times, time.Since(began))
		}
		mode = found.Mode
	}
	t.add(fmt.Sprintf("search over %s chunks (%s), p50", label, mode), millis(median(times)), len(times))
	t.add(fmt.Sprintf("search over %s chunks (%s), p99", label, mode), millis(percentile(times, 99)), len(times))
	return nil
}
