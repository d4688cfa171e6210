package local

import (
	"cmp"
	"math"
	"slices"

	"ibid"
)

type hit struct {
	score float32
	id    string
}

// worse orders hits: by score, then by id against chance.
func (h hit) worse(o hit) bool {
	return h.score < o.score || h.score == o.score && h.id > o.id
}

// top keeps the best hits in a heap, the worst of them first.
type top struct {
	limit int
	hits  []hit
}

// least is the score that a hit must reach.
func (t *top) least() float32 {
	if len(t.hits) < t.limit {
		return -math.MaxFloat32
	}
	return t.hits[0].score
}

func (t *top) offer(h hit) {
	if len(t.hits) < t.limit {
		t.hits = append(t.hits, h)
		for i := len(t.hits) - 1; i > 0; {
			parent := (i - 1) / 2
			if !t.hits[i].worse(t.hits[parent]) {
				break
			}
			t.hits[i], t.hits[parent] = t.hits[parent], t.hits[i]
			i = parent
		}
		return
	}
	if !t.hits[0].worse(h) {
		return
	}
	t.hits[0] = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(t.hits) {
			return
		}
		if child+1 < len(t.hits) && t.hits[child+1].worse(t.hits[child]) {
			child++
		}
		if !t.hits[child].worse(t.hits[i]) {
			return
		}
		t.hits[i], t.hits[child] = t.hits[child], t.hits[i]
		i = child
	}
}

// candidates returns the hits, best first.
func (t *top) candidates() []ibid.Candidate {
	slices.SortFunc(t.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	out := make([]ibid.Candidate, len(t.hits))
	for i, h := range t.hits {
		out[i] = ibid.Candidate{ChunkID: h.id, Score: float64(h.score)}
	}
	return out
}
