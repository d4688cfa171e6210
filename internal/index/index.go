// Package index is the embedded search index: BM25 over an inverted index and
// vector search over 1-bit codes, both in memory, updated in place.
package index

import (
	"context"
	"errors"
	"io"

	"ibid"
)

// Config sets up an index. The zero Config suits everyone.
type Config struct{}

// Index is safe for concurrent searches and updates.
type Index struct{}

// Stats says how large the index is.
type Stats struct {
	Documents int
	Chunks    int
	Vectors   int    // in the space that is searched
	Space     string // the space that is searched, "" for none
	Bytes     int64  // memory held, estimated
}

var errUnfinished = errors.New("index: not built yet")

// New returns an empty index.
func New(cfg Config) *Index { return &Index{} }

// Put adds a document, or replaces all of its chunks at once. Vectors of chunks
// that keep their id are kept.
func (x *Index) Put(doc ibid.Document, chunks []ibid.Chunk) {}

// Delete removes a document and its chunks from search.
func (x *Index) Delete(documentID string) {}

// Lexical returns the best chunks for a query by BM25, best first.
func (x *Index) Lexical(ctx context.Context, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	return nil, errUnfinished
}

// Vector returns the chunks whose vectors in the current space are nearest to
// vec by cosine, best first.
func (x *Index) Vector(ctx context.Context, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	return nil, errUnfinished
}

// PutVectors stores one vector per chunk id in the named space. Ids that are
// not in the index are ignored.
func (x *Index) PutVectors(space string, ids []string, vecs [][]float32) error { return errUnfinished }

// UseSpace makes the named space the one that Vector searches.
func (x *Index) UseSpace(space string) error { return errUnfinished }

// DropSpace forgets the vectors of a space.
func (x *Index) DropSpace(space string) {}

// Missing returns the ids of chunks that have no vector in the named space.
func (x *Index) Missing(space string) []string { return nil }

// Len returns the number of chunks.
func (x *Index) Len() int { return 0 }

// Stats returns the size of the index.
func (x *Index) Stats() Stats { return Stats{} }

// Save writes a snapshot. sequence is the caller's: the change up to which the
// snapshot is complete.
func (x *Index) Save(w io.Writer, sequence int64) error { return errUnfinished }

// Load replaces the index by a snapshot and returns its sequence.
func (x *Index) Load(r io.Reader) (sequence int64, err error) { return 0, errUnfinished }
