package search

import (
	"context"
	"fmt"

	"ibid"
	"ibid/internal/access"
)

// Sections knows what a chunk is a part of.
type Sections interface {
	// Parents returns, by the chunk's id, the section that it stands in. Chunks
	// that are gone, or stand in none, are left out.
	Parents(ctx context.Context, view access.View, chunkIDs []string) (map[string]ibid.Chunk, error)
}

// maxExpanded bounds, in bytes, what a passage may be expanded to: some 1,000
// words, what a model can still be given several of.
const maxExpanded = 6500

// expand puts the section that a passage stands in in its place, where there is
// one that is not too long. Of passages of one section the best stands for all.
// Quotes stay what they are.
func (s *Searcher) expand(ctx context.Context, view access.View, passages []ibid.Passage) ([]ibid.Passage, error) {
	if s.cfg.Sections == nil || len(passages) == 0 {
		return passages, nil
	}
	ids := make([]string, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	sections, err := s.cfg.Sections.Parents(ctx, view, ids)
	if err != nil {
		return nil, fmt.Errorf("expand the passages found to their sections: %w", err)
	}
	for i, p := range passages {
		section, ok := sections[p.ID]
		if ok && section.DocumentID == p.DocumentID && len(section.Text) <= maxExpanded && section.Start <= p.Start && p.End <= section.End {
			passages[i].Chunk = section
		}
	}
	return withoutRepetitions(passages), nil
}
