package local

import (
	"cmp"
	"context"
	"fmt"

	"ibid"
	"ibid/internal/access"
)

const (
	// How many of the nearest codes are scored exactly: rescored at least, one
	// in rescoredPart of a large index, and rescoredPerHit for each hit wanted
	// (recall@20 against a full scan: BenchmarkVector).
	rescored       = 500
	rescoredPart   = 500
	rescoredPerHit = 12
	// lockedVectors is how many vectors are stored while searches wait.
	lockedVectors = 256
)

// putVectors stores one vector per chunk id in the named space, which comes into
// being with its first vector. Ids that are not in the index are left out: their
// documents went while they were embedded. Vectors are scaled to length 1.
func (x *Index) putVectors(name string, ids []string, vecs [][]float32) error {
	if len(ids) != len(vecs) {
		return ibid.Errorf(ibid.CodeVectorDB, "put vectors: %d ids with %d vectors", len(ids), len(vecs))
	}
	if len(ids) == 0 {
		return nil
	}
	if n := len(vecs[0]); n < 1 || n > maxDimensions {
		return ibid.Errorf(ibid.CodeVectorDB, "the vectors of %s have %d dimensions; 1 to %d can be searched", name, n, maxDimensions)
	}
	x.writer.Lock()
	defer x.writer.Unlock()
	s := x.spaces[name]
	if s == nil {
		s = newSpace(len(vecs[0]))
	}
	for i, v := range vecs {
		if err := s.check(v); err != nil {
			return fmt.Errorf("put the vector of chunk %s in %s: %w", ids[i], name, err)
		}
	}
	if x.spaces[name] == nil {
		x.lock()
		x.spaces[name] = s
		x.mu.Unlock()
	}
	for len(ids) > 0 {
		n := min(len(ids), lockedVectors)
		codes := make([]coded, n)
		for i, v := range vecs[:n] {
			codes[i] = s.encode(v)
		}
		s.provide(n)
		x.lock()
		for i, id := range ids[:n] {
			if n, known := x.chunks.numbers[id]; known {
				s.put(n, x.chunks.owners[n], codes[i])
			}
		}
		x.mu.Unlock()
		ids, vecs = ids[n:], vecs[n:]
	}
	return nil
}

// forget drops the vectors of a space.
func (x *Index) forget(name string) {
	x.writer.Lock()
	defer x.writer.Unlock()
	x.lock()
	defer x.mu.Unlock()
	delete(x.spaces, name)
}

// Vector returns the chunks whose vectors in the named space are nearest to vec
// by cosine, best first, ties by chunk id. Cosines of 0 and below are no hits.
// A space without vectors, and a vec of other dimensions, are errors.
func (x *Index) Vector(ctx context.Context, view access.View, name string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	sc := x.scratches.Get().(*scratch)
	defer x.scratches.Put(sc)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search by vector: %w", err)
	}
	s := x.spaces[name]
	if s == nil {
		if x.totals.chunks == 0 {
			return nil, nil
		}
		return nil, &ibid.Error{Code: ibid.CodeVectorDB, Message: "the documents have no vectors of " + cmp.Or(name, "any embedder") + " yet",
			Hint: "search goes by words until they are embedded"}
	}
	if err := s.check(vec); err != nil {
		return nil, fmt.Errorf("search by vector in %s: %w", name, err)
	}
	query := s.encode(vec)
	if limit <= 0 || query.scale == 0 {
		return nil, nil
	}
	n := max(rescored, s.rows/rescoredPart, rescoredPerHit*limit)
	best := top{limit: limit}
	farthest := s.farthestOf(0)
	for _, near := range s.byDistance(s.nearest(query.code, n, x.allowed(view, scope, sc), sc), sc) {
		if near.distance > farthest {
			break
		}
		if v := s.cosine(query, int(near.row)); v > 0 && v >= best.least() {
			b, i := s.at(int(near.row))
			best.offer(hit{v, x.chunks.ids[b.chunks[i]]})
			farthest = s.farthestOf(best.least())
		}
	}
	return best.candidates(), nil
}
