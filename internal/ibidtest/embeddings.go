package ibidtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
)

// Embeddings is what every store of vectors can do: of vectors that cost something to
// make, and of the built-in embedder as it was fitted last.
type Embeddings interface {
	Embeddings(ctx context.Context, space string, chunkIDs []string) (map[string][]float32, error)
	PutEmbeddings(ctx context.Context, space string, chunkIDs []string, vectors [][]float32) error
	AnyEmbedding(ctx context.Context, space string) (chunkID string, vector []float32, ok bool, err error)
	DropEmbeddings(ctx context.Context, space string) error
	Fit(ctx context.Context) (name string, model []byte, err error)
	FitName(ctx context.Context) (string, error)
	PutFit(ctx context.Context, name string, model []byte, replaces string, at time.Time) error
}

// EmbeddingsCases are what every store of vectors must pass. The library that it is
// opened over has the passages c1 to c3.
var EmbeddingsCases = []Case[Embeddings]{
	{"vectors come back as they were put, each space for itself", embeddingsRead},
	{"a vector takes the place of the one before", embeddingsAgain},
	{"vectors of passages that went are passed over", embeddingsOfNobody},
	{"any vector of a space is one of its own", embeddingsAny},
	{"a space that is dropped is gone", embeddingsDrop},
	{"many are asked for at once", embeddingsMany},
	{"there is one fit, which all openings share", fitShared},
	{"a fit takes the place of the one that it names", fitReplaces},
	{"of those who fit at once one is first", fitContention},
}

// wantVectors are what a space must hold of the three passages.
func wantVectors(t *testing.T, s Embeddings, space string, want map[string][]float32) {
	t.Helper()
	got, err := s.Embeddings(t.Context(), space, []string{"c1", "c2", "c3", "nobody's"})
	if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("in %s there is %v, want %v, %v", space, got, want, err)
	}
}

func putVectors(t *testing.T, s Embeddings, space string, vectors map[string][]float32) {
	t.Helper()
	var ids []string
	var list [][]float32
	for id, v := range vectors {
		ids, list = append(ids, id), append(list, v)
	}
	if err := s.PutEmbeddings(t.Context(), space, ids, list); err != nil {
		t.Fatal(err)
	}
}

func embeddingsRead(t *testing.T, open Opener[Embeddings]) {
	a, b := open(t), open(t)
	one, two := map[string][]float32{"c1": {1, -0.25, 3e-20}, "c3": {0, 0, 0}}, map[string][]float32{"c1": {7}}
	putVectors(t, a, "one", one)
	putVectors(t, a, "two", two)
	for _, s := range []Embeddings{a, b} {
		wantVectors(t, s, "one", one)
		wantVectors(t, s, "two", two)
		wantVectors(t, s, "three", nil)
	}
	if got, err := b.Embeddings(t.Context(), "one", nil); err != nil || len(got) != 0 {
		t.Errorf("of no passages: %v, %v", got, err)
	}
}

func embeddingsAgain(t *testing.T, open Opener[Embeddings]) {
	a, b := open(t), open(t)
	putVectors(t, a, "s", map[string][]float32{"c1": {1}, "c2": {2}})
	putVectors(t, b, "s", map[string][]float32{"c1": {3, 4}})
	wantVectors(t, a, "s", map[string][]float32{"c1": {3, 4}, "c2": {2}})
}

func embeddingsOfNobody(t *testing.T, open Opener[Embeddings]) {
	s := open(t)
	putVectors(t, s, "s", map[string][]float32{"c1": {1}, "nobody's": {2}})
	wantVectors(t, s, "s", map[string][]float32{"c1": {1}})
}

func embeddingsAny(t *testing.T, open Opener[Embeddings]) {
	s := open(t)
	putVectors(t, s, "other", map[string][]float32{"c1": {9}})
	if id, v, ok, err := s.AnyEmbedding(t.Context(), "s"); ok || err != nil {
		t.Errorf("an empty space has %s, %v, %v", id, v, err)
	}
	putVectors(t, s, "s", map[string][]float32{"c2": {1, 2}})
	if id, v, ok, err := s.AnyEmbedding(t.Context(), "s"); !ok || err != nil || id != "c2" || !slices.Equal(v, []float32{1, 2}) {
		t.Errorf("any is %s, %v, %v, %v", id, v, ok, err)
	}
}

func embeddingsDrop(t *testing.T, open Opener[Embeddings]) {
	a, b := open(t), open(t)
	putVectors(t, a, "s", map[string][]float32{"c1": {1}})
	putVectors(t, a, "other", map[string][]float32{"c1": {2}})
	for range 2 { // what is gone already is gone
		if err := b.DropEmbeddings(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
	}
	wantVectors(t, a, "s", nil)
	wantVectors(t, a, "other", map[string][]float32{"c1": {2}})
}

func embeddingsMany(t *testing.T, open Opener[Embeddings]) {
	s := open(t)
	putVectors(t, s, "s", map[string][]float32{"c1": {1}, "c3": {3}})
	ids := []string{"c1"}
	for i := range 3000 {
		ids = append(ids, fmt.Sprint("nobody's ", i))
	}
	got, err := s.Embeddings(t.Context(), "s", append(ids, "c3"))
	if err != nil || len(got) != 2 || got["c3"] == nil {
		t.Errorf("%d of many, %v", len(got), err)
	}
}

// wantFit is what all openings must know.
func wantFit(t *testing.T, s Embeddings, name string, model []byte) {
	t.Helper()
	gotName, got, err := s.Fit(t.Context())
	if err != nil || gotName != name || !bytes.Equal(got, model) {
		t.Errorf("the fit is %q of %d bytes, want %q of %d, %v", gotName, len(got), name, len(model), err)
	}
	if got, err := s.FitName(t.Context()); err != nil || got != name {
		t.Errorf("the fit's name is %q, want %q, %v", got, name, err)
	}
}

func fitShared(t *testing.T, open Opener[Embeddings]) {
	a, b := open(t), open(t)
	wantFit(t, a, "", nil)
	model := bytes.Repeat([]byte{0, 1, 2, 255}, 1<<18) // a megabyte
	if err := a.PutFit(t.Context(), "lsa-1", model, "", time.Now()); err != nil {
		t.Fatal(err)
	}
	wantFit(t, b, "lsa-1", model)
	if err := b.PutFit(t.Context(), "lsa-2", []byte("two"), "lsa-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	wantFit(t, a, "lsa-2", []byte("two"))
	wantFit(t, open(t), "lsa-2", []byte("two"))
}

func fitReplaces(t *testing.T, open Opener[Embeddings]) {
	a, b := open(t), open(t)
	conflict := func(s Embeddings, replaces string) {
		t.Helper()
		if err := s.PutFit(t.Context(), "lsa-9", []byte("nine"), replaces, time.Now()); ibid.CodeOf(err) != ibid.CodeConflict || err == nil {
			t.Errorf("in the place of %q: %v, want CONFLICT", replaces, err)
		}
	}
	conflict(a, "lsa-0") // there is none
	if err := a.PutFit(t.Context(), "lsa-1", []byte("one"), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	conflict(b, "")
	conflict(b, "lsa-0")
	wantFit(t, a, "lsa-1", []byte("one"))
}

func fitContention(t *testing.T, open Opener[Embeddings]) {
	stores := []Embeddings{open(t), open(t)}
	name := func(n int) string { return fmt.Sprint("lsa-", n) }
	replaces := ""
	for round := range 10 {
		var stored, first atomic.Int64
		Contend(t, stores, 3, func(s Embeddings, n int) bool {
			mine := name(100*round + n)
			switch err := s.PutFit(t.Context(), mine, []byte(mine), replaces, time.Now()); {
			case err == nil:
				stored.Add(1)
				first.Store(int64(100*round + n))
			case ibid.CodeOf(err) != ibid.CodeConflict:
				t.Error(err)
			}
			return false
		})
		if n := stored.Load(); n != 1 {
			t.Fatalf("%d have taken the place of %q", n, replaces)
		}
		replaces = name(int(first.Load()))
		for _, s := range stores {
			wantFit(t, s, replaces, []byte(replaces))
		}
	}
}
