package search

import (
	"context"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
)

const (
	// sentenceLevel is the level of chunks that are sentences of a passage.
	sentenceLevel = 3
	// Neighbours are joined to passages of at most maxJoined bytes. Between
	// them may stand what separates paragraphs, at most maxGap bytes.
	maxJoined = 2000
	maxGap    = 2
)

// join removes what says the same twice from passages, best first.
func (s *Searcher) join(ctx context.Context, view access.View, passages []ibid.Passage) ([]ibid.Passage, error) {
	passages, err := s.toParents(ctx, view, passages)
	if err != nil {
		return nil, err
	}
	return joinNeighbours(withoutRepetitions(passages)), nil
}

// toParents puts the passage that a sentence stands in, at the place of the
// sentence, where the store has it.
func (s *Searcher) toParents(ctx context.Context, view access.View, passages []ibid.Passage) ([]ibid.Passage, error) {
	var ids []string
	for _, p := range passages {
		if p.Level == sentenceLevel && p.ParentID != "" && !slices.Contains(ids, p.ParentID) {
			ids = append(ids, p.ParentID)
		}
	}
	if len(ids) == 0 {
		return passages, nil
	}
	parents, err := s.chunks(ctx, view, ids)
	if err != nil {
		return nil, err
	}
	for i, p := range passages {
		if parent, ok := parents[p.ParentID]; ok && p.Level == sentenceLevel && parent.DocumentID == p.DocumentID {
			passages[i].Chunk = parent
		}
	}
	return passages, nil
}

// withoutRepetitions keeps the best of the passages that are the same chunk, that
// say the same words (the same file added twice, a notice on every page), or of
// which one lies within the other (a section and a passage of it).
func withoutRepetitions(passages []ibid.Passage) []ibid.Passage {
	seen := make(map[string]bool)
	var kept []ibid.Passage
	for _, p := range passages {
		id, words := "id "+p.ID, "words "+strings.Join(strings.Fields(p.Text), " ")
		repeated := seen[id] || seen[words] || slices.ContainsFunc(kept, func(k ibid.Passage) bool { return nested(k.Chunk, p.Chunk) })
		seen[id], seen[words] = true, true
		if !repeated {
			kept = append(kept, p)
		}
	}
	return kept
}

// nested reports whether one of two chunks of different levels lies within the
// other.
func nested(a, b ibid.Chunk) bool {
	if a.DocumentID != b.DocumentID || a.Version != b.Version || a.Level == b.Level {
		return false
	}
	return a.Start <= b.Start && b.End <= a.End || b.Start <= a.Start && a.End <= b.End
}

// joinNeighbours makes one passage of those that follow each other under one
// heading and on one page. It stands where the best of them stood and keeps its
// id and its match.
func joinNeighbours(passages []ibid.Passage) []ibid.Passage {
	for again := true; again; {
		again = false
		for i := 0; i < len(passages); i++ {
			for k := i + 1; k < len(passages); k++ {
				joined, ok := together(passages[i].Chunk, passages[k].Chunk)
				if !ok {
					continue
				}
				passages[i].Chunk = joined
				passages = slices.Delete(passages, k, k+1)
				again = true
				k--
			}
		}
	}
	return passages
}

// together joins chunk b to a, before or behind it. Offsets stay true: what
// stands between chunks is white space, a blank within a paragraph or the line
// breaks between two.
func together(a, b ibid.Chunk) (ibid.Chunk, bool) {
	first, second := a, b
	if b.Start < a.Start {
		first, second = b, a
	}
	gap := second.Start - first.End
	if a.DocumentID != b.DocumentID || a.Version != b.Version || a.Level != b.Level || gap < 0 || gap > maxGap ||
		second.End-first.Start > maxJoined || !slices.Equal(a.Heading, b.Heading) || !slices.Equal(a.Pages, b.Pages) ||
		len(first.Text) != first.End-first.Start || len(second.Text) != second.End-second.Start {
		return ibid.Chunk{}, false
	}
	joined := a
	joined.Text = first.Text + []string{"", " ", "\n\n"}[gap] + second.Text
	joined.Start, joined.End = first.Start, second.End
	joined.Ordinal = min(a.Ordinal, b.Ordinal)
	return joined, true
}
