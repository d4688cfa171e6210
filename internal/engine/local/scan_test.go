package local

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// plainNearest is nearest, written plainly: of the rows whose heads are nearest,
// those whose codes are.
func plainNearest(s *space, code []uint64, n int, allowed []bool) []uint32 {
	distance := func(row uint32, words int) int {
		b, i := s.at(int(row))
		sum := 0
		for k, w := range b.code(i)[:words] {
			sum += bits.OnesCount64(w ^ code[k])
		}
		return sum
	}
	within := func(rows []uint32, n, words int) (kept []uint32) {
		var all []int
		for _, row := range rows {
			all = append(all, distance(row, words))
		}
		slices.Sort(all)
		for _, row := range rows {
			if distance(row, words) <= all[min(n, len(all))-1] {
				kept = append(kept, row)
			}
		}
		return kept
	}
	var rows []uint32
	for row := range s.rows {
		if b, i := s.at(row); allowed == nil || allowed[b.slots[i]] {
			rows = append(rows, uint32(row))
		}
	}
	return within(within(rows, max(n, nearHeads, s.rows/nearHeadsPart), headWords), n, s.words)
}

// TestNearestEqualsPlainScan compares over one block, some, and as many as are
// measured on all cores, with and without a scope.
func TestNearestEqualsPlainScan(t *testing.T) {
	for _, blocks := range []int{1, 3, parallelBlocks + 1} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			s := newSpace(3)
			rng := rand.New(rand.NewPCG(6, 6))
			for range blocks {
				b := s.newBlock()
				for i := range b.heads {
					b.heads[i] = rng.Uint64()
				}
				for i := range b.tails {
					b.tails[i] = rng.Uint64()
				}
				for i := range b.slots {
					b.slots[i] = uint32(rng.IntN(10))
				}
				s.blocks = append(s.blocks, b)
			}
			s.rows = (blocks-1)*blockRows + 1 + rng.IntN(blockRows) // only the last is part full
			code := s.blocks[0].code(7)
			few := make([]bool, 10)
			few[3] = true
			for _, allowed := range [][]bool{nil, few, {9: true, 0: true, 1: true, 2: true, 3: true, 4: true}} {
				var got []uint32
				for _, near := range s.nearest(code, 500, allowed, new(scratch)) {
					got = append(got, near.row)
				}
				if want := plainNearest(s, code, 500, allowed); !slices.Equal(got, want) {
					t.Errorf("allowed %v: %d rows, want %d", allowed, len(got), len(want))
				}
			}
		})
	}
}

// TestNearestThoughTheGuessIsWrong has all the rows that are looked at to guess
// lie at the query, and no others.
func TestNearestThoughTheGuessIsWrong(t *testing.T) {
	s := newSpace(3)
	rng := rand.New(rand.NewPCG(7, 7))
	for range 16 {
		b := s.newBlock()
		for i := range b.heads {
			b.heads[i] = rng.Uint64()
		}
		s.blocks = append(s.blocks, b)
	}
	s.rows = len(s.blocks) * blockRows
	code := s.blocks[0].code(0)
	step := s.rows/guessed | 1
	for row := 0; row < s.rows; row += step {
		b, i := s.at(row)
		copy(b.heads[i*headWords:][:headWords], code)
	}
	const n = 6000
	if limit := s.guess(code, n, nil, new(scratch)); limit != 0 {
		t.Fatalf("the guess is %d", limit)
	}
	if near := s.nearHeads(code, n, nil, new(scratch)); len(near) < n {
		t.Errorf("%d rows", len(near))
	}
}

// TestRecall looks for the nearest of many clustered vectors, whose first
// components say most, as those of latent semantics do.
func TestRecall(t *testing.T) {
	ibidtest.WithoutRace(t, "measures with one goroutine")
	const rows, dimensions, k = 40_000, 100, 20
	rng := rand.New(rand.NewPCG(5, 5))
	topics := make([][]float32, 200)
	for i := range topics {
		topics[i] = randomVector(rng, dimensions)
	}
	made := func() []float32 {
		v := slices.Clone(topics[rng.IntN(len(topics))])
		for i := range v {
			v[i] = (v[i] + float32(rng.NormFloat64())) / float32(1+i/10)
		}
		return v
	}
	x := New(Config{})
	for d := range rows / 1000 {
		chunks, ids, vecs := make([]ibid.Chunk, 1000), make([]string, 1000), make([][]float32, 1000)
		for i := range chunks {
			chunks[i].ID = fmt.Sprint(d, "/", i)
			ids[i], vecs[i] = chunks[i].ID, made()
		}
		x.put(0, ibid.Document{ID: fmt.Sprint(d)}, chunks)
		if err := x.putVectors("test", ids, vecs); err != nil {
			t.Fatal(err)
		}
	}
	s, found := x.spaces["test"], 0
	const asked = 50
	for range asked {
		v := made()
		got, err := x.Vector(context.Background(), access.System("a test"), "test", v, k, ibid.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		query, exact := s.encode(v), make([]float64, s.rows)
		for row := range exact {
			exact[row] = float64(s.cosine(query, row))
		}
		slices.Sort(exact)
		for _, c := range got {
			if c.Score >= exact[rows-k] {
				found++
			}
		}
	}
	if recall := float64(found) / (k * asked); recall < 0.99 {
		t.Errorf("recall@%d is %.4f", k, recall)
	}
}

// TestFartherRowsAreNoHits: what lies too far to be scored is not among the best,
// on vectors that lie around some centres as real ones do.
func TestFartherRowsAreNoHits(t *testing.T) {
	ibidtest.WithoutRace(t, "measures with one goroutine")
	const rows, dimensions, wanted = 6000, 96, 10
	rng := rand.New(rand.NewPCG(9, 9))
	s := newSpace(dimensions)
	centres := make([][]float32, 40)
	for i := range centres {
		centres[i] = randomVector(rng, dimensions)
	}
	around := func() []float32 {
		v := slices.Clone(centres[rng.IntN(len(centres))])
		for i := range v {
			v[i] += 0.12 * float32(rng.NormFloat64())
		}
		return v
	}
	for i := range uint32(rows) {
		s.put(i, 0, s.encode(around()))
	}
	found, skipped := 0, 0
	for range 50 {
		query := s.encode(around())
		var cosines []float32
		for row := range rows {
			cosines = append(cosines, s.cosine(query, row))
		}
		slices.Sort(cosines)
		least := cosines[rows-wanted]
		farthest := s.farthestOf(least)
		last := uint32(0)
		for _, r := range s.byDistance(s.nearest(query.code, rows, nil, new(scratch)), new(scratch)) {
			if r.distance < last {
				t.Fatalf("distance %d after %d", r.distance, last)
			}
			last = r.distance
			switch {
			case r.distance > farthest:
				skipped++
			case s.cosine(query, int(r.row)) >= least:
				found++
			}
		}
	}
	if found < 50*wanted*995/1000 || skipped < 50*rows/2 {
		t.Errorf("%d of %d found, %d rows skipped", found, 50*wanted, skipped)
	}
}
