// Package search finds the passages that answer a query: lexical and vector
// candidates side by side, fused, explained and quoted.
package search

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
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

// Engine finds candidates, best first. Space names the embedder whose vectors are
// searched.
type Engine interface {
	Lexical(ctx context.Context, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	Vector(ctx context.Context, view access.View, space string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	State(ctx context.Context) (engine.State, error)
}

// Store holds what the index points to. Ids that are not there are left out;
// the order of the answer is free.
type Store interface {
	Chunks(ctx context.Context, view access.View, ids []string) ([]ibid.Chunk, error)
	Documents(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error)
}

// Config sets up a Searcher. Engine and Store are required.
type Config struct {
	Engine   Engine
	Store    Store
	Embedder ibid.Embedder // nil: lexical only until SetEmbedder
	Sections Sections      // nil: passages are never expanded
	MaxLimit int           // the most passages a query may ask for; 0: 20
	Reranker Reranker      // orders the best passages anew; nil: the fused order stands
}

// DefaultLimit is how many passages a query gets that does not say.
const DefaultLimit = 7

// pool is the least that each half fetches, however few passages are wanted:
// fusion needs to see well beyond them.
const pool = 50

// Query is one search.
type Query struct {
	Text  string
	Scope ibid.Scope
	// Like is a text that what is wanted would be like: it is embedded instead of
	// Text. "": Text itself.
	Like  string
	Limit int  // 0: DefaultLimit; more than Config.MaxLimit is cut to it
	Mode  Mode // "": auto
	// NoRerank leaves the fused order as it is, also where a reranker is set.
	NoRerank bool
	// Expand returns the sections that the passages stand in, bounded in size,
	// instead of the passages. Their quotes are those of the passages.
	Expand bool
}

// Result is what a search found.
type Result struct {
	Mode           Mode // the mode that was used, never auto
	Passages       []ibid.Passage
	ChunksSearched int
	Took           time.Duration
	VectorError    error     // why the vector half is missing; the passages are lexical then
	Reranking      Reranking // zero where no reranker is set
}

// Ranked is a chunk that was found, before its text is fetched.
type Ranked struct {
	ChunkID string
	Match   ibid.Match
}

// Ranking is the fused order of chunks, best first.
type Ranking struct {
	Mode           Mode
	Ranked         []Ranked
	ChunksSearched int
	VectorError    error
}

// Searcher is safe for concurrent use.
type Searcher struct {
	cfg       Config
	embedder  atomic.Pointer[ibid.Embedder]
	latencies latencies
}

// New returns a Searcher.
func New(cfg Config) *Searcher {
	cfg.MaxLimit = cmp.Or(cfg.MaxLimit, 20)
	s := &Searcher{cfg: cfg}
	s.SetEmbedder(cfg.Embedder)
	return s
}

// SetEmbedder exchanges the embedder of queries; nil turns the vector half off.
// Searches under way go on with the one they began with.
func (s *Searcher) SetEmbedder(e ibid.Embedder) {
	if e == nil {
		s.embedder.Store(nil)
		return
	}
	s.embedder.Store(&e)
}

// Embedder returns the embedder of queries, nil while there is none.
func (s *Searcher) Embedder() ibid.Embedder {
	if e := s.embedder.Load(); e != nil {
		return *e
	}
	return nil
}

// Rank returns the fused ranking of the chunks that were found, at most
// q.Limit, without touching the store.
func (s *Searcher) Rank(ctx context.Context, view access.View, q Query) (Ranking, error) {
	limit := s.limit(q)
	r, err := s.rank(ctx, view, q, max(pool, 2*limit))
	if err != nil {
		return Ranking{}, err
	}
	r.Ranked = cut(r.Ranked, limit, func(r Ranked) ibid.Match { return r.Match })
	return r, nil
}

func (s *Searcher) limit(q Query) int {
	return min(max(cmp.Or(q.Limit, DefaultLimit), 1), s.cfg.MaxLimit)
}

// rank fuses what both halves find, each up to n chunks.
func (s *Searcher) rank(ctx context.Context, view access.View, q Query, n int) (Ranking, error) {
	if strings.TrimSpace(q.Text) == "" {
		return Ranking{}, ibid.Errorf(ibid.CodeBadRequest, "the query is empty")
	}
	embedder := s.embedder.Load()
	mode, err := q.Mode.resolve(embedder)
	if err != nil {
		return Ranking{}, err
	}
	state, err := s.cfg.Engine.State(ctx)
	if err != nil {
		return Ranking{}, fmt.Errorf("search: %w", err)
	}
	r := Ranking{Mode: mode, ChunksSearched: state.Chunks}
	lexical, vector, err := s.candidates(ctx, view, embedder, q, mode, n)
	if err != nil {
		return Ranking{}, err
	}
	if vector.err != nil {
		r.Mode, r.VectorError = ModeLexical, vector.err
		if mode == ModeVector { // then words were not searched yet
			if lexical, err = s.cfg.Engine.Lexical(ctx, view, q.Text, n, q.Scope); err != nil {
				return Ranking{}, fmt.Errorf("search by words: %w", err)
			}
		}
	}
	r.Ranked = fuse(r.Mode, lexical, dropWeak(vector.found))
	return r, nil
}

func (m Mode) resolve(embedder *ibid.Embedder) (Mode, error) {
	switch m {
	case ModeLexical, ModeVector, ModeRRF, ModeMix:
		return m, nil
	case ModeAuto, "":
		switch {
		case embedder == nil:
			return ModeLexical, nil
		case strings.HasPrefix((*embedder).Name(), "lsa-"):
			// Reciprocal ranks give a weak dense half an equal say, which loses
			// quality; a small share of its score gains some.
			return ModeMix, nil
		}
		return ModeRRF, nil
	}
	return "", &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("there is no search mode %q", string(m)),
		Hint: "auto, lexical, vector, rrf or mix"}
}

// half is what one half of a search gave.
type half struct {
	found []ibid.Candidate
	err   error
}

// candidates runs the halves that mode needs side by side. An error of the
// vector half is in its half; err is the lexical half's, or the caller's own end.
func (s *Searcher) candidates(ctx context.Context, view access.View, embedder *ibid.Embedder, q Query, mode Mode, n int) (lexical []ibid.Candidate, vector half, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer := make(chan half, 1)
	if mode == ModeLexical {
		answer <- half{}
	} else {
		go func() { answer <- s.vector(ctx, view, embedder, q, n) }()
	}
	if mode != ModeVector {
		if lexical, err = s.cfg.Engine.Lexical(ctx, view, q.Text, n, q.Scope); err != nil {
			cancel()
		}
	}
	vector = <-answer
	if err != nil {
		return nil, vector, fmt.Errorf("search by words: %w", err)
	}
	if vector.err != nil && ctx.Err() != nil {
		return nil, vector, fmt.Errorf("search: %w", ctx.Err())
	}
	return lexical, vector, nil
}

func (s *Searcher) vector(ctx context.Context, view access.View, embedder *ibid.Embedder, q Query, n int) half {
	if embedder == nil {
		return half{err: &ibid.Error{Code: ibid.CodeVectorDB, Message: "there is no embedder yet",
			Hint: "the built-in one is made from your documents once there are ten passages"}}
	}
	e := *embedder
	wanted, use := q.Text, ibid.EmbedQuery
	if q.Like != "" {
		wanted, use = q.Like, ibid.EmbedPassage
	}
	vecs, err := e.Embed(ctx, []string{wanted}, use)
	if err != nil {
		return half{err: fmt.Errorf("embed the query with %s: %w", e.Name(), err)}
	}
	if len(vecs) != 1 {
		return half{err: ibid.Errorf(ibid.CodeVectorDB, "%s returned %d vectors for one query", e.Name(), len(vecs))}
	}
	found, err := s.cfg.Engine.Vector(ctx, view, e.Name(), vecs[0], n, q.Scope)
	if err != nil {
		return half{err: fmt.Errorf("search by vector: %w", err)}
	}
	return half{found: found}
}
