package sqlite_test

import (
	"context"
	"maps"
	"runtime"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

// embeddingsPlace is a database with the passages c1 to c3.
func embeddingsPlace(t testing.TB) ibidtest.Opener[ibidtest.Embeddings] {
	open := place(t)
	var chunks []ibid.Chunk
	for _, id := range []string{"c1", "c2", "c3"} {
		chunks = append(chunks, ibid.Chunk{ID: id, DocumentID: "d", Version: "v", Level: 2, Ordinal: len(chunks), Text: threeLevels[:5], End: 5})
	}
	finish(t.(*testing.T), open(t), "d", "v", chunks)
	return func(t testing.TB) ibidtest.Embeddings { return open(t) }
}

func TestEmbeddings(t *testing.T) { ibidtest.Run(t, ibidtest.EmbeddingsCases, embeddingsPlace) }

// Stores of vectors with one fault each.

type vectors = ibidtest.Embeddings

type oneSpace struct{ vectors }

func (s oneSpace) PutEmbeddings(ctx context.Context, _ string, ids []string, list [][]float32) error {
	return s.vectors.PutEmbeddings(ctx, "all", ids, list)
}

func (s oneSpace) Embeddings(ctx context.Context, _ string, ids []string) (map[string][]float32, error) {
	return s.vectors.Embeddings(ctx, "all", ids)
}

type firstStays struct{ vectors }

func (s firstStays) PutEmbeddings(ctx context.Context, space string, ids []string, list [][]float32) error {
	there, err := s.Embeddings(ctx, space, ids)
	for i, id := range ids {
		if _, known := there[id]; err == nil && !known {
			err = s.vectors.PutEmbeddings(ctx, space, ids[i:i+1], list[i:i+1])
		}
	}
	return err
}

type keepsAll struct {
	vectors
	kept map[string][]float32
}

func (s keepsAll) PutEmbeddings(ctx context.Context, space string, ids []string, list [][]float32) error {
	for i, id := range ids {
		s.kept[id] = list[i]
	}
	return s.vectors.PutEmbeddings(ctx, space, ids, list)
}

func (s keepsAll) Embeddings(context.Context, string, []string) (map[string][]float32, error) {
	return maps.Clone(s.kept), nil
}

type anySpace struct{ vectors }

func (s anySpace) AnyEmbedding(ctx context.Context, _ string) (string, []float32, bool, error) {
	return s.vectors.AnyEmbedding(ctx, "other")
}

type dropsAll struct{ vectors }

func (s dropsAll) DropEmbeddings(ctx context.Context, _ string) error {
	for _, space := range []string{"s", "other"} {
		if err := s.vectors.DropEmbeddings(ctx, space); err != nil {
			return err
		}
	}
	return nil
}

type asksForFew struct{ vectors }

func (s asksForFew) Embeddings(ctx context.Context, space string, ids []string) (map[string][]float32, error) {
	return s.vectors.Embeddings(ctx, space, ids[:min(len(ids), 500)])
}

// ownFit keeps the fit where nobody else sees it, as a file beside a process does.
type ownFit struct {
	vectors
	name  *string
	model *[]byte
}

func (s ownFit) PutFit(_ context.Context, name string, model []byte, _ string, _ time.Time) error {
	*s.name, *s.model = name, model
	return nil
}
func (s ownFit) Fit(context.Context) (string, []byte, error) { return *s.name, *s.model, nil }
func (s ownFit) FitName(context.Context) (string, error)     { return *s.name, nil }
func newOwnFit(s ibidtest.Embeddings) ibidtest.Embeddings    { return ownFit{s, new(string), new([]byte)} }

type lastFitWins struct{ vectors }

func (s lastFitWins) PutFit(ctx context.Context, name string, model []byte, _ string, at time.Time) error {
	has, err := s.FitName(ctx)
	if err != nil {
		return err
	}
	return s.vectors.PutFit(ctx, name, model, has, at)
}

type looksAtFitFirst struct{ vectors }

func (s looksAtFitFirst) PutFit(ctx context.Context, name string, model []byte, replaces string, at time.Time) error {
	has, err := s.FitName(ctx)
	if err != nil {
		return err
	}
	if has != replaces {
		return ibid.Errorf(ibid.CodeConflict, "another one was faster")
	}
	for range 1000 { // time for the others
		runtime.Gosched()
	}
	for { // and then stores it, whatever is there now
		if has, err = s.FitName(ctx); err != nil {
			return err
		}
		if err = s.vectors.PutFit(ctx, name, model, has, at); ibid.CodeOf(err) != ibid.CodeConflict || err == nil {
			return err
		}
	}
}

func TestEmbeddingsMutants(t *testing.T) {
	ibidtest.Mutants(t, ibidtest.EmbeddingsCases, embeddingsPlace, []ibidtest.Mutant[ibidtest.Embeddings]{
		{Name: "all spaces are one", Case: "vectors come back as they were put, each space for itself", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return oneSpace{s} }},
		{Name: "the first vector stays", Case: "a vector takes the place of the one before", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return firstStays{s} }},
		{Name: "vectors of nobody are kept", Case: "vectors of passages that went are passed over", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return keepsAll{s, map[string][]float32{}} }},
		{Name: "any is another space's", Case: "any vector of a space is one of its own", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return anySpace{s} }},
		{Name: "all spaces are dropped", Case: "a space that is dropped is gone", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return dropsAll{s} }},
		{Name: "only some are looked for", Case: "many are asked for at once", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return asksForFew{s} }},
		{Name: "the fit is the process's own", Case: "there is one fit, which all openings share", Break: newOwnFit},
		{Name: "the last fit wins", Case: "a fit takes the place of the one that it names", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return lastFitWins{s} }},
		{Name: "the fit is looked at first and stored later", Case: "of those who fit at once one is first", Break: func(s ibidtest.Embeddings) ibidtest.Embeddings { return looksAtFitFirst{s} }},
	})
}
