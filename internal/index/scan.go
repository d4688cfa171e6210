package index

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
	nearHeadsPart = 30
	nearHeads     = 2000
	// farthest marks rows that are out of scope. No head is that long.
	farthest = math.MaxUint16
	// parallelBlocks is from how many blocks on the heads are measured on all
	// cores: some 260,000 rows, a millisecond for one core.
	parallelBlocks = 64
)

// nearest returns the rows whose codes are nearest to code: at least n, where
// there are as many in scope, and all at the last distance taken. It looks among
// the rows whose heads are nearest.
func (s *space) nearest(code []uint64, n int, allowed []bool, sc *scratch) []uint32 {
	near := s.nearHeads(code, max(n, nearHeads, s.rows/nearHeadsPart), allowed, sc)
	counts := zeroed(&sc.counts, 64*s.words+1)
	tail := code[headWords:]
	for _, row := range near {
		b, i := s.at(int(row))
		d := sc.distances[row] + uint16(hamming(tail, b.tails[i*len(tail):]))
		sc.distances[row] = d
		counts[d]++
	}
	limit := reaching(counts, n)
	kept := near[:0]
	for _, row := range near {
		if int(sc.distances[row]) <= limit {
			kept = append(kept, row)
		}
	}
	return kept
}

// nearHeads returns the rows in scope whose heads are nearest: at least n, where
// there are as many, and all at the last distance taken.
func (s *space) nearHeads(code []uint64, n int, allowed []bool, sc *scratch) []uint32 {
	distances := sized(&sc.distances, s.rows)
	limit := reaching(s.measure(distances, code, allowed, sc), n)
	near := sc.near[:0]
	for row, d := range distances {
		if int(d) <= limit {
			near = append(near, uint32(row))
		}
	}
	sc.near = near
	return near
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

// headCounts says how many rows in scope have each distance. There are two, for
// even rows and odd ones: neighbours are often equally far, and a counter would
// have to wait for itself.
type headCounts [2][64*headWords + 1]uint32

// measure writes the distance of every row's head to that of code, and returns
// how many rows in scope have each distance.
func (s *space) measure(distances []uint16, code []uint64, allowed []bool, sc *scratch) []uint32 {
	workers := 1
	if len(s.blocks) >= parallelBlocks {
		workers = runtime.GOMAXPROCS(0)
	}
	counts := zeroed(&sc.headCounts, workers)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() {
			s.measureBlocks(w*len(s.blocks)/workers, (w+1)*len(s.blocks)/workers, distances, code, allowed, &counts[w])
		})
	}
	s.measureBlocks(0, len(s.blocks)/workers, distances, code, allowed, &counts[0])
	wg.Wait()
	sum := zeroed(&sc.counts, len(counts[0][0]))
	for w := range counts {
		for d := range sum {
			sum[d] += counts[w][0][d] + counts[w][1][d]
		}
	}
	return sum
}

func (s *space) measureBlocks(from, to int, distances []uint16, code []uint64, allowed []bool, counts *headCounts) {
	for k := from; k < to; k++ {
		b := s.blocks[k]
		d := distances[k*blockRows : min((k+1)*blockRows, s.rows)]
		if allowed == nil {
			measureHeads(d, b.heads, [headWords]uint64(code), counts)
			continue
		}
		for i := range d {
			d[i] = farthest
			if allowed[b.slots[i]] {
				d[i] = uint16(hamming(b.heads[headWords*i:][:headWords], code[:headWords]))
				counts[0][d[i]]++
			}
		}
	}
}

// measureHeads is the loop in which a search spends most of its time.
func measureHeads(distances []uint16, heads []uint64, c [headWords]uint64, counts *headCounts) {
	heads = heads[:headWords*len(distances)]
	for i := range distances {
		h := (*[headWords]uint64)(heads[headWords*i:])
		n := bits.OnesCount64(h[0]^c[0]) + bits.OnesCount64(h[1]^c[1]) + bits.OnesCount64(h[2]^c[2]) + bits.OnesCount64(h[3]^c[3])
		distances[i] = uint16(n)
		counts[i%2][n]++
	}
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
