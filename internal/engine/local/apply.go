package local

import (
	"context"
	"fmt"

	"ibid"
	"ibid/internal/engine"
)

// Apply makes changes searchable, each of them whole: no search sees half of one.
func (x *Index) Apply(ctx context.Context, changes []engine.Change) error {
	for _, c := range changes {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("apply changes to the index: %w", err)
		}
		switch c := c.(type) {
		case engine.Put:
			x.put(c.Number, c.Document, c.Passages)
		case engine.Remove:
			x.remove(c.Number, c.DocumentID)
		case engine.Vectors:
			if err := x.putVectors(c.Space, c.IDs, c.Vectors); err != nil {
				return err
			}
		case engine.Forget:
			x.forget(c.Space)
		case engine.Reset:
			x.clear()
		default:
			return fmt.Errorf("apply changes to the index: %T is no change that it knows", c)
		}
	}
	return nil
}

// clear empties the index.
func (x *Index) clear() {
	x.writer.Lock()
	defer x.writer.Unlock()
	x.lock()
	defer x.mu.Unlock()
	x.reset()
}

// isOld reports whether the index has a later change of a document than number, and
// notes that it has that one. The caller holds writer.
func (x *Index) isOld(documentID string, at uint32, known bool, number int64) bool {
	has := x.removed[documentID]
	if known {
		has = x.slots[at].change
	}
	x.applied.Store(max(x.applied.Load(), number))
	return number < has
}

// State says how far the index is. Nothing of it survives a crash: see Kept.
func (x *Index) State(context.Context) (engine.State, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := engine.State{Applied: x.applied.Load(), Chunks: x.totals.chunks, Vectors: make(map[string]int, len(x.spaces))}
	for name, sp := range x.spaces {
		s.Vectors[name] = sp.rows
	}
	return s, nil
}

// Lacking returns passages that have no vector in a space. Those that come or lose
// theirs between two pages may be left out.
func (x *Index) Lacking(ctx context.Context, name string, page ibid.Page) (ids []string, next string, err error) {
	var from uint32 // a chunk's number
	if _, err := page.DecodeCursor(&from); err != nil {
		return nil, "", err
	}
	if err := ctx.Err(); err != nil {
		return nil, "", fmt.Errorf("look for passages without a vector: %w", err)
	}
	x.writer.Lock()
	defer x.writer.Unlock()
	s := x.spaces[name]
	if s != nil && s.rows == len(x.chunks.numbers) {
		return nil, "", nil
	}
	for n := from; int(n) < len(x.chunks.ids); n++ {
		if x.chunks.ids[n] == "" {
			continue
		}
		if s != nil {
			if _, has := s.rowOf(n); has {
				continue
			}
		}
		if len(ids) == page.Size() {
			return ids, ibid.EncodeCursor(n), nil
		}
		ids = append(ids, x.chunks.ids[n])
	}
	return ids, "", nil
}

// fingerprint is what the index holds of a document.
type fingerprint struct {
	chunks ibid.ChunkSet // those that can be found
	change int64
}

// fingerprints returns those of all documents.
func (x *Index) fingerprints() map[string]fingerprint {
	x.writer.Lock()
	defer x.writer.Unlock()
	all := make(map[string]fingerprint, len(x.documents))
	for id, at := range x.documents {
		var set ibid.ChunkSet
		for _, p := range x.parts[at] {
			for i := p.from; i < p.to; i++ {
				if p.segment.alive[i] {
					set = set.With(x.chunks.ids[p.segment.chunks[i]])
				}
			}
		}
		all[id] = fingerprint{set, x.slots[at].change}
	}
	return all
}

// Stats says how large the index is.
type Stats struct {
	Documents int
	Chunks    int
	Terms     int
	Segments  int
	Vectors   map[string]int // by space
	Bytes     int64          // memory held, estimated
}

// Stats returns the size of the index.
func (x *Index) Stats() Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := Stats{Chunks: x.totals.chunks, Terms: len(x.terms), Segments: len(x.segments), Vectors: make(map[string]int)}
	for i := range x.slots {
		if x.slots[i].id != "" {
			s.Documents++
		}
	}
	// Keys, values and the overhead of the map of terms.
	s.Bytes = int64(len(x.terms))*64 + x.chunks.bytes() + int64(len(x.slots))*136
	for _, seg := range x.segments {
		s.Bytes += seg.bytes()
	}
	for name, sp := range x.spaces {
		s.Bytes += sp.bytes()
		s.Vectors[name] = sp.rows
	}
	return s
}
