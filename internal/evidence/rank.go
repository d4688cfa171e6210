package evidence

import (
	"math"
	"slices"

	"ibid/internal/text"
)

// sourceSentence is a sentence of a piece, ready to be compared.
type sourceSentence struct {
	Span
	words   int
	terms   []int // numbers, each once, in order
	under   []int // terms of what the source stands under
	figures map[string]bool
	weight  float64 // of all terms; set by weigh, like the next two
	squared float64
	meaning []float64
}

// features say how a sentence of a source stands to a statement.
type features [numFeatures]float64

const (
	fCosine    = iota // of both sets of terms, weighted by rarity
	fCovered          // share of the statement's terms, by rarity, that the sentence has
	fAlike            // share that it has in other words
	fSaid             // share of the sentence's terms that the statement has
	fSaidAlike        // share that it has in other words
	fBefore           // share of the statement's terms that the sentence lacks and the one before it has
	fAbove            // the same of the one before that, and of title and headings
	fPassage          // share of the statement's terms that the whole source has
	fFigures          // share of the statement's figures that the sentence has
	fStrange          // share of the sentence's figures that the statement lacks
	fLength           // how much longer one is than the other: |ln|
	fRank             // 1 for the best source, falling
	fMeaning          // cosine of the sums of their words' vectors
	fCited            // the statement cites the source
	fBeside           // the sentence stands beside what was found
	numFeatures
)

// weights were fitted (softmax over the sentences of seven passages, TestFit) on
// testdata/paraphrases/dev.jsonl, but for the last two, which that set has not: a
// model's own footnote is right more often than not, and what was found was shown
// to the model while what stands around it may not have been. TestParaphrases says
// what they come to on a set that nothing was fitted on.
var weights = features{
	fCosine: 2.99, fCovered: 2.52, fAlike: 1.25, fSaid: 5.00, fSaidAlike: 1.64, fBefore: 2.55, fAbove: 0.71, fPassage: 2.34,
	fFigures: 1.30, fStrange: -0.96, fLength: -2.32, fRank: 2.33, fMeaning: 4.57,
	fCited: 2, fBeside: -0.7,
}

// read takes in the sentences of a source.
func (m *Matcher) read(source int) {
	s := m.sources[source]
	under := m.numbers(s.Under)
	for k, piece := range s.Pieces {
		for _, span := range text.Sentences(piece) {
			sentence := piece[span.Start:span.End]
			read := sourceSentence{Span: Span{source, k, span}, under: under, figures: figuresOf(sentence)}
			read.terms, read.words = m.take(sentence)
			m.sentences = append(m.sentences, read)
			for _, t := range read.terms {
				m.had[source][t] = true
			}
		}
	}
}

// weigh works out what depends on how rare each term is, once all sentences are read.
func (m *Matcher) weigh() {
	for i := range m.sentences {
		s := &m.sentences[i]
		for _, t := range s.terms {
			w := m.rarity(t)
			s.weight += w
			s.squared += w * w
		}
		s.meaning = m.meaning(s.terms)
	}
}

// take returns the numbers of a sentence's terms, new ones included, and counts
// that the sentence has them.
func (m *Matcher) take(s string) (terms []int, words int) {
	for w := range text.Words(s) {
		if w.Joined {
			continue
		}
		words++
		t, ok := m.analyzer.Term(w.Text)
		if !ok {
			continue
		}
		n := m.number(t)
		if !slices.Contains(terms, n) {
			terms = append(terms, n)
			m.holds[n]++
		}
	}
	return terms, words
}

// number gives a term its number.
func (m *Matcher) number(term string) int {
	n, known := m.terms[term]
	if !known {
		n = len(m.names)
		m.terms[term] = n
		m.names = append(m.names, term)
		m.vectors = append(m.vectors, words().vector(term))
		m.holds = append(m.holds, 0)
	}
	return n
}

// numbers are the numbers of a text's terms, each once.
func (m *Matcher) numbers(s string) []int {
	var terms []int
	for w := range text.Words(s) {
		if w.Joined {
			continue
		}
		if t, ok := m.analyzer.Term(w.Text); ok {
			if n := m.number(t); !slices.Contains(terms, n) {
				terms = append(terms, n)
			}
		}
	}
	return terms
}

// figuresOf are the figures of a sentence, number words included.
func figuresOf(s string) map[string]bool {
	figures := map[string]bool{}
	for _, f := range text.Figures(s) {
		figures[f] = true
	}
	for w := range text.Words(s) {
		if n, ok := numberWords[w.Text]; ok {
			figures[n] = true
		}
	}
	return figures
}

// rarity is how much a term counts: the fewer sentences have it, the more.
func (m *Matcher) rarity(term int) float64 {
	return math.Log(1 + (float64(len(m.sentences))+1)/(float64(m.holds[term])+0.5))
}

const (
	// leastAlike is the cosine from which on two words say something alike.
	leastAlike = 0.3
	// sameRoot is how alike words are that begin alike: teach, teaching.
	sameRoot = 0.8
)

// likeness says how nearly a term means the same as each other term, from 0 to 1, by
// number.
func (m *Matcher) likeness(term int) []float32 {
	row := m.alike[term]
	if len(row) == len(m.names) {
		return row
	}
	name, v := m.names[term], words().vector(m.names[term])
	for len(row) < len(m.names) { // terms that came since are added
		l := 0.0
		other := m.vectors[len(row)]
		if v != nil && other != nil {
			l = cosine(v, other)
		}
		if beginAlike(name, m.names[len(row)]) {
			l = max(l, sameRoot)
		}
		if l < leastAlike {
			l = 0
		}
		row = append(row, float32(l))
	}
	m.alike[term] = row
	return row
}

// beginAlike reports whether most of two words is the same beginning.
func beginAlike(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 4 && 5*n >= 3*max(len(a), len(b))
}

// asserted is a statement, ready to be compared.
type asserted struct {
	words   int
	terms   []int
	alike   [][]float32 // by term: how nearly it means the same as each term of the sources
	figures map[string]bool
	weight  float64 // of all terms
	squared float64
	meaning []float64
	had     []float64 // share of the terms, by rarity, that each source has
}

func (m *Matcher) assert(statement string) asserted {
	a := asserted{terms: m.numbers(statement), figures: figuresOf(statement), had: make([]float64, len(m.sources))}
	for w := range text.Words(statement) {
		if !w.Joined {
			a.words++
		}
	}
	for _, t := range a.terms {
		a.alike = append(a.alike, m.likeness(t))
		w := m.rarity(t)
		a.weight += w
		a.squared += w * w
		for i := range m.had {
			if m.had[i][t] {
				a.had[i] += w
			}
		}
	}
	for i := range a.had {
		a.had[i] /= max(a.weight, 1e-9)
	}
	a.meaning = m.meaning(a.terms)
	return a
}

// meaning is the sum of the vectors of terms, weighted by rarity.
func (m *Matcher) meaning(terms []int) []float64 {
	sum := make([]float64, words().Dimensions)
	for _, t := range terms {
		w := m.rarity(t)
		for i, x := range m.vectors[t] {
			sum[i] += w * float64(x)
		}
	}
	return sum
}

// compare describes how sentence i stands to a statement.
func (m *Matcher) compare(a asserted, i int, cited []int) features {
	var f features
	s := m.sentences[i]
	both, both2, alike, before, above := 0.0, 0.0, 0.0, 0.0, 0.0
	for k, t := range a.terms {
		w := m.rarity(t)
		if slices.Contains(s.terms, t) {
			both += w
			both2 += w * w
			continue
		}
		like := 0.0
		for _, u := range s.terms {
			like = max(like, float64(a.alike[k][u]))
		}
		alike += w * like
		switch rest := w * (1 - like); {
		case m.earlier(i, 1, t):
			before += rest
		case m.earlier(i, 2, t), slices.Contains(s.under, t):
			above += rest
		}
	}
	saidAlike := 0.0
	for _, u := range s.terms {
		if slices.Contains(a.terms, u) {
			continue
		}
		like := 0.0
		for k := range a.terms {
			like = max(like, float64(a.alike[k][u]))
		}
		saidAlike += m.rarity(u) * like
	}
	weight, total := max(a.weight, 1e-9), max(s.weight, 1e-9)
	f[fCosine] = both2 / math.Sqrt(s.squared*a.squared+1e-9)
	f[fCovered], f[fAlike] = both/weight, alike/weight
	f[fSaid], f[fSaidAlike] = both/total, saidAlike/total
	f[fBefore], f[fAbove] = before/weight, above/weight
	f[fPassage] = a.had[s.Source]
	f[fFigures], f[fStrange] = share(a.figures, s.figures), 1-share(s.figures, a.figures)
	if len(a.figures) == 0 {
		f[fFigures] = 0
	}
	if len(s.figures) == 0 {
		f[fStrange] = 0
	}
	f[fLength] = math.Abs(math.Log(float64(a.words+2) / float64(s.words+2)))
	f[fRank] = 1 / float64(1+s.Source)
	f[fMeaning] = cosineOf(a.meaning, s.meaning)
	if slices.Contains(cited, s.Source) {
		f[fCited] = 1
	}
	if !m.sources[s.Source].found(s.Piece) {
		f[fBeside] = 1
	}
	return f
}

// earlier reports whether the sentence n before sentence i, in the same source, has
// a term.
func (m *Matcher) earlier(i, n, term int) bool {
	return i >= n && m.sentences[i-n].Source == m.sentences[i].Source && slices.Contains(m.sentences[i-n].terms, term)
}

// share is the part of a set that another has; 1 for an empty one.
func share(of, in map[string]bool) float64 {
	if len(of) == 0 {
		return 1
	}
	n := 0
	for k := range of {
		if in[k] {
			n++
		}
	}
	return float64(n) / float64(len(of))
}

func cosineOf(a, b []float64) float64 {
	dot, x, y := 0.0, 0.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		x += a[i] * a[i]
		y += b[i] * b[i]
	}
	return dot / math.Sqrt(x*y+1e-9)
}

func (f features) score(w *features) float64 {
	sum := 0.0
	for i, x := range f {
		sum += w[i] * x
	}
	return sum
}

// aroundWeight is how much the words around a statement count that has few of its
// own ("Five years.").
const (
	aroundWeight = 0.35
	fewTerms     = 4
)

// ranked is a sentence and how well it backs a statement.
type ranked struct {
	sentence int
	score    float64
}

// rank ranks the sentences of all sources, or only of those that are cited, by how
// well they back a statement.
func (m *Matcher) rank(statement, around string, cited []int, only bool) []ranked {
	a := m.assert(statement)
	var b asserted
	leans := len(a.terms) < fewTerms && around != ""
	if leans {
		b = m.assert(around)
	}
	var out []ranked
	for i, s := range m.sentences {
		if only && !slices.Contains(cited, s.Source) {
			continue
		}
		score := m.compare(a, i, cited).score(&weights)
		if leans {
			score += aroundWeight * m.compare(b, i, nil).score(&weights)
		}
		out = append(out, ranked{i, score})
	}
	slices.SortStableFunc(out, func(x, y ranked) int {
		switch {
		case x.score > y.score:
			return -1
		case x.score < y.score:
			return 1
		}
		return 0
	})
	return out
}
