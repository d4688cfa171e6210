package evidence

import (
	"math"
	"math/bits"
	"slices"

	"ibid/internal/question"
	"ibid/internal/text"
)

// scan goes through a sentence word by word and fills the signals that need the
// words in their order. Its buffers are used again for the next sentence.
type scan struct {
	q       *asked
	c       *candidate
	words   int    // so far
	content int    // of them, those that are no stop words
	number  int    // the last number's position
	last    int8   // the last content word's term, -1 for none of the question's
	exact   uint64 // which of the question's identifiers were met
	pairs   uint64
	matched []int  // positions of the question's terms
	answers []int  // positions of what may be the answer
	order   []int8 // the question's terms as they come
}

// read fills a candidate from its sentence. The words of a row's header count
// as its own, but are no evidence.
func (s *scan) read(q *asked, c *candidate, sentence string) {
	*s = scan{q: q, c: c, number: -10, last: -1, matched: s.matched[:0], answers: s.answers[:0], order: s.order[:0]}
	s.see(c.Header, nil)
	e := expected{kind: q.kind}
	s.see(sentence, &e)
	if q.kind == question.KindReason && givesReason(sentence, q.lexicon) {
		e.best = 1
	}
	s.fill(&c.signals, e.best)
}

func (s *scan) see(part string, e *expected) {
	for w := range text.Words(part) {
		m := s.q.meaning(w.Text)
		s.c.terms |= bit(m.term)
		s.c.related |= m.related
		if w.Joined {
			if i := slices.Index(s.q.exact, w.Text); i >= 0 {
				s.exact |= 1 << i
			}
			continue
		}
		s.words++
		upper := capital(part, w.Start)
		if e != nil {
			e.see(m, upper)
		}
		s.place(m, upper)
	}
}

// place notes where a word stands.
func (s *scan) place(m meaning, upper bool) {
	if mayAnswer(s.q.kind, m, upper, s.words == 1) {
		s.answers = append(s.answers, s.words)
	}
	if m.traits&(isFigures|isNumberWord) != 0 {
		s.number = s.words
	}
	if !m.content {
		return
	}
	s.content++
	if m.term >= 0 {
		if m.term == s.q.counted && s.words-s.number <= 3 {
			s.c.signals[sCounted] = 1
		}
		s.matched = append(s.matched, s.words)
		s.order = append(s.order, m.term)
		s.pairs |= s.q.pairs[[2]int8{s.last, m.term}]
	}
	s.last = m.term
}

func (s *scan) fill(sig *signals, best float64) {
	sig[sEvidence] = best
	if n := len(s.q.pairs); n > 0 {
		sig[sPairs] = float64(bits.OnesCount64(s.pairs)) / float64(n)
	}
	if n := len(s.q.exact); n > 0 {
		sig[sExact] = float64(bits.OnesCount64(s.exact)) / float64(n)
	}
	if s.content > 0 {
		sig[sDensity] = float64(len(s.matched)) / float64(s.content)
		sig[sNovelty] = min(1, float64(s.content-len(s.matched))/10)
	}
	sig[sNear] = nearness(s.matched, s.answers)
	sig[sOrder] = float64(rising(s.order)) / float64(max(1, len(s.q.terms)))
	if s.words < 5 {
		sig[sShort] = 1
	}
}

// nearness is 1 when a matched term stands beside a possible answer, and less
// the farther the nearest five are.
func nearness(matched, answers []int) float64 {
	best := 0.0
	for _, a := range answers {
		sum := 0.0
		for _, m := range matched {
			sum += 1 / (1 + math.Abs(float64(a-m))/4)
		}
		best = max(best, sum)
	}
	return min(1, best/4)
}

// rising is the length of the longest rising subsequence. As terms are numbered
// in the order of the question, that is how many come in its order.
func rising(order []int8) int {
	var buffer [maxAsked]int8
	ends := buffer[:0] // of the best subsequence of each length, the smallest end
	for _, t := range order {
		if i, found := slices.BinarySearch(ends, t); i == len(ends) {
			ends = append(ends, t)
		} else if !found {
			ends[i] = t
		}
	}
	return len(ends)
}
