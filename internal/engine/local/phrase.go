package local

// filter says by segment and chunk whether all quoted phrases are there. The
// zero filter lets everything pass.
type filter [][]bool

func (f filter) of(segment int) []bool {
	if f == nil {
		return nil
	}
	return f[segment]
}

// phraseFilter finds the chunks that hold every phrase of the query. Where none
// in scope does, nothing is filtered.
func (x *Index) phraseFilter(q parsed, allowed []bool) filter {
	if len(q.phrases) == 0 {
		return nil
	}
	numbers := make([][]uint32, len(q.phrases))
	for i, phrase := range q.phrases {
		for _, t := range phrase {
			n, ok := x.terms[t]
			if !ok {
				return nil
			}
			numbers[i] = append(numbers[i], n)
		}
	}
	f := make(filter, len(x.segments))
	any := false
	for i, s := range x.segments {
		f[i] = make([]bool, len(s.chunks))
		counts := make([]int, len(s.chunks)) // phrases seen, in order
		for k, phrase := range numbers {
			for _, o := range s.phrase(phrase) {
				if counts[o>>16] == k {
					counts[o>>16]++
				}
			}
		}
		for c, n := range counts {
			f[i][c] = n == len(numbers) && s.alive[c] && (allowed == nil || allowed[s.slots[c]])
			any = any || f[i][c]
		}
	}
	if !any {
		return nil
	}
	return f
}

// phrase returns where the terms stand in a row: the occurrences of the last.
func (s *segment) phrase(terms []uint32) []uint32 {
	found := s.occurrences(terms[0])
	for _, t := range terms[1:] {
		found = followers(found, s.occurrences(t))
	}
	return found
}

// followers returns the occurrences in second that directly follow one in first.
func followers(first, second []uint32) []uint32 {
	found := followed(nil, first, second)
	for i := range found {
		found[i]++
	}
	return found
}
