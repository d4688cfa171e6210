package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ibid"
	"ibid/internal/access"
)

// amongPool is how far down the ranking of what was found Among looks for the
// passages that it is to rank. What stands lower is told apart by nothing.
const amongPool = 500

// Among ranks passages that were found in another way by how well they answer a
// query, within its scope and not beyond its limit. Those that no search finds
// for the query stand last, in the order given, with a score of 0.
func (s *Searcher) Among(ctx context.Context, view access.View, q Query, chunkIDs []string) (Result, error) {
	start := time.Now()
	found, err := s.passages(ctx, view, bare(chunkIDs))
	if err != nil {
		return Result{}, err
	}
	found = slices.DeleteFunc(found, func(p ibid.Passage) bool { return !q.Scope.Includes(p.Document) })
	state, err := s.cfg.Engine.State(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	r := Result{ChunksSearched: state.Chunks}
	if len(found) == 0 {
		return r, nil
	}
	within := q
	within.Scope.Documents = documentsOf(found) // they lie in the scope
	ranking, err := s.rank(ctx, view, within, amongPool)
	if err != nil {
		return Result{}, fmt.Errorf("rank the passages that were found: %w", err)
	}
	r.Mode, r.VectorError = ranking.Mode, ranking.VectorError
	place := make(map[string]int)
	for i, ranked := range ranking.Ranked {
		place[ranked.ChunkID] = i
	}
	for i := range found {
		if at, ok := place[found[i].ID]; ok {
			found[i].Match = ranking.Ranked[at].Match
			found[i].Score = found[i].Match.Fused
		}
	}
	slices.SortStableFunc(found, func(a, b ibid.Passage) int {
		return rankOf(place, a.ID) - rankOf(place, b.ID)
	})
	found = withoutRepetitions(found)
	r.Passages = found[:min(len(found), s.limit(q))]
	quote(q.Text, r.Passages)
	highlight(q.Text, r.Passages)
	r.Took = time.Since(start)
	return r, nil
}

func rankOf(place map[string]int, id string) int {
	if at, ok := place[id]; ok {
		return at
	}
	return amongPool
}

// bare are chunks as ranked by nothing.
func bare(chunkIDs []string) []Ranked {
	ranked := make([]Ranked, len(chunkIDs))
	for i, id := range chunkIDs {
		ranked[i].ChunkID = id
	}
	return ranked
}

func documentsOf(passages []ibid.Passage) []string {
	var ids []string
	for _, p := range passages {
		if !slices.Contains(ids, p.DocumentID) {
			ids = append(ids, p.DocumentID)
		}
	}
	return ids
}
