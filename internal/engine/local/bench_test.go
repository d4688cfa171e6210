package local

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// corpora are made once per size; they stay in memory while benchmarks run.
var corpora sync.Map

type corpus struct {
	x       *Index
	docs    []stored
	queries []string
	vectors [][]float32 // of the queries
}

// benchmarkCorpus has documents of 50 chunks: paragraphs of SQuAD, and among
// them made-up ones of Zipfian words, until there are n. Queries are SQuAD's.
func benchmarkCorpus(b *testing.B, n int) *corpus {
	if c, ok := corpora.Load(n); ok {
		return c.(*corpus)
	}
	dir := ibidtest.Data(b, "retrieval/squad-dev")
	paragraphs, queries := texts(b, filepath.Join(dir, "corpus.jsonl")), texts(b, filepath.Join(dir, "queries.jsonl"))
	rng := rand.New(rand.NewPCG(1, 1))
	words := zipfian(rng, paragraphs)
	c := &corpus{x: New(Config{})}
	for i := 0; i < n; i += 50 {
		id := fmt.Sprint("d", i)
		s := stored{doc: ibid.Document{ID: id, Title: words(3)}}
		for k := range 50 {
			text := words(120)
			if i+k < 10*len(paragraphs) && (i+k)%10 == 0 {
				text = paragraphs[(i+k)/10]
			}
			s.chunks = append(s.chunks, ibid.Chunk{ID: fmt.Sprintf("%s/%d", id, k), DocumentID: id, Text: text})
		}
		c.docs = append(c.docs, s)
		c.x.put(0, s.doc, s.chunks)
	}
	for i := range 500 {
		c.queries = append(c.queries, queries[i*len(queries)/500])
	}
	corpora.Store(n, c)
	return c
}

func texts(b *testing.B, path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var line struct{ Text string }
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			b.Fatal(err)
		}
		all = append(all, line.Text)
	}
	return all
}

// zipfian returns a maker of text with the word frequencies of paragraphs,
// and a long tail of words that hardly occur.
func zipfian(rng *rand.Rand, paragraphs []string) func(n int) string {
	var pool []string
	for _, p := range paragraphs {
		pool = append(pool, strings.Fields(p)...)
	}
	return func(n int) string {
		var b strings.Builder
		for range n {
			if rng.IntN(25) == 0 {
				fmt.Fprintf(&b, "tail%d ", int(math.Exp(rng.Float64()*13)))
				continue
			}
			b.WriteString(pool[rng.IntN(len(pool))])
			b.WriteByte(' ')
		}
		return b.String()
	}
}

// clustered vectors: 300 topics with noise, like embeddings of real text.
func (c *corpus) embed(b *testing.B, dimensions int) {
	if c.vectors != nil {
		return
	}
	rng := rand.New(rand.NewPCG(2, 2))
	topics := make([][]float32, 300)
	for i := range topics {
		topics[i] = randomVector(rng, dimensions)
	}
	vec := func() []float32 {
		v := slices.Clone(topics[rng.IntN(len(topics))])
		for i := range v {
			v[i] += float32(rng.NormFloat64())
		}
		return v
	}
	for _, s := range c.docs {
		ids, vecs := make([]string, len(s.chunks)), make([][]float32, len(s.chunks))
		for i := range s.chunks {
			ids[i], vecs[i] = s.chunks[i].ID, vec()
		}
		if err := c.x.putVectors("bench", ids, vecs); err != nil {
			b.Fatal(err)
		}
	}
	for range 200 {
		c.vectors = append(c.vectors, vec())
	}
}

func sizes(b *testing.B, f func(b *testing.B, c *corpus)) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { f(b, benchmarkCorpus(b, n)) })
	}
}

func BenchmarkLexical(b *testing.B) {
	sizes(b, func(b *testing.B, c *corpus) {
		i := 0
		for b.Loop() {
			if _, err := c.x.Lexical(context.Background(), access.System("a test"), c.queries[i%len(c.queries)], 50, ibid.Scope{}); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}

func BenchmarkLexicalKeywords(b *testing.B) {
	sizes(b, func(b *testing.B, c *corpus) {
		i := 0
		for b.Loop() {
			words := strings.Fields(c.queries[i%len(c.queries)])
			q := strings.Join(words[max(0, len(words)-3):], " ")
			if _, err := c.x.Lexical(context.Background(), access.System("a test"), q, 20, ibid.Scope{}); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}

func BenchmarkVector300(b *testing.B) {
	sizes(b, func(b *testing.B, c *corpus) {
		c.embed(b, 300)
		i := 0
		for b.Loop() {
			if _, err := c.x.Vector(context.Background(), access.System("a test"), "bench", c.vectors[i%len(c.vectors)], 20, ibid.Scope{}); err != nil {
				b.Fatal(err)
			}
			i++
		}
		b.ReportMetric(c.recall(b, 20), "recall@20")
	})
}

// recall is the share of the exact k nearest that Vector finds.
func (c *corpus) recall(b *testing.B, k int) float64 {
	s := c.x.spaces["bench"]
	found, wanted := 0, 0
	for _, v := range c.vectors[:50] {
		got, err := c.x.Vector(context.Background(), access.System("a test"), "bench", v, k, ibid.Scope{})
		if err != nil {
			b.Fatal(err)
		}
		best, query := top{limit: k}, s.encode(v)
		for row := range s.rows {
			bl, i := s.at(row)
			best.offer(hit{s.cosine(query, row), c.x.chunks.ids[bl.chunks[i]]})
		}
		for _, w := range best.candidates() {
			wanted++
			if slices.ContainsFunc(got, func(g ibid.Candidate) bool { return g.ChunkID == w.ChunkID }) {
				found++
			}
		}
	}
	return float64(found) / float64(wanted)
}

func BenchmarkPut(b *testing.B) {
	c := benchmarkCorpus(b, 10_000)
	x, i := New(Config{}), 0
	for b.Loop() {
		s := c.docs[i%len(c.docs)]
		x.put(0, s.doc, s.chunks)
		i++
	}
	b.ReportMetric(float64(50*b.N)/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkBuild(b *testing.B) {
	c := benchmarkCorpus(b, 100_000)
	for b.Loop() {
		x := New(Config{})
		for _, s := range c.docs {
			x.put(0, s.doc, s.chunks)
		}
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkLoad(b *testing.B) {
	sizes(b, func(b *testing.B, c *corpus) {
		c.embed(b, 300)
		var saved bytes.Buffer
		if err := c.x.Save(&saved); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := New(Config{}).Load(bytes.NewReader(saved.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
		s := c.x.Stats()
		b.ReportMetric(float64(s.Bytes)/float64(s.Chunks), "held-B/chunk")
		b.ReportMetric(float64(saved.Len())/float64(s.Chunks), "saved-B/chunk")
	})
}
