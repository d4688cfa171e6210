package local

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A snapshot is the magic line and then frames, each
//
//	kind (1 byte) · length (8 bytes) · CRC-32C of the content (4 bytes) · content
//
// little-endian: head, terms, documents, numbers of their changes, chunks, one frame
// per segment, per space a space frame and its blocks, and an end frame, without
// which it was cut short. Older snapshots have no numbers of changes.
// What a frame says is trusted once its checksum is right, but for sizes.
const magic = "ibid index 4\n"

const (
	frameHead      = 'h'
	frameTerms     = 't'
	frameDocuments = 'd'
	frameChanges   = 'n'
	frameChunks    = 'c'
	frameSegment   = 's'
	frameSpace     = 'v'
	frameBlock     = 'b'
	frameEnd       = 'e'
)

// ErrDamaged says that a snapshot cannot be used. The index is built anew from
// the database then.
var ErrDamaged = errors.New("the index snapshot is damaged or of another version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Save writes a snapshot. Searches go on meanwhile, updates wait.
func (x *Index) Save(w io.Writer) error {
	x.writer.Lock()
	defer x.writer.Unlock()
	return x.save(w)
}

// save is Save for who holds writer.
func (x *Index) save(w io.Writer) error {
	out := &frameWriter{w: bufio.NewWriterSize(w, 1<<20)}
	_, out.err = out.w.WriteString(magic)
	e := &out.encoder

	e.uint64(uint64(x.applied.Load()))
	e.string("") // where older versions named a space
	out.end(frameHead)

	terms := make([]string, len(x.terms))
	for t, n := range x.terms {
		terms[n] = t
	}
	e.strings(terms)
	out.end(frameTerms)

	x.saveDocuments(e)
	out.end(frameDocuments)

	e.uint32(uint32(len(x.slots)))
	for _, s := range x.slots {
		e.uint64(uint64(s.change))
	}
	out.end(frameChanges)

	e.strings(x.chunks.ids)
	e.uint32s(x.chunks.owners)
	out.end(frameChunks)

	for _, s := range x.segments {
		if s.starts == nil || s.dead > 0 {
			s = merge([]*segment{s})
		}
		s.save(e)
		out.end(frameSegment)
	}
	for name, s := range x.spaces {
		e.string(name)
		e.uint64(uint64(s.dimensions))
		e.uint64(uint64(s.rows))
		out.end(frameSpace)
		for k, b := range s.blocks {
			s.saveBlock(e, b, min(blockRows, s.rows-k*blockRows))
			out.end(frameBlock)
		}
	}
	out.end(frameEnd)
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		return fmt.Errorf("save the index: %w", out.err)
	}
	return nil
}

func (x *Index) saveDocuments(e *encoder) {
	e.strings(x.labels.names)
	e.uint64(uint64(len(x.slots)))
	for _, s := range x.slots {
		e.string(s.id)
		if s.id == "" {
			continue
		}
		e.uint32(s.category)
		e.uint32(s.folder)
		e.uint32(s.language)
		e.uint32s(s.marks)
		e.uint32(uint32(len(s.title)))
		for _, t := range s.title {
			e.uint32(t.number)
			e.uint32(uint32(t.count))
		}
	}
}

func (s *segment) save(e *encoder) {
	e.uint32s(s.chunks)
	e.uint32s(s.slots)
	e.uint32s(s.bodyLength)
	e.uint16s(s.headingLength)
	e.uint32s(s.starts)
	e.uint32s(s.flat)
}

func (s *space) saveBlock(e *encoder, b *block, rows int) {
	e.uint32s(b.chunks[:rows])
	e.uint32s(b.slots[:rows])
	for _, v := range b.scales[:rows] {
		e.uint32(math.Float32bits(v))
	}
	for _, v := range b.values[:rows*s.dimensions] {
		e.buf = binary.LittleEndian.AppendUint16(e.buf, uint16(v))
	}
	for _, v := range b.heads[:rows*headWords] {
		e.uint64(v)
	}
	for _, v := range b.tails[:rows*(s.words-headWords)] {
		e.uint64(v)
	}
}

// Load replaces the index by a snapshot. The error is ErrDamaged when the snapshot
// is of no use; the index is as it was then.
func (x *Index) Load(r io.Reader) error {
	fresh := New(Config{SegmentChunks: x.segmentChunks})
	if err := fresh.load(r); err != nil {
		return fmt.Errorf("load the index: %w", err)
	}
	x.writer.Lock()
	defer x.writer.Unlock()
	x.lock()
	defer x.mu.Unlock()
	x.documents, x.parts, x.free = fresh.documents, fresh.parts, fresh.free
	x.terms, x.slots, x.chunks, x.labels, x.titles = fresh.terms, fresh.slots, fresh.chunks, fresh.labels, fresh.titles
	x.segments, x.totals, x.spaces, x.removed = fresh.segments, fresh.totals, fresh.spaces, fresh.removed
	x.applied.Store(fresh.applied.Load())
	return nil
}

// load fills an empty index.
func (x *Index) load(r io.Reader) error {
	in := frameReader{r: bufio.NewReaderSize(r, 1<<20)}
	line := make([]byte, len(magic))
	if _, err := io.ReadFull(in.r, line); err != nil || string(line) != magic {
		return fmt.Errorf("%w: it does not begin as one", ErrDamaged)
	}
	var current *space
	for {
		kind, d, err := in.next()
		if err != nil {
			return err
		}
		switch kind {
		case frameHead:
			x.applied.Store(int64(d.uint64()))
		case frameTerms:
			terms := d.strings()
			x.terms = make(map[string]uint32, len(terms))
			for i, t := range terms {
				x.terms[t] = uint32(i)
			}
		case frameDocuments:
			x.loadDocuments(d)
		case frameChanges:
			x.loadChanges(d)
		case frameChunks:
			x.loadChunks(d)
		case frameSegment:
			x.loadSegment(d)
		case frameSpace:
			current = x.loadSpace(d)
		case frameBlock:
			if current == nil {
				return fmt.Errorf("%w: vectors of no space", ErrDamaged)
			}
			x.loadBlock(d, current)
		case frameEnd:
			return nil
		default:
			return fmt.Errorf("%w: unknown part %q", ErrDamaged, kind)
		}
		if d.failed {
			return fmt.Errorf("%w: part %q does not add up", ErrDamaged, kind)
		}
	}
}

func (x *Index) loadDocuments(d *decoder) {
	for _, name := range d.strings() {
		x.labels.number(name)
	}
	n := d.uint64()
	for at := uint32(0); uint64(at) < n && !d.failed; at++ {
		s := slot{id: d.string()}
		x.parts = append(x.parts, nil)
		if s.id == "" {
			x.slots = append(x.slots, s)
			x.free = append(x.free, at)
			continue
		}
		x.documents[s.id] = at
		s.category, s.folder, s.language = d.uint32(), d.uint32(), d.uint32()
		marks := x.labels.withPrincipal(d.uint32s())
		d.require(int(max(s.category, s.folder, s.language)) < len(x.labels.names))
		for _, m := range marks {
			d.require(int(m) < len(x.labels.names))
		}
		titles := d.uint32()
		length := 0
		for range titles {
			t := titleTerm{d.uint32(), uint16(d.uint32())}
			if d.failed {
				return
			}
			d.require(int(t.number) < len(x.terms))
			s.title = append(s.title, t)
			length += int(t.count)
		}
		for _, t := range s.title {
			x.titles.add(t.number, titlePosting{at, t.count, uint16(length)})
		}
		if length > 0 {
			x.titles.count++
			x.titles.length += int64(length)
		}
		x.slots = append(x.slots, s)
		x.setMarks(at, marks)
	}
}

func (x *Index) loadChanges(d *decoder) {
	n := d.length(8)
	d.require(n == len(x.slots))
	for at := range x.slots {
		x.slots[at].change = int64(d.uint64())
	}
}

func (x *Index) loadChunks(d *decoder) {
	ids, owners := d.strings(), d.uint32s()
	d.require(len(owners) == len(ids))
	for _, at := range owners {
		d.require(int(at) < len(x.slots))
	}
	if d.failed {
		return
	}
	x.chunks = chunkTable{ids: ids, owners: owners, numbers: make(map[string]uint32, len(ids))}
	for n, id := range ids {
		if id == "" {
			x.chunks.free = append(x.chunks.free, uint32(n))
		} else {
			x.chunks.numbers[id] = uint32(n)
		}
	}
}

func (x *Index) loadSegment(d *decoder) {
	s := &segment{chunks: d.uint32s(), slots: d.uint32s(), bodyLength: d.uint32s(),
		headingLength: d.uint16s(), starts: d.uint32s(), flat: d.uint32s()}
	n := len(s.chunks)
	d.require(n <= maxSegmentChunks && len(s.slots) == n && len(s.bodyLength) == n &&
		len(s.headingLength) == n && len(s.starts) > 0)
	for _, c := range s.chunks {
		d.require(int(c) < len(x.chunks.ids))
	}
	if d.failed {
		return
	}
	for i := 1; i < len(s.starts); i++ {
		d.require(s.starts[i-1] <= s.starts[i])
	}
	d.require(s.starts[0] == 0 && int(s.starts[len(s.starts)-1]) == len(s.flat))
	for _, o := range s.flat {
		d.require(int(o>>16) < n)
	}
	for _, at := range s.slots {
		d.require(int(at) < len(x.slots))
	}
	if d.failed || n == 0 {
		return
	}
	s.alive = make([]bool, n)
	for i := range s.alive {
		s.alive[i] = true
		x.totals.add(s, i, 1, x.labels.names[x.slots[s.slots[i]].language])
	}
	s.countCommon()
	x.segments = append(x.segments, s)
	x.relocate(nil, s)
}

func (x *Index) loadSpace(d *decoder) *space {
	name, dimensions, rows := d.string(), d.uint64(), d.uint64()
	d.require(dimensions > 0 && dimensions <= maxDimensions && rows <= math.MaxUint32)
	if d.failed {
		return nil
	}
	s := newSpace(int(dimensions))
	s.row = make([]uint32, len(x.chunks.ids))
	x.spaces[name] = s
	return s
}

func (x *Index) loadBlock(d *decoder, s *space) {
	chunks, slots := d.uint32s(), d.uint32s()
	d.require(len(chunks) <= blockRows && len(slots) == len(chunks) && s.rows == len(s.blocks)*blockRows)
	if d.failed {
		return
	}
	b := s.newBlock()
	copy(b.chunks, chunks)
	copy(b.slots, slots)
	for i := range chunks {
		d.require(int(slots[i]) < len(x.slots) && int(chunks[i]) < len(x.chunks.ids))
		b.scales[i] = math.Float32frombits(d.uint32())
	}
	raw := d.bytes(2 * len(chunks) * s.dimensions)
	for i := range len(raw) / 2 {
		b.values[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	for i := range len(chunks) * headWords {
		b.heads[i] = d.uint64()
	}
	for i := range len(chunks) * (s.words - headWords) {
		b.tails[i] = d.uint64()
	}
	if d.failed {
		return
	}
	s.blocks = append(s.blocks, b)
	for _, c := range chunks {
		s.rows++
		s.row[c] = uint32(s.rows)
	}
}
