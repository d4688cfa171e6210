package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"ibid"
	"ibid/internal/text"
)

// Reranker judges passages against a query, more exactly and more slowly than
// the index does.
type Reranker interface {
	// Name says what reranks, for people: "maxsim", "cohere/rerank-v3".
	Name() string
	// Rerank returns a score for each text, higher is better. What a score
	// means is the reranker's own affair.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// rerankPool is how many passages are given to a reranker.
const rerankPool = 30

// Reranking says what a reranker did.
type Reranking struct {
	Method   string // the reranker's name, "" for none
	Input    int    // passages it was given
	TopScore float64
	Took     time.Duration
	Err      error // it failed, and the fused order stands
}

// rerank orders passages by the reranker's scores, scaled to 0…1. A reranker
// that fails changes nothing.
func (s *Searcher) rerank(ctx context.Context, query string, passages []ibid.Passage) ([]ibid.Passage, Reranking) {
	if s.cfg.Reranker == nil || len(passages) == 0 {
		return passages, Reranking{}
	}
	start := time.Now()
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = text.Passage(p.Document.Title, p.Heading, p.Text)
	}
	r := Reranking{Method: s.cfg.Reranker.Name(), Input: len(passages)}
	scores, err := s.cfg.Reranker.Rerank(ctx, query, texts)
	r.Took = time.Since(start)
	if err == nil {
		err = checkScores(scores, len(passages))
	}
	if err != nil {
		r.Err = fmt.Errorf("rerank with %s: %w", r.Method, err)
		return passages, r
	}
	least, most := slices.Min(scores), slices.Max(scores)
	r.TopScore = most
	for i := range passages {
		passages[i].Score = 1
		if most > least {
			passages[i].Score = (scores[i] - least) / (most - least)
		}
	}
	slices.SortStableFunc(passages, func(a, b ibid.Passage) int { return cmp.Compare(b.Score, a.Score) })
	return passages, r
}

func checkScores(scores []float64, n int) error {
	if len(scores) != n {
		return fmt.Errorf("%d scores for %d passages", len(scores), n)
	}
	for _, v := range scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a score is no number")
		}
	}
	return nil
}
