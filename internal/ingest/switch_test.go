package ingest

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/engine/local"
)

// namedEmbedder makes vectors that go by the text and a seed; it can be made to
// wait for leave before each call.
type namedEmbedder struct {
	name string
	dim  int
	seed uint64
	gate chan struct{} // nil: no waiting
}

func (e *namedEmbedder) Name() string    { return e.name }
func (e *namedEmbedder) Dimensions() int { return e.dim }

func (e *namedEmbedder) Embed(ctx context.Context, texts []string, _ ibid.EmbedUse) ([][]float32, error) {
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		sum := fnv.New64()
		sum.Write([]byte(text))
		rng := rand.New(rand.NewPCG(sum.Sum64(), e.seed))
		v, length := make([]float32, e.dim), 0.0
		for k := range v {
			v[k] = float32(rng.NormFloat64())
			length += float64(v[k] * v[k])
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(length))
		}
		out[i] = v
	}
	return out, nil
}

// queries notes which embedder queries use.
type queries struct {
	mu  sync.Mutex
	now string
}

func (q *queries) set(e ibid.Embedder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.now = e.Name()
}

func (q *queries) by() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.now
}

// library adds enough for a fit, and for several batches.
func (s *shop) library() {
	words := strings.Fields("walrus giraffe pelican octopus beaver falcon lizard salmon badger ferret otter heron")
	for i := range 40 {
		w := words[i%len(words)]
		s.settled(s.add(fmt.Sprintf("%s-%d.txt", w, i), fmt.Sprintf("The %s number %d lives near the %s.", w, i, words[(i+5)%len(words)])).ID)
	}
}

func TestTheOldEmbedderServesUntilTheNewSpaceIsWhole(t *testing.T) {
	dir, q := t.TempDir(), &queries{}
	use := func(e ibid.Embedder) func(*Config) {
		return func(c *Config) { c.Embedder, c.SetEmbedder = e, q.set }
	}
	s := openShop(t, dir, newParagraphs(), func(c *Config) { c.SetEmbedder = q.set })
	s.library()
	s.eventually("the built-in one serves", func() bool { return strings.HasPrefix(q.by(), "lsa-") && s.Embedding(s.t.Context()).Embedded == 40 })
	s.stop()

	e := &namedEmbedder{name: "test/one", dim: 16, gate: make(chan struct{})}
	s = openShop(t, dir, newParagraphs(), use(e))
	if at := s.Embedding(t.Context()); !strings.HasPrefix(q.by(), "lsa-") || at.Embedder != "test/one" || at.Serving != q.by() || at.Embedded != 0 || at.Chunks != 40 {
		t.Fatalf("queries use %s, %+v", q.by(), at)
	}
	e.gate <- struct{}{}
	s.eventually("the first batch is embedded", func() bool { return s.Embedding(s.t.Context()).Embedded == embedBatch })
	if !strings.HasPrefix(q.by(), "lsa-") {
		t.Fatalf("queries use %s", q.by())
	}
	close(e.gate)
	s.eventually("the new one serves alone", func() bool { return q.by() == "test/one" && s.spaces() == 1 })
	if at := s.Embedding(t.Context()); at.Embedded != 40 || at.Err != nil {
		t.Fatalf("%+v", at)
	}
	s.stop()

	// At the next start it serves at once; and back, it costs nothing.
	s = openShop(t, dir, newParagraphs(), use(e))
	if q.by() != "test/one" {
		t.Fatalf("after a restart queries use %s", q.by())
	}
	s.stop()
	s = openShop(t, dir, newParagraphs(), use(nil))
	s.eventually("the built-in one serves again", func() bool {
		return strings.HasPrefix(q.by(), "lsa-") && s.spaces() == 1 && s.Embedding(s.t.Context()).Embedded == 40
	})
	s.stop()
}

// Another model by the same name never serves: neither one of other dimensions
// nor one of the same.
func TestAnotherModelByTheSameNameIsRefused(t *testing.T) {
	for _, other := range []*namedEmbedder{{name: "test/one", dim: 24}, {name: "test/one", dim: 16, seed: 9}} {
		dir, q := t.TempDir(), &queries{}
		open := func(e ibid.Embedder) *shop {
			return openShop(t, dir, newParagraphs(), func(c *Config) { c.Embedder, c.SetEmbedder = e, q.set })
		}
		s := open(&namedEmbedder{name: "test/one", dim: 16})
		s.library()
		s.stop()
		q.set(&namedEmbedder{})
		s = open(other)
		s.eventually("the built-in one serves", func() bool { return strings.HasPrefix(q.by(), "lsa-") })
		s.eventually("it is said", func() bool { return isMismatch(s.Embedding(s.t.Context()).Err) })
		if said := oneLine(s.Embedding(s.t.Context()).Err); !strings.Contains(said, "test/one") || !strings.Contains(said, "ibid doctor --repair") {
			t.Errorf("it said %q", said)
		}
		if _, err := s.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.eventually("the documents are embedded anew", func() bool { return q.by() == "test/one" && s.Embedding(s.t.Context()).Err == nil })
		vectors, err := s.db.Embeddings(t.Context(), "test/one", []string{s.anyChunk()})
		if err != nil || len(vectors) != 1 || len(vectors[s.anyChunk()]) != other.dim {
			t.Errorf("%d vectors, %v", len(vectors), err)
		}
		s.stop()
	}
}

func (s *shop) anyChunk() string {
	id, _, _, err := s.db.AnyEmbedding(s.t.Context(), "test/one")
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// TestAFitIsSavedWithItsVectors: a start that found the new fit beside the old
// vectors would embed every chunk again, and search by words until then.
func TestAFitIsSavedWithItsVectors(t *testing.T) {
	dir := t.TempDir()
	s := openShop(t, dir, newParagraphs())
	var text strings.Builder
	for _, w := range strings.Fields("walrus giraffe pelican octopus beaver falcon lizard salmon badger ferret otter heron") {
		text.WriteString(long(w))
	}
	s.settled(s.add("animals.txt", text.String()).ID)
	deadline := time.Now().Add(20 * time.Second)
	for !s.savedWhole(dir) {
		if time.Now().After(deadline) {
			t.Fatal("the snapshot lacks the vectors of the fit that was saved")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// savedWhole reports whether the snapshot on disk has a vector for each of its
// chunks, by the stored fit.
func (s *shop) savedWhole(dir string) bool {
	saved, err := os.ReadFile(filepath.Join(dir, "index.snapshot"))
	if err != nil {
		return false
	}
	name, err := s.db.FitName(s.t.Context())
	if err != nil || name == "" {
		return false
	}
	x := local.New(local.Config{})
	err = x.Load(bytes.NewReader(saved))
	state, _ := x.State(s.t.Context())
	return err == nil && state.Chunks > 0 && state.Whole(name)
}
