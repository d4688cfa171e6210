package local

import "strings"

// addition is what some chunks add to the growing segment. It is made while
// searches go on, which see none of it: memory that they may read is not
// written. What is left to do under the lock copies and allocates nothing but
// for words that are new.
type addition struct {
	chunks []readChunk
	terms  []string      // new ones, numbered from the end of the dictionary on
	lists  []changedList // the lists that grow
	longer [][]uint32    // takes the place of the segment's lists; nil where they suffice
	ids    []string      // takes the place of the table's ids; nil where they suffice
}

type changedList struct {
	term uint32
	list []uint32
}

// prepare makes the addition of chunks to s. Only the writer changes what it
// reads, so it needs no lock.
func (x *Index) prepare(s *segment, chunks []readChunk) addition {
	a := addition{chunks: chunks, ids: x.chunks.roomier(len(chunks))}
	fresh := make(map[string]uint32)
	for k, c := range chunks {
		first := uint32(len(s.chunks)+k) << 16
		for _, o := range c.terms {
			a.grow(x, s, x.numberOf(&a, fresh, o.term), first|uint32(o.position))
		}
	}
	most := 0
	for _, l := range a.lists {
		x.changed[l.term] = 0
		most = max(most, int(l.term)+1)
	}
	if most > len(s.lists) {
		a.longer = make([][]uint32, max(most, 2*len(s.lists)))
		copy(a.longer, s.lists)
	}
	return a
}

// numberOf returns the number of a term, that which it will have where it is new.
func (x *Index) numberOf(a *addition, fresh map[string]uint32, term string) uint32 {
	if n, known := x.terms[term]; known {
		return n
	}
	n, known := fresh[term]
	if !known {
		n = uint32(len(x.terms) + len(a.terms))
		term = strings.Clone(term) // not the text it may be part of
		fresh[term] = n
		a.terms = append(a.terms, term)
	}
	return n
}

// grow appends an occurrence to the list of a term, beyond what searches read of
// it.
func (a *addition) grow(x *Index, s *segment, term, occurrence uint32) {
	if n := int(term) + 1; n > len(x.changed) {
		x.changed = append(x.changed, make([]uint32, n-len(x.changed))...)
	}
	if x.changed[term] == 0 {
		a.lists = append(a.lists, changedList{term: term, list: s.occurrences(term)})
		x.changed[term] = uint32(len(a.lists))
	}
	l := &a.lists[x.changed[term]-1]
	l.list = insert(l.list, occurrence)
}

// add lets searches see an addition, whose chunks are dead for now.
func (x *Index) add(s *segment, a addition, at uint32) {
	for _, term := range a.terms {
		x.terms[term] = uint32(len(x.terms))
	}
	if a.ids != nil {
		x.chunks.ids = a.ids
	}
	if a.longer != nil {
		s.lists = a.longer
	}
	for _, l := range a.lists {
		s.lists[l.term] = l.list
	}
	for _, c := range a.chunks {
		s.append(c, x.chunks.number(c.id, at), at)
	}
}
