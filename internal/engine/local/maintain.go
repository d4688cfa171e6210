package local

import (
	"cmp"
	"slices"
)

// maintain merges segments that are full, have many dead, or are too many. The
// writer pays for it, between 10 and 100 ms for a full segment; searches wait
// only for the exchange of a slice.
func (x *Index) maintain() {
	for {
		merged := x.mergeable()
		if len(merged) == 0 {
			return
		}
		m := merge(merged)
		segments := make([]*segment, 0, len(x.segments))
		if len(m.chunks) > 0 {
			segments = append(segments, m)
		}
		for _, s := range x.segments {
			if !slices.Contains(merged, s) {
				segments = append(segments, s) // the growing one stays last
			}
		}
		x.lock()
		x.segments = segments
		x.mu.Unlock()
		x.relocate(merged, m)
	}
}

// fewDead is how many dead chunks a segment always bears.
const fewDead = 256

// mergeable returns the segments to merge into one, none when all is well.
func (x *Index) mergeable() []*segment {
	bears := min(fewDead, x.segmentChunks/4)
	var flat []*segment
	for i, s := range x.segments {
		last := i == len(x.segments)-1
		switch {
		case s.dead > bears && 4*s.dead > len(s.chunks):
			return []*segment{s}
		case s.starts == nil && !(last && s.grows(x.segmentChunks)):
			return []*segment{s} // full: flatten it
		case s.starts != nil:
			flat = append(flat, s)
		}
	}
	// Merged segments shrink. Two that fit into one become one when there
	// are twice as many as it takes.
	if len(flat) < 2 || len(flat) <= 2*(1+x.totals.chunks/x.segmentChunks) {
		return nil
	}
	slices.SortFunc(flat, func(a, b *segment) int { return cmp.Compare(len(a.chunks), len(b.chunks)) })
	if len(flat[0].chunks)+len(flat[1].chunks) > x.segmentChunks {
		return nil
	}
	return flat[:2]
}

// relocate tells the documents whose chunks a merge moved where they are now.
func (x *Index) relocate(merged []*segment, m *segment) {
	cleared := make(map[uint32]bool)
	for i := 0; i < len(m.chunks); {
		at, from := m.slots[i], i
		for i < len(m.chunks) && m.slots[i] == at {
			i++
		}
		if !cleared[at] {
			cleared[at] = true
			x.parts[at] = slices.DeleteFunc(x.parts[at], func(p part) bool {
				return slices.Contains(merged, p.segment)
			})
		}
		x.parts[at] = append(x.parts[at], part{m, from, i})
	}
}
