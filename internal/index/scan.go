package index

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
)

const (
	// headWords begin every code and lie apart from it, side by side: all of
	// them are scanned, the rest of the code only where they are near. After the
	// rotations any part of a code is as good as another.
	headWords = 2
	// One row in nearHeadsPart goes on from its head, and nearHeads at least: of
	// 100,000 embedded passages 1 in 12 kept .999 of the nearest 20, 1 in 25
	// .990 (BenchmarkVector300 and `make bench` hold the recall of it all).
	nearHeadsPart = 14
	nearHeads     = 3000
	// farthest marks rows that are out of scope. No head is that long.
	farthest = math.MaxUint8
	// parallelBlocks is from how many blocks on the heads are measured on all
	// cores: some 260,000 rows, a millisecond for one core.
	parallelBlocks = 64
)

// nearest returns the rows whose codes are nearest to code: at least n, where
// there are as many in scope, and all at the last distance taken. It looks among
// the rows whose heads are nearest.
func (s *space) nearest(code []uint64, n int, allowed []bool, sc *scratch) []uint32 {
	near := s.nearHeads(code, max(n, nearHeads, s.rows/nearHeadsPart), allowed, sc)
	distances := sized(&sc.codeDistances, len(near))
	counts := zeroed(&sc.counts, 64*s.words+1)
	for i, row := range near {
		b, at := s.at(int(row))
		distances[i] = uint16(hamming(b.codes[at*s.words:][:len(code)], code))
		counts[distances[i]]++
	}
	limit := reaching(counts, n)
	kept := near[:0]
	for i, row := range near {
		if int(distances[i]) <= limit {
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
func (s *space) measure(distances []uint8, code []uint64, allowed []bool, sc *scratch) []uint32 {
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

func (s *space) measureBlocks(from, to int, distances []uint8, code []uint64, allowed []bool, counts *headCounts) {
	for k := from; k < to; k++ {
		b := s.blocks[k]
		d := distances[k*blockRows : min((k+1)*blockRows, s.rows)]
		if allowed == nil {
			measureHeads(d, b.heads, code[0], code[1], counts)
			continue
		}
		for i := range d {
			d[i] = farthest
			if allowed[b.slots[i]] {
				d[i] = uint8(hamming(b.heads[headWords*i:][:headWords], code[:headWords]))
				counts[0][d[i]]++
			}
		}
	}
}

// measureHeads is the loop in which a search spends most of its time.
func measureHeads(distances []uint8, heads []uint64, c0, c1 uint64, counts *headCounts) {
	heads = heads[:headWords*len(distances)]
	even, odd := &counts[0], &counts[1]
	i := 0
	for ; i+2 <= len(distances); i += 2 {
		h := (*[4]uint64)(heads[2*i:])
		a := bits.OnesCount64(h[0]^c0) + bits.OnesCount64(h[1]^c1)
		b := bits.OnesCount64(h[2]^c0) + bits.OnesCount64(h[3]^c1)
		d := (*[2]uint8)(distances[i:])
		d[0], d[1] = uint8(a), uint8(b)
		even[a]++
		odd[b]++
	}
	if i < len(distances) {
		a := bits.OnesCount64(heads[2*i]^c0) + bits.OnesCount64(heads[2*i+1]^c1)
		distances[i] = uint8(a)
		even[a]++
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
