package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ibid"
)

const (
	// blockRows is how many vectors lie in one allocation.
	blockRows = 4096
	// rescored is how many of the nearest codes are scored exactly (recall@20
	// against a full scan: docs/retrieval.md); rescoredPerHit applies to
	// requests for very many.
	rescored       = 1000
	rescoredPerHit = 10
	// lockedVectors is how many vectors are stored while searches wait.
	lockedVectors = 256
	// farthest marks rows that are out of scope. No code is that long.
	farthest      = math.MaxUint16
	maxDimensions = 1 << 14
)

// space holds the vectors of one embedder, a row per chunk. Rows have no order;
// the last one fills a gap.
//
// A row is found by the Hamming distance of 1-bit codes, the signs of the vector
// minus the mean of all, and scored by the cosine of 16-bit vectors, exact to
// some 1e-5.
type space struct {
	dimensions int
	words      int // of 64 bits in a code
	rows       int
	blocks     []*block
	mean       []float32 // subtracted before the signs are taken
	coded      int       // rows when the mean was taken
	sum        []float64 // of all vectors
	row        map[string]uint32
}

// block is blockRows rows.
type block struct {
	codes  []uint64
	values []int16
	scales []float32 // value · scale is the component
	ids    []string
	slots  []uint32
}

func newSpace(dimensions int) *space {
	return &space{dimensions: dimensions, words: (dimensions + 63) / 64, mean: make([]float32, dimensions),
		sum: make([]float64, dimensions), row: make(map[string]uint32)}
}

// PutVectors stores one vector per chunk id in the named space, which comes into
// being with its first vector. Ids that are not in the index are left out: their
// documents went while they were embedded. Vectors are scaled to length 1.
func (x *Index) PutVectors(name string, ids []string, vecs [][]float32) error {
	if len(ids) != len(vecs) {
		return fmt.Errorf("put vectors: %d ids with %d vectors", len(ids), len(vecs))
	}
	if len(ids) == 0 {
		return nil
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
		x.mu.Lock()
		x.spaces[name] = s
		x.mu.Unlock()
	}
	for len(ids) > 0 {
		n := min(len(ids), lockedVectors)
		x.mu.Lock()
		for i, id := range ids[:n] {
			if at, known := x.chunkDoc[id]; known {
				s.put(id, at, vecs[i])
			}
		}
		x.mu.Unlock()
		ids, vecs = ids[n:], vecs[n:]
	}
	x.recode(s)
	return nil
}

// check refuses what no embedder should return.
func (s *space) check(v []float32) error {
	if len(v) != s.dimensions {
		return &ibid.Error{Code: ibid.CodeVectorDB,
			Message: fmt.Sprintf("the vector has %d dimensions, the others of its space have %d", len(v), s.dimensions),
			Hint:    "the embedding model was exchanged under the same name: embed the documents again"}
	}
	if len(v) == 0 || len(v) > maxDimensions {
		return ibid.Errorf(ibid.CodeVectorDB, "a vector has %d dimensions", len(v))
	}
	for _, c := range v {
		if f := float64(c); math.IsNaN(f) || math.IsInf(f, 0) {
			return ibid.Errorf(ibid.CodeVectorDB, "a vector holds a component that is no number")
		}
	}
	return nil
}

// UseSpace names the space that queries use now, which Stats counts.
func (x *Index) UseSpace(name string) error {
	x.writer.Lock()
	defer x.writer.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.used = name
	return nil
}

// DropSpace forgets the vectors of a space.
func (x *Index) DropSpace(name string) {
	x.writer.Lock()
	defer x.writer.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.spaces, name)
	if x.used == name {
		x.used = ""
	}
}

// Missing returns the ids of the chunks that have no vector in the named space,
// ascending.
func (x *Index) Missing(name string) []string {
	x.writer.Lock()
	defer x.writer.Unlock()
	s := x.spaces[name]
	var ids []string
	for id := range x.chunkDoc {
		if s == nil {
			ids = append(ids, id)
		} else if _, has := s.row[id]; !has {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (s *space) at(row int) (*block, int) { return s.blocks[row/blockRows], row % blockRows }

func (s *space) newBlock() *block {
	return &block{codes: make([]uint64, blockRows*s.words), values: make([]int16, blockRows*s.dimensions),
		scales: make([]float32, blockRows), ids: make([]string, blockRows), slots: make([]uint32, blockRows)}
}

// put stores a vector, replacing the one the chunk had.
func (s *space) put(id string, at uint32, v []float32) {
	row, has := s.row[id]
	if has {
		s.sumUp(int(row), -1)
	} else {
		row = uint32(s.rows)
		if s.rows == len(s.blocks)*blockRows {
			s.blocks = append(s.blocks, s.newBlock())
		}
		s.rows++
		s.row[id] = row
	}
	b, i := s.at(int(row))
	b.ids[i], b.slots[i] = id, at
	b.scales[i] = quantise(b.values[i*s.dimensions:][:s.dimensions], v)
	s.encode(b.codes[i*s.words:][:s.words], b, i, s.mean)
	s.sumUp(int(row), 1)
}

// remove takes a chunk's vector out; the last row takes its place.
func (s *space) remove(id string) {
	row, has := s.row[id]
	if !has {
		return
	}
	s.sumUp(int(row), -1)
	delete(s.row, id)
	s.rows--
	b, i := s.at(int(row))
	last, j := s.at(s.rows)
	if int(row) != s.rows {
		copy(b.codes[i*s.words:][:s.words], last.codes[j*s.words:])
		copy(b.values[i*s.dimensions:][:s.dimensions], last.values[j*s.dimensions:])
		b.scales[i], b.ids[i], b.slots[i] = last.scales[j], last.ids[j], last.slots[j]
		s.row[b.ids[i]] = row
	}
	last.ids[j] = ""
	s.blocks = s.blocks[:(s.rows+blockRows-1)/blockRows]
}

// sumUp counts a row's vector in or out of the sum.
func (s *space) sumUp(row int, sign float64) {
	b, i := s.at(row)
	scale := sign * float64(b.scales[i])
	for j, c := range b.values[i*s.dimensions:][:s.dimensions] {
		s.sum[j] += scale * float64(c)
	}
}

// quantise scales v to length 1 and rounds it to 16 bits. The scale of the zero
// vector is 0.
func quantise(to []int16, v []float32) (scale float32) {
	var sum, most float64
	for _, c := range v {
		sum += float64(c) * float64(c)
		most = max(most, math.Abs(float64(c)))
	}
	if most == 0 {
		clear(to)
		return 0
	}
	for i, c := range v {
		to[i] = int16(math.Round(float64(c) / most * math.MaxInt16))
	}
	return float32(most / math.MaxInt16 / math.Sqrt(sum))
}

// encode writes the signs of a row's vector minus mean.
func (s *space) encode(code []uint64, b *block, i int, mean []float32) {
	clear(code)
	for j, c := range b.values[i*s.dimensions:][:s.dimensions] {
		if float32(c)*b.scales[i] > mean[j] {
			code[j/64] |= 1 << (j % 64)
		}
	}
}

// recode takes the mean anew when the rows have doubled since it was taken. The
// codes are made aside; searches wait only for the exchange.
func (x *Index) recode(s *space) {
	if s.rows < 2*s.coded || s.rows == 0 {
		return
	}
	mean := make([]float32, s.dimensions)
	for j := range mean {
		mean[j] = float32(s.sum[j] / float64(s.rows))
	}
	codes := make([][]uint64, len(s.blocks))
	for k, b := range s.blocks {
		codes[k] = make([]uint64, blockRows*s.words)
		for i := range min(blockRows, s.rows-k*blockRows) {
			s.encode(codes[k][i*s.words:][:s.words], b, i, mean)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s.mean, s.coded = mean, s.rows
	for k, b := range s.blocks {
		b.codes = codes[k]
	}
}

// Vector returns the chunks whose vectors in the named space are nearest to vec
// by cosine, best first, ties by chunk id. Cosines of 0 and below are no hits.
func (x *Index) Vector(ctx context.Context, name string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	sc := x.scratches.Get().(*scratch)
	defer x.scratches.Put(sc)
	x.mu.RLock()
	defer x.mu.RUnlock()
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
	if limit <= 0 || s.rows == 0 {
		return nil, nil
	}
	query := make([]int16, s.dimensions)
	scale := quantise(query, vec)
	if scale == 0 {
		return nil, nil
	}
	code := make([]uint64, s.words)
	for j, c := range query {
		if float32(c)*scale > s.mean[j] {
			code[j/64] |= 1 << (j % 64)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search by vector: %w", err)
	}
	near := s.nearest(code, max(rescored, rescoredPerHit*limit), x.allowed(scope, sc), sc)
	best := top{limit: limit}
	for _, row := range near {
		b, i := s.at(int(row))
		v := float32(float64(dot(query, b.values[i*s.dimensions:][:s.dimensions])) * float64(scale) * float64(b.scales[i]))
		if v > 0 && v >= best.least() {
			best.offer(hit{v, b.ids[i]})
		}
	}
	return best.candidates(), nil
}

// nearest returns the rows whose codes are nearest to code: at least n, where
// there are as many in scope, and all at the last distance taken.
func (s *space) nearest(code []uint64, n int, allowed []bool, sc *scratch) []uint32 {
	distances := zeroed(&sc.distances, s.rows)
	counts := make([]int, s.words*64+1)
	for k, b := range s.blocks {
		rows := min(blockRows, s.rows-k*blockRows)
		d := distances[k*blockRows:][:rows]
		hamming(d, b.codes, code)
		for i := range d {
			if allowed != nil && !allowed[b.slots[i]] {
				d[i] = farthest
				continue
			}
			counts[d[i]]++
		}
	}
	limit, sum := 0, 0
	for ; limit < len(counts)-1; limit++ {
		if sum += counts[limit]; sum >= n {
			break
		}
	}
	near := sc.near[:0]
	for i, d := range distances {
		if int(d) <= limit {
			near = append(near, uint32(i))
		}
	}
	sc.near = near
	return near
}

// hamming writes the distances of consecutive codes to code.
func hamming(distances []uint16, codes, code []uint64) {
	words := len(code)
	for i := range distances {
		c := codes[i*words : i*words+words]
		n := 0
		for j, w := range code[:len(c)] {
			n += bits.OnesCount64(w ^ c[j])
		}
		distances[i] = uint16(n)
	}
}

// dot is the inner product of two 16-bit vectors of one length.
func dot(a, b []int16) int64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += int64(int32(x[0]) * int32(y[0]))
		s1 += int64(int32(x[1]) * int32(y[1]))
		s2 += int64(int32(x[2]) * int32(y[2]))
		s3 += int64(int32(x[3]) * int32(y[3]))
	}
	for ; i < len(a); i++ {
		s0 += int64(int32(a[i]) * int32(b[i]))
	}
	return s0 + s1 + s2 + s3
}

func (s *space) bytes() int64 {
	perRow := int64(8*s.words + 2*s.dimensions + 4 + 16 + 4)
	return int64(len(s.blocks))*blockRows*perRow + int64(s.rows)*48
}
