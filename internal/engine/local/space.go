package local

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ibid"
)

const (
	// blockRows is how many vectors lie in one allocation.
	blockRows = 4096
	// rotations mix the components of a vector well enough that more change
	// nothing.
	rotations     = 3
	maxDimensions = 1 << 13
)

// space holds the vectors of one embedder, a row per chunk. Rows have no order;
// the last one fills a gap.
//
// A row is found by the Hamming distance of its 1-bit code and scored by the
// cosine of its 16-bit vector, exact to some 1e-5. The code is the signs of the
// vector after random rotations, whose distance estimates the angle (Charikar,
// "Similarity estimation techniques from rounding algorithms", 2002). Without
// the rotation every component would count alike, and in latent semantic
// vectors, whose first components say most, the codes would miss a quarter of
// the nearest. The rotations are Hadamard transforms with random signs (Ailon &
// Chazelle, 2009), n·log n instead of n².
type space struct {
	dimensions int
	words      int // of 64 bits in a code: a multiple of 8
	flips      [rotations][]float32
	rows       int
	blocks     []*block
	spare      *block   // to come, made beforehand; for the writer
	row        []uint32 // by chunk number: 1 + its row, or 0; for the writer
}

// block is blockRows rows.
type block struct {
	heads  []uint64 // the first headWords of each code
	tails  []uint64 // and the others
	values []int16
	scales []float32 // value · scale is the component
	chunks []uint32
	slots  []uint32 // of the chunks' documents
}

// code is the whole code of row i.
func (b *block) code(i int) []uint64 {
	tail := len(b.tails) / blockRows
	return slices.Concat(b.heads[i*headWords:][:headWords], b.tails[i*tail:][:tail])
}

// coded is a vector as it is stored.
type coded struct {
	code   []uint64
	values []int16
	scale  float32 // 0 for the zero vector
}

func newSpace(dimensions int) *space {
	s := &space{dimensions: dimensions, words: 8}
	if dimensions > 512 {
		s.words = 16
	}
	size := max(64*s.words, 1<<bits.Len(uint(dimensions-1)))
	rng := rand.New(rand.NewPCG(uint64(dimensions), 0)) // the same after a restart
	for r := range s.flips {
		s.flips[r] = make([]float32, size)
		for i := range s.flips[r] {
			s.flips[r][i] = float32(2*rng.IntN(2) - 1)
		}
	}
	return s
}

func (s *space) newBlock() *block {
	return &block{heads: make([]uint64, blockRows*headWords), tails: make([]uint64, blockRows*(s.words-headWords)), values: make([]int16, blockRows*s.dimensions),
		scales: make([]float32, blockRows), chunks: make([]uint32, blockRows), slots: make([]uint32, blockRows)}
}

// check refuses what no embedder should return.
func (s *space) check(v []float32) error {
	if len(v) != s.dimensions {
		return &ibid.Error{Code: ibid.CodeVectorDB,
			Message: fmt.Sprintf("the vector has %d dimensions, those of its space have %d", len(v), s.dimensions),
			Hint:    "another embedding model answers to the same name: embed the documents again"}
	}
	for _, c := range v {
		if f := float64(c); math.IsNaN(f) || math.IsInf(f, 0) {
			return ibid.Errorf(ibid.CodeVectorDB, "a component of the vector is no number")
		}
	}
	return nil
}

// encode scales v to length 1, rounds it to 16 bits and takes its code.
func (s *space) encode(v []float32) coded {
	c := coded{values: make([]int16, len(v)), code: make([]uint64, s.words)}
	var sum, most float64
	for _, x := range v {
		sum += float64(x) * float64(x)
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 {
		return c
	}
	toInt := math.MaxInt16 / most
	for i, x := range v {
		c.values[i] = int16(math.Round(float64(x) * toInt))
	}
	c.scale = float32(1 / toInt / math.Sqrt(sum))
	rotated := make([]float32, len(s.flips[0]))
	for i, x := range c.values { // the code of what is stored, whatever the precision of v
		rotated[i] = float32(x)
	}
	for _, flips := range s.flips {
		for i, f := range flips {
			rotated[i] *= f
		}
		hadamard(rotated)
	}
	for i, x := range rotated[:64*s.words] {
		if x > 0 {
			c.code[i/64] |= 1 << (i % 64)
		}
	}
	return c
}

// hadamard transforms v, whose length is a power of two, in place.
func hadamard(v []float32) {
	for h := 1; h < len(v); h *= 2 {
		for i := 0; i < len(v); i += 2 * h {
			a, b := v[i:i+h], v[i+h:i+2*h]
			for j, x := range a {
				y := b[j]
				a[j], b[j] = x+y, x-y
			}
		}
	}
}

func (s *space) at(row int) (*block, int) { return s.blocks[row/blockRows], row % blockRows }

func (s *space) values(row int) []int16 {
	b, i := s.at(row)
	return b.values[i*s.dimensions:][:s.dimensions]
}

// put stores a vector, replacing the one the chunk had.
func (s *space) put(chunk, at uint32, c coded) {
	row, has := s.rowOf(chunk)
	if !has {
		row = s.rows
		if s.rows == len(s.blocks)*blockRows {
			s.blocks = append(s.blocks, s.nextBlock())
		}
		s.rows++
	}
	s.set(row, chunk, at, c)
}

// provide makes the block that n more rows may need, before any search waits.
func (s *space) provide(n int) {
	if s.spare == nil && s.rows+n > len(s.blocks)*blockRows {
		s.spare = s.newBlock()
	}
}

func (s *space) nextBlock() *block {
	b := s.spare
	s.spare = nil
	if b == nil {
		b = s.newBlock()
	}
	return b
}

// rowOf returns the row of a chunk.
func (s *space) rowOf(chunk uint32) (row int, has bool) {
	if int(chunk) >= len(s.row) || s.row[chunk] == 0 {
		return 0, false
	}
	return int(s.row[chunk]) - 1, true
}

func (s *space) set(row int, chunk, at uint32, c coded) {
	if n := int(chunk) + 1; n > len(s.row) {
		s.row = append(s.row, make([]uint32, n-len(s.row))...)
	}
	s.row[chunk] = uint32(row) + 1
	b, i := s.at(row)
	b.chunks[i], b.slots[i], b.scales[i] = chunk, at, c.scale
	copy(b.values[i*s.dimensions:][:s.dimensions], c.values)
	copy(b.heads[i*headWords:][:headWords], c.code)
	copy(b.tails[i*(s.words-headWords):][:s.words-headWords], c.code[headWords:])
}

// remove takes a chunk's vector out; the last row takes its place.
func (s *space) remove(chunk uint32) {
	row, has := s.rowOf(chunk)
	if !has {
		return
	}
	s.row[chunk] = 0
	s.rows--
	if row != s.rows {
		b, i := s.at(s.rows)
		s.set(row, b.chunks[i], b.slots[i],
			coded{b.code(i), b.values[i*s.dimensions:][:s.dimensions], b.scales[i]})
	}
	s.blocks = s.blocks[:(s.rows+blockRows-1)/blockRows]
}

// cosine returns the cosine between a vector and that of a row.
func (s *space) cosine(c coded, row int) float32 {
	b, i := s.at(row)
	return float32(float64(dot(c.values, s.values(row))) * float64(c.scale) * float64(b.scales[i]))
}

// dot is the inner product of two 16-bit vectors of one length. No component is
// -1<<15, so the sum of two products fits into 32 bits.
func dot(a, b []int16) int64 {
	b = b[:len(a)]
	var s0, s1 int64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := (*[4]int16)(a[i:]), (*[4]int16)(b[i:])
		s0 += int64(int32(x[0])*int32(y[0]) + int32(x[1])*int32(y[1]))
		s1 += int64(int32(x[2])*int32(y[2]) + int32(x[3])*int32(y[3]))
	}
	for ; i < len(a); i++ {
		s0 += int64(int32(a[i]) * int32(b[i]))
	}
	return s0 + s1
}

func (s *space) bytes() int64 {
	perRow := int64(8*s.words + 2*s.dimensions + 4 + 4 + 4)
	return int64(len(s.blocks))*blockRows*perRow + 4*int64(cap(s.row))
}
