package local

import "slices"

// maxSegmentChunks is as many chunks as the upper half of an occurrence can
// number.
const maxSegmentChunks = 1 << 16

// segment holds the postings of up to 65,536 chunks in one of two forms: lists,
// which can grow, and flat, which a merge leaves.
type segment struct {
	chunks        []uint32 // numbers of the chunks
	slots         []uint32 // of their documents
	bodyLength    []uint32 // in terms, headings included
	headingLength []uint16
	alive         []bool
	dead          int

	lists [][]uint32 // by term number: occurrences, ascending
	// flat[starts[t]:starts[t+1]] are the occurrences of term t.
	starts []uint32
	flat   []uint32
	common map[uint32]frequency // of terms with long lists, as long as nothing is dead
}

// frequency is in how many chunks a term stands, and in how many headings.
type frequency struct{ body, heading int }

// longList is from how many occurrences on it is worth remembering how often a
// term occurs. A few thousand terms of a full segment have as many.
const longList = 512

func (s *segment) grows(limit int) bool { return s.starts == nil && len(s.chunks) < limit }

// newSegment returns an empty segment with room for as many chunks as it may get:
// searches never wait for its arrays to be copied.
func newSegment(chunks int) *segment {
	return &segment{chunks: make([]uint32, 0, chunks), slots: make([]uint32, 0, chunks), bodyLength: make([]uint32, 0, chunks),
		headingLength: make([]uint16, 0, chunks), alive: make([]bool, 0, chunks)}
}

// append adds a chunk, dead for now, whose occurrences are in the lists.
func (s *segment) append(c readChunk, chunk, at uint32) {
	s.chunks = append(s.chunks, chunk)
	s.slots = append(s.slots, at)
	s.bodyLength = append(s.bodyLength, uint32(len(c.terms)))
	s.headingLength = append(s.headingLength, uint16(c.headingLength))
	s.alive = append(s.alive, false)
	s.dead++
}

// insert appends an occurrence. Within a chunk they come almost in order: a
// joined form or a capped position may repeat.
func insert(list []uint32, o uint32) []uint32 {
	list = append(list, o)
	for i := len(list) - 1; i > 0 && list[i-1] > list[i]; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	return list
}

func (s *segment) setAlive(i int, alive bool) {
	if s.alive[i] == alive {
		return
	}
	s.alive[i] = alive
	if alive {
		s.dead--
	} else {
		s.dead++
	}
}

// occurrences returns the ascending occurrences of a term.
func (s *segment) occurrences(term uint32) []uint32 {
	t := int(term)
	if s.starts != nil {
		if t+1 >= len(s.starts) {
			return nil
		}
		return s.flat[s.starts[t]:s.starts[t+1]]
	}
	if t >= len(s.lists) {
		return nil
	}
	return s.lists[t]
}

// terms is one more than the highest term number in the segment.
func (s *segment) terms() int {
	if s.starts != nil {
		return len(s.starts) - 1
	}
	return len(s.lists)
}

// frequencyOf is the frequency of a term among the living.
func (s *segment) frequencyOf(term uint32) frequency {
	if s.dead == 0 {
		if f, known := s.common[term]; known {
			return f
		}
	}
	return s.frequency(s.occurrences(term))
}

// countCommon remembers the frequencies of a flat segment's long lists.
func (s *segment) countCommon() {
	s.common = make(map[uint32]frequency)
	for t := range uint32(s.terms()) {
		if list := s.occurrences(t); len(list) >= longList {
			s.common[t] = s.frequency(list)
		}
	}
}

// frequency counts the living chunks among occurrences, and those of them whose
// heading holds one.
func (s *segment) frequency(list []uint32) (f frequency) {
	last, lastHeading := ^uint32(0), ^uint32(0)
	for _, o := range list {
		chunk := o >> 16
		if s.dead > 0 && !s.alive[chunk] {
			continue
		}
		if chunk != last {
			f.body++
			last = chunk
		}
		if o&0xFFFF >= headingPosition && chunk != lastHeading {
			f.heading++
			lastHeading = chunk
		}
	}
	return f
}

// merge returns a flat segment of the living chunks of all of them.
func merge(segments []*segment) *segment {
	m := &segment{}
	renumber := make([][]uint32, len(segments))
	terms := 0
	for k, s := range segments {
		terms = max(terms, s.terms())
		renumber[k] = make([]uint32, len(s.chunks))
		for i := range s.chunks {
			if !s.alive[i] {
				continue
			}
			renumber[k][i] = uint32(len(m.chunks))
			m.chunks = append(m.chunks, s.chunks[i])
			m.slots = append(m.slots, s.slots[i])
			m.bodyLength = append(m.bodyLength, s.bodyLength[i])
			m.headingLength = append(m.headingLength, s.headingLength[i])
			m.alive = append(m.alive, true)
		}
	}
	m.starts = make([]uint32, terms+1)
	for t := range terms {
		for k, s := range segments {
			for _, o := range s.occurrences(uint32(t)) {
				if s.alive[o>>16] {
					m.flat = append(m.flat, renumber[k][o>>16]<<16|o&0xFFFF)
				}
			}
		}
		m.starts[t+1] = uint32(len(m.flat))
	}
	m.flat = slices.Clip(m.flat)
	m.countCommon()
	return m
}

func (s *segment) bytes() int64 {
	n := int64(cap(s.chunks))*(4+4+4+2+1) + 4*int64(len(s.starts)+cap(s.flat)) + 24*int64(cap(s.lists))
	n += 48 * int64(len(s.common))
	for _, l := range s.lists {
		n += 4 * int64(cap(l))
	}
	return n
}
