package agent

import (
	"context"

	"ibid"
)

// around fetches what stands around the passages that were found. Where it cannot
// be had, footnotes open words of the passages themselves.
func (s *session) around(ctx context.Context) map[string][]ibid.Chunk {
	if s.cfg.Around == nil {
		return nil
	}
	var ids []string
	for _, c := range s.state.ledger.Citations {
		if c.Kind == ibid.SourceDocument {
			ids = append(ids, c.ChunkID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	around, err := s.cfg.Around(ctx, s.task.View, ids)
	if err != nil {
		s.cfg.Log.Warn("what stands around the passages cannot be read", "error", err)
		return nil
	}
	for _, c := range s.state.ledger.Citations { // of another version: the document has changed meanwhile
		if chunks := around[c.ChunkID]; len(chunks) > 0 && chunks[0].Version != c.Version {
			delete(around, c.ChunkID)
		}
	}
	return around
}
