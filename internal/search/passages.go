package search

import (
	"context"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/access"
)

// reserve is how many passages beyond the limit are fetched, to take the places
// of those that are joined with others.
const reserve = 8

// Search returns the best passages, best first. Sentences give way to the
// passage they stand in, repetitions to the best of them, and neighbours become
// one passage. Chunks that went from the store since they were found are left
// out.
func (s *Searcher) Search(ctx context.Context, view access.View, q Query) (Result, error) {
	start := time.Now()
	limit := s.limit(q)
	ranking, err := s.rank(ctx, view, q, max(pool, 2*limit))
	if err != nil {
		return Result{}, err
	}
	r := Result{Mode: ranking.Mode, ChunksSearched: ranking.ChunksSearched, VectorError: ranking.VectorError}
	wanted := limit + reserve
	reranker := s.cfg.Reranker
	if q.NoRerank {
		reranker = nil
	}
	if reranker != nil {
		wanted = max(wanted, rerankPool+reserve)
	}
	found, err := s.passages(ctx, view, cut(ranking.Ranked, wanted, func(r Ranked) ibid.Match { return r.Match }))
	if err != nil {
		return Result{}, err
	}
	if found, err = s.join(ctx, view, found); err != nil {
		return Result{}, err
	}
	found, r.Reranking = Rerank(ctx, reranker, q.Text, found)
	r.Passages = cut(found, limit, func(p ibid.Passage) ibid.Match { return p.Match })
	quote(q.Text, r.Passages)
	if q.Expand {
		if r.Passages, err = s.expand(ctx, view, r.Passages); err != nil {
			return Result{}, err
		}
	}
	highlight(q.Text, r.Passages)
	r.Took = time.Since(start)
	s.latencies.add(r.Took)
	return r, nil
}

// passages fetches what was found.
func (s *Searcher) passages(ctx context.Context, view access.View, ranked []Ranked) ([]ibid.Passage, error) {
	if len(ranked) == 0 {
		return nil, nil
	}
	ids := make([]string, len(ranked))
	for i, r := range ranked {
		ids[i] = r.ChunkID
	}
	chunks, err := s.chunks(ctx, view, ids)
	if err != nil {
		return nil, err
	}
	var documentIDs []string
	seen := make(map[string]bool)
	for _, c := range chunks {
		if !seen[c.DocumentID] {
			seen[c.DocumentID] = true
			documentIDs = append(documentIDs, c.DocumentID)
		}
	}
	docs, err := s.cfg.Store.Documents(ctx, view, documentIDs)
	if err != nil {
		return nil, fmt.Errorf("fetch the documents of the passages found: %w", err)
	}
	documents := make(map[string]ibid.Document, len(docs))
	for _, d := range docs {
		documents[d.ID] = d
	}
	passages := make([]ibid.Passage, 0, len(ranked))
	for _, r := range ranked {
		c, ok := chunks[r.ChunkID]
		d, known := documents[c.DocumentID]
		if ok && known {
			passages = append(passages, ibid.Passage{Chunk: c, Document: d, Score: r.Match.Fused, Match: r.Match})
		}
	}
	return passages, nil
}

// chunks fetches chunks by id.
func (s *Searcher) chunks(ctx context.Context, view access.View, ids []string) (map[string]ibid.Chunk, error) {
	stored, err := s.cfg.Store.Chunks(ctx, view, ids)
	if err != nil {
		return nil, fmt.Errorf("fetch the passages found: %w", err)
	}
	chunks := make(map[string]ibid.Chunk, len(stored))
	for _, c := range stored {
		chunks[c.ID] = c
	}
	return chunks, nil
}
