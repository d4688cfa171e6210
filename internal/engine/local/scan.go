package local

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
)

const (
	// headWords begin every code and lie apart from the rest: all heads are
	// scanned, the tail of a code only where its head is near. After the
	// rotations any part of a code is as good as another.
	headWords = 4
	// One row in nearHeadsPart goes on from its head, and nearHeads at least.
	// `make bench` measures the recall of it all on embedded passages.
	nearHeadsPart = 45
	nearHeads     = 2000
	// guessed is how many rows are looked at to guess how far the nearest heads
	// are, and guessMargin how many more rows than wanted the guess aims at.
	guessed     = 4096
	guessMargin = 1.35
	farthest    = 64 * headWords // no head is farther
	// parallelBlocks is from how many blocks on the heads are measured on all
	// cores: some 260,000 rows, a millisecond for one core.
	parallelBlocks = 64
)

// nearRow is a row and the distance of what was looked at of its code.
type nearRow struct {
	row      uint32
	distance uint32
}

// nearest returns the rows whose codes are nearest to code: at least n, where
// there are as many in scope, and all at the last distance taken. It looks among
// the rows whose heads are nearest.
func (s *space) nearest(code []uint64, n int, allowed []bool, sc *scratch) []nearRow {
	near := s.nearHeads(code, max(n, nearHeads, s.rows/nearHeadsPart), allowed, sc)
	tail := code[headWords:]
	for k := range near {
		b, i := s.at(int(near[k].row))
		near[k].distance += uint32(hamming(tail, b.tails[i*len(tail):]))
	}
	kept, _ := within(near, n, zeroed(&sc.counts, 64*s.words+1))
	return kept
}

// byDistance returns the rows nearest first, rows of one distance in their order.
func (s *space) byDistance(near []nearRow, sc *scratch) []nearRow {
	next := zeroed(&sc.counts, 64*s.words+2)
	for _, r := range near {
		next[r.distance+1]++
	}
	for d := 1; d < len(next); d++ {
		next[d] += next[d-1]
	}
	sorted := sized(&sc.sorted, len(near))
	for _, r := range near {
		sorted[next[r.distance]] = r
		next[r.distance]++
	}
	return sorted
}

// farSpread is how many standard deviations beyond what is expected the code of
// a row may lie: one in 4,000 lies farther.
const farSpread = 3.5

// farthestOf is how far the code of a vector probably lies at most whose cosine
// with the query is at least so much. Each bit differs with the probability of
// the angle over π (Charikar, 2002), so their number is binomial. A row that is
// farther need not be scored.
func (s *space) farthestOf(cosine float32) uint32 {
	bits := float64(64 * s.words)
	p := math.Acos(min(max(float64(cosine), -1), 1)) / math.Pi
	return uint32(min(bits, bits*p+farSpread*math.Sqrt(bits*p*(1-p))))
}

// nearHeads returns the rows in scope whose heads are nearest: at least n, where
// there are as many, and all at the last distance taken. Rows farther than a
// guess are not even counted; where the guess was too short, all are.
func (s *space) nearHeads(code []uint64, n int, allowed []bool, sc *scratch) []nearRow {
	for limit := s.guess(code, n, allowed, sc); ; limit = farthest {
		near := s.measure(code, limit, allowed, sc)
		near, enough := within(near, n, zeroed(&sc.counts, farthest+1))
		if enough || limit == farthest {
			return near
		}
	}
}

// guess returns a distance within which n heads probably lie, by looking at some
// rows at even steps.
func (s *space) guess(code []uint64, n int, allowed []bool, sc *scratch) uint32 {
	step := s.rows / guessed
	if step < 4 {
		return farthest
	}
	step |= 1 // in blocks of a power of two, an odd one meets all places
	counts := zeroed(&sc.counts, farthest+1)
	seen := 0
	for row := 0; row < s.rows; row += step {
		b, i := s.at(row)
		if allowed == nil || allowed[b.slots[i]] {
			counts[hamming(b.heads[headWords*i:][:headWords], code[:headWords])]++
			seen++
		}
	}
	wanted := int(guessMargin * float64(n) / float64(step))
	if wanted < 50 || wanted >= seen { // too few to go by
		return farthest
	}
	return uint32(reaching(counts, wanted))
}

// within keeps the nearest rows in place: n, and all at the last distance taken.
// counts are zero, one for each distance. enough says whether there are n.
func within(near []nearRow, n int, counts []uint32) (kept []nearRow, enough bool) {
	if len(near) <= n {
		return near, len(near) == n
	}
	for _, r := range near {
		counts[r.distance]++
	}
	limit := uint32(reaching(counts, n))
	kept = near[:0]
	for _, r := range near {
		if r.distance <= limit {
			kept = append(kept, r)
		}
	}
	return kept, true
}

// reaching is the distance up to which counts, by distance, come to n; the
// longest one where they never do.
func reaching(counts []uint32, n int) int {
	sum := 0
	for d, c := range counts {
		if sum += int(c); sum >= n {
			return d
		}
	}
	return len(counts) - 1
}

// measure returns the rows in scope whose heads are no farther from that of code
// than limit, ascending.
func (s *space) measure(code []uint64, limit uint32, allowed []bool, sc *scratch) []nearRow {
	workers := 1
	if len(s.blocks) >= parallelBlocks {
		workers = runtime.GOMAXPROCS(0)
	}
	for len(sc.near) < workers {
		sc.near = append(sc.near, nil)
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() {
			sc.near[w] = s.measureBlocks(w*len(s.blocks)/workers, (w+1)*len(s.blocks)/workers, code, limit, allowed, sc.near[w][:0])
		})
	}
	sc.near[0] = s.measureBlocks(0, len(s.blocks)/workers, code, limit, allowed, sc.near[0][:0])
	wg.Wait()
	for w := 1; w < workers; w++ {
		sc.near[0] = append(sc.near[0], sc.near[w]...)
	}
	return sc.near[0]
}

func (s *space) measureBlocks(from, to int, code []uint64, limit uint32, allowed []bool, near []nearRow) []nearRow {
	head := [headWords]uint64(code)
	for k := from; k < to; k++ {
		b, first := s.blocks[k], k*blockRows
		rows := min(blockRows, s.rows-first)
		if allowed == nil {
			near = measureHeads(near, uint32(first), b.heads[:headWords*rows], head, limit)
			continue
		}
		for i, slot := range b.slots[:rows] {
			if !allowed[slot] {
				continue
			}
			if d := uint32(hamming(b.heads[headWords*i:][:headWords], head[:])); d <= limit {
				near = append(near, nearRow{uint32(first + i), d})
			}
		}
	}
	return near
}

// measureHeads is the loop in which a search spends most of its time. It appends
// the rows, the first of which is numbered first, that are near.
func measureHeads(near []nearRow, first uint32, heads []uint64, c [headWords]uint64, limit uint32) []nearRow {
	for ; len(heads) >= headWords; heads = heads[headWords:] {
		h := (*[headWords]uint64)(heads)
		d := uint32(bits.OnesCount64(h[0]^c[0]) + bits.OnesCount64(h[1]^c[1]) + bits.OnesCount64(h[2]^c[2]) + bits.OnesCount64(h[3]^c[3]))
		if d <= limit {
			near = append(near, nearRow{first, d})
		}
		first++
	}
	return near
}

// hamming is the number of bits in which two codes of one length differ.
func hamming(a, b []uint64) int {
	b = b[:len(a)]
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x ^ b[i])
	}
	return n
}
