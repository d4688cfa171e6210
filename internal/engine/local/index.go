// Package local is the embedded search index: BM25 over an inverted index and
// vector search over 1-bit codes, both in memory, updated in place.
//
//	Index
//	├── terms      term → number, one dictionary for all fields
//	├── slots      documents: category, folder, language, title terms
//	├── chunks     chunk id → number
//	├── segments   up to 65,536 chunks each; the last one grows
//	│     term number → occurrences, ascending: chunk<<16 | position
//	└── spaces     by embedder: a 1-bit code and a 16-bit vector per chunk
//
// A replaced or deleted chunk stays in its segment, marked dead, until the
// segment is merged. Everything that scores depend on (document frequencies,
// lengths, counts) leaves dead chunks out, so scores are those of an index built
// from scratch.
//
// One writer at a time holds Index.writer. What searches see changes only under
// Index.mu, held for a fraction of a millisecond at a time.
package local

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/text"
)

// Config sets up an index. The zero Config suits everyone.
type Config struct {
	SegmentChunks int // chunks in a segment; 0 stands for the most, 65,536
}

// Index is safe for concurrent searches and updates.
type Index struct {
	segmentChunks int
	readers       sync.Pool // of *reader
	scratches     sync.Pool // of *scratch

	// writer serialises updates and guards what only they need.
	writer  sync.Mutex
	parts   [][]part         // by slot: where the chunks are
	changed []uint32         // by term number: 1 + its place in the addition that is prepared
	free    []uint32         // slots to use again
	removed map[string]int64 // by id of a document that is gone: the number of the change
	applied atomic.Int64     // the highest change number that was applied

	// mu guards what searches read. Updates change it under both locks, and
	// read it under writer alone.
	mu        sync.RWMutex
	documents map[string]uint32 // document id → slot
	terms     map[string]uint32
	slots     []slot
	chunks    chunkTable
	labels    labels
	titles    titleField
	segments  []*segment // the last one grows, unless it is full
	totals    totals
	spaces    map[string]*space
}

// slot is what searches know of a document.
type slot struct {
	id               string   // "" when the slot is free
	category, folder uint32   // labels
	language         uint32   // label; that of all its chunks
	change           int64    // number of the library's change that it is of
	marks            []uint32 // labels of its tags and metadata, and of its principal, last
	principal        uint32   // label
	title            []titleTerm
}

// part is a run of chunks of one document within a segment.
type part struct {
	segment  *segment
	from, to int
}

// totals count living chunks; lengths are in terms.
type totals struct {
	chunks        int
	bodyLength    int64
	headings      int // chunks that have one
	headingLength int64
	languages     map[string]int
}

// New returns an empty index.
func New(cfg Config) *Index {
	x := &Index{segmentChunks: min(cmp.Or(cfg.SegmentChunks, maxSegmentChunks), maxSegmentChunks)}
	x.readers.New = func() any { return &reader{memos: make(map[string]*text.Memo)} }
	x.scratches.New = func() any { return new(scratch) }
	x.reset()
	return x
}

func (x *Index) reset() {
	x.documents, x.chunks = make(map[string]uint32), chunkTable{numbers: make(map[string]uint32)}
	x.parts, x.free = nil, nil
	x.terms = make(map[string]uint32)
	x.slots, x.segments = nil, nil
	x.labels = newLabels()
	x.titles = titleField{postings: make(map[uint32][]titlePosting)}
	x.totals = totals{languages: make(map[string]int)}
	x.spaces, x.removed = make(map[string]*space), make(map[string]int64)
	x.applied.Store(0)
}

// lockedChunks is how many chunks are added while searches wait, some hundredths
// of a millisecond.
const lockedChunks = 32

// put adds a document, or replaces all of its chunks at once: no search sees
// some of the old and some of the new. Chunks that keep their id keep their
// vectors. A chunk whose id another document holds, or that comes twice, is
// left out. number is that of the library's change.
func (x *Index) put(number int64, doc ibid.Document, chunks []ibid.Chunk) {
	// Words are cut before any lock is taken: documents can be put in parallel.
	r := x.readers.Get().(*reader)
	defer x.readers.Put(r)
	read := r.document(doc, chunks)

	x.writer.Lock()
	defer x.writer.Unlock()
	at, known := x.documents[doc.ID]
	if x.isOld(doc.ID, at, known, number) {
		return
	}
	if !known {
		at = x.freeSlot()
	}
	read.chunks = x.ownChunks(at, read.chunks)

	// New chunks enter dead and come alive together.
	var parts []part
	for rest := read.chunks; len(rest) > 0; {
		var n int
		parts, n = x.append(parts, at, rest)
		rest = rest[n:]
	}
	stays := chunksOf(parts)
	x.lock()
	x.documents[doc.ID] = at
	x.slots[at].id, x.slots[at].change = doc.ID, number
	delete(x.removed, doc.ID)
	x.slots[at].category, x.slots[at].folder = x.labels.number(doc.Category), x.labels.number(doc.Folder)
	x.setMarks(at, x.labels.marks(doc))
	x.setTitle(at, read.title)
	x.exchange(at, parts, stays, x.labels.number(read.language))
	x.mu.Unlock()
	x.maintain()
}

// remove takes a document and its chunks out of search.
func (x *Index) remove(number int64, documentID string) {
	x.writer.Lock()
	defer x.writer.Unlock()
	at, known := x.documents[documentID]
	if x.isOld(documentID, at, known, number) {
		return
	}
	if number > 0 {
		x.removed[documentID] = number
	}
	if !known {
		return
	}
	x.lock()
	x.exchange(at, nil, nil, 0)
	x.setTitle(at, nil)
	x.setMarks(at, nil)
	x.slots[at] = slot{}
	delete(x.documents, documentID)
	x.mu.Unlock()
	x.free = append(x.free, at)
	x.maintain()
}

func (x *Index) freeSlot() uint32 {
	if n := len(x.free); n > 0 {
		at := x.free[n-1]
		x.free = x.free[:n-1]
		return at
	}
	x.parts = append(x.parts, nil)
	x.lock()
	defer x.mu.Unlock()
	x.slots = append(x.slots, slot{})
	return uint32(len(x.slots) - 1)
}

// ownChunks leaves out the chunks whose ids are taken.
func (x *Index) ownChunks(at uint32, chunks []readChunk) []readChunk {
	seen := make(map[string]bool, len(chunks))
	kept := chunks[:0]
	for _, c := range chunks {
		n, taken := x.chunks.numbers[c.id]
		if seen[c.id] || taken && x.chunks.owners[n] != at {
			continue
		}
		seen[c.id] = true
		kept = append(kept, c)
	}
	return kept
}

// append adds the first of some chunks to the growing segment, dead, and returns
// how many.
func (x *Index) append(parts []part, at uint32, chunks []readChunk) ([]part, int) {
	s := x.growing()
	chunks = chunks[:min(len(chunks), lockedChunks, x.segmentChunks-len(s.chunks))]
	a, from := x.prepare(s, chunks), len(s.chunks)
	x.lock()
	x.add(s, a, at)
	x.mu.Unlock()
	to := from + len(chunks)
	if n := len(parts); n > 0 && parts[n-1].segment == s && parts[n-1].to == from {
		parts[n-1].to = to
		return parts, len(chunks)
	}
	return append(parts, part{s, from, to}), len(chunks)
}

// growing returns the segment that grows, a new one as needed.
func (x *Index) growing() *segment {
	if n := len(x.segments); n > 0 && x.segments[n-1].grows(x.segmentChunks) {
		return x.segments[n-1]
	}
	s := newSegment(x.segmentChunks)
	x.lock()
	defer x.mu.Unlock()
	x.segments = append(x.segments, s)
	return s
}

const (
	lockPatience = 5 * time.Millisecond
	lockPause    = 50 * time.Microsecond
)

// lock takes mu for an update, in a gap between searches if one comes soon. An
// update that waits for mu lets no new search begin, and both halves of one
// search take it: the second would wait for the update, and that for the first
// half.
func (x *Index) lock() {
	for began := time.Now(); time.Since(began) < lockPatience; time.Sleep(lockPause) {
		if x.mu.TryLock() {
			return
		}
	}
	x.mu.Lock()
}

// number returns the number of a term, giving a new term the next one.
func (x *Index) number(term string) uint32 {
	n, ok := x.terms[term]
	if !ok {
		n = uint32(len(x.terms))
		x.terms[strings.Clone(term)] = n // not the text it may be part of
	}
	return n
}

// chunksOf are the numbers of the chunks in parts.
func chunksOf(parts []part) map[uint32]bool {
	chunks := make(map[uint32]bool)
	for _, p := range parts {
		for i := p.from; i < p.to; i++ {
			chunks[p.segment.chunks[i]] = true
		}
	}
	return chunks
}

// exchange kills the chunks of a document, of which some stay in other parts, and
// brings those of parts alive, which are in the language of that label.
func (x *Index) exchange(at uint32, parts []part, stays map[uint32]bool, language uint32) {
	old := x.labels.names[x.slots[at].language]
	for _, p := range x.parts[at] {
		for i := p.from; i < p.to; i++ {
			p.segment.setAlive(i, false)
			x.totals.add(p.segment, i, -1, old)
			if n := p.segment.chunks[i]; !stays[n] {
				for _, s := range x.spaces {
					s.remove(n)
				}
				x.chunks.remove(n)
			}
		}
	}
	x.slots[at].language = language
	for _, p := range parts {
		for i := p.from; i < p.to; i++ {
			p.segment.setAlive(i, true)
			x.totals.add(p.segment, i, 1, x.labels.names[language])
		}
	}
	x.parts[at] = parts
}

// add counts chunk i of s, in its language, in (n = 1) or out (n = -1).
func (t *totals) add(s *segment, i, n int, language string) {
	t.chunks += n
	t.bodyLength += int64(n) * int64(s.bodyLength[i])
	if h := s.headingLength[i]; h > 0 {
		t.headings += n
		t.headingLength += int64(n) * int64(h)
	}
	if t.languages[language] += n; t.languages[language] == 0 {
		delete(t.languages, language)
	}
}
