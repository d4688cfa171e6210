package search

import (
	"context"
	"fmt"
	"time"

	"ibid"
)

// Search returns the best passages, best first. Chunks that went from the store
// since they were found are left out.
func (s *Searcher) Search(ctx context.Context, q Query) (Result, error) {
	start := time.Now()
	ranking, err := s.Rank(ctx, q)
	if err != nil {
		return Result{}, err
	}
	r := Result{Mode: ranking.Mode, ChunksSearched: ranking.ChunksSearched, VectorError: ranking.VectorError}
	if r.Passages, err = s.passages(ctx, ranking.Ranked); err != nil {
		return Result{}, err
	}
	quote(q.Text, r.Passages)
	r.Took = time.Since(start)
	return r, nil
}

// passages fetches what was found.
func (s *Searcher) passages(ctx context.Context, ranked []Ranked) ([]ibid.Passage, error) {
	if len(ranked) == 0 {
		return nil, nil
	}
	ids := make([]string, len(ranked))
	for i, r := range ranked {
		ids[i] = r.ChunkID
	}
	stored, err := s.cfg.Store.Chunks(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("fetch the passages found: %w", err)
	}
	chunks := make(map[string]ibid.Chunk, len(stored))
	var documentIDs []string
	seen := make(map[string]bool)
	for _, c := range stored {
		chunks[c.ID] = c
		if !seen[c.DocumentID] {
			seen[c.DocumentID] = true
			documentIDs = append(documentIDs, c.DocumentID)
		}
	}
	docs, err := s.cfg.Store.Documents(ctx, documentIDs)
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
