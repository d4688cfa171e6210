package local

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ibid"
	"ibid/internal/access"
)

// The BM25 parameters of every field, and the weights of what is added to the
// body's score. Their effect is held by the golden scores of internal/eval.
const (
	k1            = 0.9
	b             = 0.6
	headingWeight = 0.5
	pairWeight    = 0.2
)

// idf is the weight of a term that df of n units hold: ln(1 + (n-df+½)/(df+½)),
// Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009, in the
// form that is never negative.
func idf(n, df int) float32 {
	return float32(math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5)))
}

// norm holds k1·(1-b) and k1·b/average length.
type norm struct{ base, perTerm float32 }

func newNorm(length float64, count int) norm {
	average := 1.0
	if count > 0 && length > 0 {
		average = length / float64(count)
	}
	return norm{base: k1 * (1 - b), perTerm: float32(k1 * b / average)}
}

// saturate is BM25's tf·(k1+1) / (tf + k1·(1-b+b·length/average)).
func (n norm) saturate(tf, length float32) float32 {
	return tf * (k1 + 1) / (tf + n.base + n.perTerm*length)
}

// queryTerm is a term of the query that the index knows. Weights include idf.
type queryTerm struct {
	number        uint32
	body, heading float32
}

// queryPair is where two terms that follow each other in the query do so in the
// index.
type queryPair struct {
	weight float32
	found  [][]uint32 // by segment: occurrences of the first term
}

// scratch is the memory of one search, used again.
type scratch struct {
	scores  []float32
	titles  []float32
	allowed []bool
	found   []uint32 // occurrences of pairs

	near   [][]nearRow // by worker
	sorted []nearRow
	counts []uint32 // by distance
}

// Lexical returns the best chunks for a query, best first, ties by chunk id. The
// score of a chunk is the sum of
//
//	BM25 of its body: the document's title, the heading path and the text,
//	0.5 × BM25 of the heading path, and 0.5 × BM25 of the document's title
//	(2 × where long documents are called alike),
//	0.2 × BM25 of the pairs of neighbouring words that the query has too.
//
// Where the query quotes "some words" and the scope has chunks with these words
// in this order, stop words aside, only they are returned.
func (x *Index) Lexical(ctx context.Context, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	if limit <= 0 {
		return nil, nil
	}
	q := x.readQuery(query)
	sc := x.scratches.Get().(*scratch)
	defer x.scratches.Put(sc)
	x.mu.RLock()
	defer x.mu.RUnlock()

	allowed := x.allowed(view, scope, sc)
	terms, pairs := x.weigh(q), x.pairs(q, sc)
	titles := x.titles.score(zeroed(&sc.titles, len(x.slots)), terms, x.titles.weight(x.totals.chunks))
	phrases := x.phraseFilter(q, allowed)
	best := top{limit: limit}
	for i, s := range x.segments {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("search by words: %w", err)
		}
		scores := zeroed(&sc.scores, len(s.chunks))
		x.scoreSegment(scores, i, terms, pairs)
		s.collect(&best, x.chunks.ids, scores, titles, allowed, phrases.of(i))
	}
	return best.candidates(), nil
}

// weigh looks the query's terms up.
func (x *Index) weigh(q parsed) []queryTerm {
	terms := make([]queryTerm, 0, len(q.terms))
	for _, t := range q.terms {
		number, ok := x.terms[t]
		if !ok {
			continue
		}
		var in frequency
		for _, s := range x.segments {
			f := s.frequencyOf(number)
			in.body += f.body
			in.heading += f.heading
		}
		terms = append(terms, queryTerm{number: number, body: idf(x.totals.chunks, in.body),
			heading: headingWeight * idf(x.totals.headings, in.heading)})
	}
	return terms
}

// pairs finds where the query's neighbours are neighbours in the index.
func (x *Index) pairs(q parsed, sc *scratch) []queryPair {
	found := sc.found[:0]
	defer func() { sc.found = found }()
	pairs := make([]queryPair, 0, len(q.pairs))
	for _, p := range q.pairs {
		first, ok1 := x.terms[p[0]]
		second, ok2 := x.terms[p[1]]
		if !ok1 || !ok2 {
			continue
		}
		pair := queryPair{found: make([][]uint32, len(x.segments))}
		df := 0
		for i, s := range x.segments {
			n := len(found)
			found = followed(found, s.occurrences(first), s.occurrences(second))
			pair.found[i] = found[n:len(found):len(found)]
			df += s.frequency(pair.found[i]).body
		}
		pair.weight = pairWeight * idf(x.totals.chunks, df)
		pairs = append(pairs, pair)
	}
	return pairs
}

// followed appends the occurrences in first that one in second directly follows.
func followed(found, first, second []uint32) []uint32 {
	if len(first) > skippingFrom*len(second) || len(second) > skippingFrom*len(first) {
		return followedRarely(found, first, second)
	}
	j := 0
	for _, o := range first {
		for j < len(second) && second[j] <= o {
			j++
		}
		if j == len(second) {
			break
		}
		if second[j] == o+1 {
			found = append(found, o)
		}
	}
	return found
}

// skippingFrom is how many times longer one list must be for skipping in it to
// be faster than reading it.
const skippingFrom = 8

// followedRarely is followed where one list is much longer.
func followedRarely(found, first, second []uint32) []uint32 {
	for i, j := 0, 0; i < len(first) && j < len(second); {
		switch follower := first[i] + 1; {
		case second[j] < follower:
			j = skip(second, j+1, follower)
		case second[j] > follower:
			i = skip(first, i+1, second[j]-1)
		default:
			found = append(found, first[i])
			i++
		}
	}
	return found
}

// skip returns the first place from i on where list, ascending, holds least or
// more. Steps double, and the last is halved until it is found (Bentley & Yao,
// "An almost optimal algorithm for unbounded searching", 1976).
func skip(list []uint32, i int, least uint32) int {
	step := 1
	for i+step <= len(list) && list[i+step-1] < least {
		i += step
		step *= 2
	}
	n, _ := slices.BinarySearch(list[i:min(i+step, len(list))], least)
	return i + n
}

// scoreSegment adds the body, heading and pair scores of segment i, a term at a
// time.
func (x *Index) scoreSegment(scores []float32, i int, terms []queryTerm, pairs []queryPair) {
	s := x.segments[i]
	body := newNorm(float64(x.totals.bodyLength), x.totals.chunks)
	heading := newNorm(float64(x.totals.headingLength), x.totals.headings)
	for _, t := range terms {
		s.score(scores, s.occurrences(t.number), t.body, t.heading, body, heading)
	}
	for _, p := range pairs {
		s.score(scores, p.found[i], p.weight, 0, body, heading)
	}
}

func (s *segment) score(scores []float32, list []uint32, bodyWeight, headingWeight float32, body, heading norm) {
	for i := 0; i < len(list); {
		chunk := list[i] >> 16
		from := i
		inHeading := 0
		for i < len(list) && list[i]>>16 == chunk {
			if list[i]&0xFFFF >= headingPosition {
				inHeading++
			}
			i++
		}
		v := bodyWeight * body.saturate(float32(i-from), float32(s.bodyLength[chunk]))
		if inHeading > 0 {
			v += headingWeight * heading.saturate(float32(inHeading), float32(s.headingLength[chunk]))
		}
		scores[chunk] += v
	}
}

// collect offers the chunks that scored, are alive and pass the filters.
func (s *segment) collect(best *top, ids []string, scores []float32, titles titleScores, allowed, phrased []bool) {
	// Most chunks hold some common word and no more: one comparison, which
	// also skips the zeros, ends them.
	enough := func() float32 { return max(best.least()-titles.most, math.SmallestNonzeroFloat32) }
	floor := enough()
	for i, v := range scores {
		if v < floor {
			continue
		}
		if !s.alive[i] || allowed != nil && !allowed[s.slots[i]] || phrased != nil && !phrased[i] {
			continue
		}
		if titles.most > 0 {
			v += titles.bySlot[s.slots[i]]
		}
		if v >= best.least() {
			best.offer(hit{v, ids[s.chunks[i]]})
			floor = enough()
		}
	}
}
