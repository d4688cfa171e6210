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

// Rerank puts the best passages in a new order by a reranker's scores, scaled to
// 0…1; the passages behind them stay behind them. A reranker that fails changes
// nothing.
func Rerank(ctx context.Context, by Reranker, query string, passages []ibid.Passage) ([]ibid.Passage, Reranking) {
	if by == nil || len(passages) == 0 {
		return passages, Reranking{}
	}
	start := time.Now()
	best, rest := passages[:min(rerankPool, len(passages))], passages[min(rerankPool, len(passages)):]
	texts := make([]string, len(best))
	for i, p := range best {
		texts[i] = text.Passage(p.Document.Title, p.Heading, p.Text)
	}
	r := Reranking{Method: by.Name(), Input: len(best)}
	scores, err := by.Rerank(ctx, query, texts)
	r.Took = time.Since(start)
	if err == nil {
		err = checkScores(scores, len(best))
	}
	if err != nil {
		r.Err = fmt.Errorf("rerank with %s: %w", r.Method, err)
		return passages, r
	}
	r.TopScore = slices.Max(scores)
	reorder(best, scores, shareOf(by))
	for i := range rest {
		rest[i].Score = min(rest[i].Score, best[len(best)-1].Score)
	}
	return passages, r
}

// shareOf is what a reranker's scores count beside the fused ones.
func shareOf(r Reranker) float64 {
	if _, weak := r.(MaxSim); weak {
		return maxSimShare
	}
	return 1
}

// reorder sorts passages by their new scores.
func reorder(passages []ibid.Passage, scores []float64, share float64) {
	least, most := slices.Min(scores), slices.Max(scores)
	for i := range passages {
		scaled := 1.0
		if most > least {
			scaled = (scores[i] - least) / (most - least)
		}
		passages[i].Score = (1-share)*passages[i].Score + share*scaled
	}
	slices.SortStableFunc(passages, func(a, b ibid.Passage) int { return cmp.Compare(b.Score, a.Score) })
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
