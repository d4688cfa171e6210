package eval

import (
	"context"

	"ibid"
	"ibid/internal/access"
)

// store is a Set as search reads it.
type store struct {
	chunks    map[string]ibid.Chunk
	documents map[string]ibid.Document
}

func newStore(s *Set) store {
	st := store{chunks: make(map[string]ibid.Chunk), documents: make(map[string]ibid.Document)}
	for i, d := range s.Documents {
		st.documents[d.ID] = d
		for _, c := range s.Chunks[i] {
			st.chunks[c.ID] = c
		}
	}
	return st
}

// Chunks implements search.Store.
func (s store) Chunks(_ context.Context, _ access.View, ids []string) ([]ibid.Chunk, error) {
	return pick(s.chunks, ids), nil
}

// Documents implements search.Store.
func (s store) Documents(_ context.Context, _ access.View, ids []string) ([]ibid.Document, error) {
	return pick(s.documents, ids), nil
}

func pick[T any](all map[string]T, ids []string) []T {
	var some []T
	for _, id := range ids {
		if v, ok := all[id]; ok {
			some = append(some, v)
		}
	}
	return some
}
