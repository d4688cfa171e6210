package text

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// The weights of what speaks for a sentence, beside the share of the question's
// words that it holds, which counts 1. Tuned on half of SQuAD's questions.
const (
	pairShare    = 0.35 // neighbouring words of the question that are neighbours here
	nearShare    = 0.20 // the question's words that only the sentences beside it hold
	exactShare   = 0.05 // words in the very form the question has them in
	passageShare = 0.65 // the passage's own score, from 0 to 1
)

// Choice is a sentence that may answer a question.
type Choice struct {
	Passage int // which of the passages
	Span
	Score    float64 // comparable among the choices of one question
	Coverage float64 // share of the question's words, by weight, that the sentence holds
}

// Choose ranks the sentences of passages by how likely they answer a question,
// best first. scores are the passages' own, from 0 to 1; nil means all alike.
// Words that few of the sentences hold weigh most.
func Choose(question string, passages []string, scores []float64) []Choice {
	q := readQuestion(question, passages)
	read := make([][]sentence, len(passages))
	for i, p := range passages {
		read[i] = q.read(p)
	}
	q.weigh(read)
	var choices []Choice
	for i, sentences := range read {
		score := 1.0
		if scores != nil {
			score = scores[i]
		}
		for k := range sentences {
			c := q.judge(sentences, k)
			c.Passage = i
			c.Score += passageShare * score
			choices = append(choices, c)
		}
	}
	slices.SortStableFunc(choices, func(a, b Choice) int { return cmp.Compare(b.Score, a.Score) })
	return choices
}

// maxAsked is how many distinct terms of a question count: one bit each.
const maxAsked = 64

// question is what is looked for in every sentence.
type question struct {
	memo    *Memo
	terms   map[string]int // → bit
	weights []float64
	total   float64
	pairs   map[[2]int]int  // neighbouring terms → bit
	paired  [][2]int        // the same, by bit
	words   map[string]int  // content words as they are written → bit
	said    map[string]bool // all its words
	kind    kind
}

// sentence is what a sentence holds of the question, by bits.
type sentence struct {
	Span
	terms, pairs, words uint64
	kind                bool // something of the kind asked for
}

func readQuestion(s string, passages []string) *question {
	language := Language(s)
	for i := 0; language == "" && i < len(passages); i++ {
		language = Language(passages[i])
	}
	q := &question{memo: NewMemo(NewAnalyzer(cmp.Or(language, "en"))), terms: make(map[string]int),
		pairs: make(map[[2]int]int), words: make(map[string]int), said: make(map[string]bool), kind: kindOf(s)}
	for _, t := range q.memo.Terms(s) {
		number(q.terms, t)
	}
	q.weights = make([]float64, len(q.terms))
	q.readPairs(s)
	return q
}

// readPairs numbers the content words and the neighbours among them.
func (q *question) readPairs(s string) {
	previous := -1
	for w := range Words(s) {
		q.said[w.Text] = true
		t, ok := q.memo.Term(w.Text)
		if !ok || w.Joined {
			continue
		}
		number(q.words, w.Text)
		if at, known := q.terms[t]; known {
			if previous >= 0 {
				number(q.pairs, [2]int{previous, at})
			}
			previous = at
		}
	}
	q.paired = make([][2]int, len(q.pairs))
	for pair, at := range q.pairs {
		q.paired[at] = pair
	}
}

// number gives a new key the next bit, as long as there are any.
func number[K comparable](bits map[K]int, key K) {
	if _, known := bits[key]; !known && len(bits) < maxAsked {
		bits[key] = len(bits)
	}
}

// read cuts a passage into sentences.
func (q *question) read(passage string) []sentence {
	spans := Sentences(passage)
	read := make([]sentence, len(spans))
	for i, span := range spans {
		read[i] = q.readSentence(passage[span.Start:span.End])
		read[i].Span = span
	}
	return read
}

func (q *question) readSentence(s string) sentence {
	var r sentence
	previous, before := -1, "" // the term and the word before
	for w := range Words(s) {
		if at, ok := q.words[w.Text]; ok {
			r.words |= 1 << at
		}
		t, content := q.memo.Term(w.Text)
		at, asked := q.terms[t]
		if asked {
			r.terms |= 1 << at
		}
		if w.Joined {
			continue
		}
		if content || asked {
			if !asked {
				at = -1
			}
			if pair, ok := q.pairs[[2]int{previous, at}]; ok {
				r.pairs |= 1 << pair
			}
			previous = at
		}
		r.kind = r.kind || q.kind.is(w.Text, s[w.Start:w.End], before) && !q.said[w.Text]
		before = w.Text
	}
	return r
}

// weigh gives each term the idf it has among the sentences.
func (q *question) weigh(passages [][]sentence) {
	holds := make([]float64, len(q.weights))
	n := 0.0
	for _, sentences := range passages {
		for _, s := range sentences {
			n++
			each(s.terms, func(at int) { holds[at]++ })
		}
	}
	for i, h := range holds {
		q.weights[i] = math.Log(1 + (n-h+0.5)/(h+0.5))
		q.total += q.weights[i]
	}
}

// judge scores sentence k of a passage.
func (q *question) judge(sentences []sentence, k int) Choice {
	s := sentences[k]
	var beside uint64
	if k > 0 {
		beside = sentences[k-1].terms
	}
	if k+1 < len(sentences) {
		beside |= sentences[k+1].terms
	}
	c := Choice{Span: s.Span}
	if q.total == 0 {
		return c
	}
	each(s.terms, func(at int) { c.Coverage += q.weights[at] })
	near, pairs := 0.0, 0.0
	each(beside&^s.terms, func(at int) { near += q.weights[at] })
	each(s.pairs, func(at int) { pairs += (q.weights[q.paired[at][0]] + q.weights[q.paired[at][1]]) / 2 })
	c.Score = (c.Coverage + nearShare*near + pairShare*pairs) / q.total
	c.Coverage /= q.total
	c.Score += exactShare * float64(bits.OnesCount64(s.words)) / float64(max(1, len(q.words)))
	if s.kind && c.Score > 0 {
		c.Score += kindShare[q.kind]
	}
	return c
}

// each calls f with the number of every bit that is set.
func each(set uint64, f func(at int)) {
	for ; set != 0; set &= set - 1 {
		f(bits.TrailingZeros64(set))
	}
}
