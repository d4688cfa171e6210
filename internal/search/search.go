// Package search finds the passages that answer a query: lexical and vector
// candidates side by side, fused, explained and quoted.
package search

import (
	"context"
	"errors"
	"time"

	"ibid"
)

// Mode says how the two halves of a search are used.
type Mode string

// ModeAuto picks by what the embedder is: mix for the built-in one, rrf for
// others, lexical without one.
const (
	ModeAuto    Mode = "auto"
	ModeLexical Mode = "lexical"
	ModeVector  Mode = "vector"
	ModeRRF     Mode = "rrf"
	ModeMix     Mode = "mix"
)

// Index finds candidates, best first.
type Index interface {
	Lexical(ctx context.Context, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	Vector(ctx context.Context, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	Len() int
}

// Store holds what the index points to. Ids that are not there are left out;
// the order of the answer is free.
type Store interface {
	Chunks(ctx context.Context, ids []string) ([]ibid.Chunk, error)
	Documents(ctx context.Context, ids []string) ([]ibid.Document, error)
}

// Config sets up a Searcher. Index and Store are required.
type Config struct {
	Index    Index
	Store    Store
	Embedder ibid.Embedder // nil: lexical only until SetEmbedder
}

// Query is one search.
type Query struct {
	Text  string
	Scope ibid.Scope
	Limit int  // 0: 7; at most 20
	Mode  Mode // "": auto
}

// Result is what a search found.
type Result struct {
	Mode           Mode // the mode that was used, never auto
	Passages       []ibid.Passage
	ChunksSearched int
	Took           time.Duration
	VectorError    error // why the vector half is missing; the passages are lexical then
}

// Searcher is safe for concurrent use.
type Searcher struct{}

// New returns a Searcher.
func New(cfg Config) *Searcher { return &Searcher{} }

// SetEmbedder exchanges the embedder of queries; nil turns the vector half off.
func (s *Searcher) SetEmbedder(e ibid.Embedder) {}

// Search returns the best passages, best first.
func (s *Searcher) Search(ctx context.Context, q Query) (Result, error) {
	return Result{}, errors.New("search: not built yet")
}
