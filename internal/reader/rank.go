package reader

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

// candidate is a sentence that may answer the question.
type candidate struct {
	passage  int // index into the passages
	sentence int // index within the passage
	span     text.Span
	text     string
	header   string          // of a row of a table: what stands above it, its columns and its section
	terms    map[string]bool // of the sentence and of its header
	features features
	score    float64
}

// features describe how a sentence stands to the question. All lie between 0
// and 1, so that they mean the same in any library.
type features [numFeatures]float64

const (
	fCoverage     = iota // share of the question's terms in the sentence, weighted by rarity
	fPairs               // share of its neighbouring terms that are neighbours here too
	fContext             // share in the sentence before, the heading and the title, of what the sentence lacks
	fAfter               // share in the sentence after, of what is still lacking
	fPassagePairs        // the best fPairs of the passage
	fScore               // score of the passage, relative to the best
	fRank                // 1 for the best passage, falling
	fEvidence            // an answer of the expected kind is there
	fNoEvidence          // a kind is expected and nothing of it is there
	fNovelty             // share of the sentence that the question does not say
	fDensity             // share of the sentence that the question says
	fShort               // fewer than 5 words
	fQuestion            // it is a question itself
	fFragment            // a heading, a line of a table of contents, the announcement of a list
	fCode                // many signs that are neither letters nor common in prose
	fTotal               // the row of a table that sums up, where no row is named
	fCovEvidence         // coverage where the evidence is
	fFuzzy               // share that the sentence has in a related form ("invent" for "inventor")
	fRelation            // coverage of the terms that are no names
	fNamed               // share of the names in the sentence or before it
	fNear                // what may be the answer stands close to terms of the question
	fCounted             // "how many X" meets a number before X
	fOrder               // terms in the order of the question
	fAll                 // coverage with context, related forms included
	numFeatures
)

// ranker ranks the sentences of some passages by how well they answer a
// question.
type ranker struct {
	analyzer *text.Memo
	question question
	idf      map[string]float64
	weight   float64 // of all terms of the question
}

// rank returns the sentences of the passages, best first.
func rank(a *text.Analyzer, question string, passages []ibid.Handled) []candidate {
	r := ranker{analyzer: text.NewMemo(a), question: newQuestion(a, question)}
	var all []candidate
	contexts := make([]map[string]bool, len(passages)) // terms of title and heading
	for i, p := range passages {
		contexts[i] = r.terms(p.Title + "\n" + p.Heading)
		var above table
		for j, span := range text.Sentences(p.Text) {
			c := candidate{passage: i, sentence: j, span: span, text: p.Text[span.Start:span.End]}
			c.terms = r.terms(c.text)
			if c.header = above.next(c.text); c.header != "" {
				c.terms = union(c.terms, r.terms(c.header))
			}
			all = append(all, c)
		}
	}
	r.weigh(all)
	top := 0.0
	for _, p := range passages {
		top = max(top, p.Score)
	}
	for i := range all {
		r.describeWords(&all[i])
	}
	for i := range all {
		c := &all[i]
		c.features[fScore], c.features[fRank] = 1, 1/float64(1+c.passage)
		if top > 0 {
			c.features[fScore] = passages[c.passage].Score / top
		}
		r.describe(all, i, contexts[c.passage])
		for f, v := range c.features {
			c.score += weights[f] * v
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return all
}

func (r *ranker) terms(s string) map[string]bool {
	set := map[string]bool{}
	for w := range text.Words(s) {
		if t, ok := r.analyzer.Term(w.Text); ok {
			set[t] = true
		}
	}
	return set
}

// weigh sets how much each term of the question counts: the rarer among the
// sentences at hand, the more.
func (r *ranker) weigh(all []candidate) {
	r.idf = map[string]float64{}
	for _, t := range r.question.terms {
		n := 0
		for _, c := range all {
			if c.terms[t] {
				n++
			}
		}
		r.idf[t] = math.Log(1 + (float64(len(all))+1)/(float64(n)+0.5))
		r.weight += r.idf[t]
	}
	if r.weight == 0 {
		r.weight = 1
	}
}

// covered is the share of the question's weight that a set of terms holds, and
// how much of it another set lacked.
func (r *ranker) covered(in map[string]bool, without ...map[string]bool) float64 {
	sum := 0.0
	for _, t := range r.question.terms {
		if in[t] && !slices.ContainsFunc(without, func(w map[string]bool) bool { return w[t] }) {
			sum += r.idf[t]
		}
	}
	return sum / r.weight
}

// describe fills the features of candidate i. all is in reading order.
func (r *ranker) describe(all []candidate, i int, context map[string]bool) {
	c := &all[i]
	f := &c.features
	f[fCoverage] = r.covered(c.terms)
	before, after := context, map[string]bool{}
	if i > 0 && all[i-1].passage == c.passage {
		before = union(context, all[i-1].terms)
	}
	if i+1 < len(all) && all[i+1].passage == c.passage {
		after = all[i+1].terms
	}
	f[fContext] = r.covered(before, c.terms)
	f[fAfter] = r.covered(after, c.terms, before)
	for _, other := range all {
		if other.passage == c.passage {
			f[fPassagePairs] = max(f[fPassagePairs], other.features[fPairs])
		}
	}
	f[fFuzzy] = r.related(c.terms)
	f[fAll] = math.Min(1, f[fCoverage]+f[fContext]+f[fFuzzy])
	f[fRelation], f[fNamed] = r.parts(c.terms, before)
	if r.question.kind != kindOther {
		e := evidence(r.question, c.text)
		f[fEvidence] = e
		f[fNoEvidence] = 1 - e
		f[fCovEvidence] = e * f[fCoverage]
	}
	f.look(c.text)
	if r.question.kind == kindNumber && totals.MatchString(c.text) {
		f[fTotal] = 1
	}
}

// isRow reports whether a sentence is a row of a table.
func isRow(s string) bool { return strings.Contains(s, " | ") || strings.Contains(s, "\t") }

// table follows the rows of a table from above.
type table struct{ columns, section string }

// next takes the next sentence and returns the header of a row with amounts in
// it: the last row without any, and the last line that ends with a colon or that
// stood before a colon in a row.
func (t *table) next(s string) string {
	if section, _, ok := strings.Cut(s, ": "); ok && isRow(s) && !isRow(section) {
		t.section = section + ":"
	}
	switch {
	case isRow(s) && amount.MatchString(s):
		return strings.TrimSpace(t.columns + "\n" + t.section)
	case isRow(s):
		t.columns, t.section = s, ""
	case strings.HasSuffix(s, ":"):
		t.section = s
	default:
		t.columns, t.section = "", ""
	}
	return ""
}

// amount finds a number that is no year.
var amount = regexp.MustCompile(`\d[.,]\d|\d%|\b\d{1,3}\b|\b[3-9]\d{3}\b|\d{5}`)

// totals finds the rows that sum up.
var totals = regexp.MustCompile(`(?i)^\W*(total|totals|consolidated|overall|sum|all)\b[^|\t]*[|\t]`)

// look fills the features that come from how a sentence looks.
func (f *features) look(s string) {
	if strings.HasSuffix(s, "?") {
		f[fQuestion] = 1
	}
	if isRow(s) {
		return
	}
	if !strings.ContainsRune(".!?:;”\")。！？", lastRune(s)) && len(strings.Fields(s)) < 12 ||
		strings.HasSuffix(s, ":") || strings.Contains(s, ". . .") || strings.Contains(s, "....") {
		f[fFragment] = 1
	}
	signs := 0
	for _, c := range s {
		if strings.ContainsRune("(){}[]<>=_$#&|\\/*+@~^`", c) {
			signs++
		}
	}
	f[fCode] = min(1, 5*float64(signs)/float64(len(s)))
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// related is the share of the question's weight that a sentence has in a related
// form: the same first five letters.
func (r *ranker) related(in map[string]bool) float64 {
	sum := 0.0
	for _, t := range r.question.terms {
		if in[t] || len(t) < 5 {
			continue
		}
		for u := range in {
			if len(u) >= 5 && u[:5] == t[:5] {
				sum += r.idf[t]
				break
			}
		}
	}
	return sum / r.weight
}

// parts covers names and other terms apart: names may stand before the sentence.
func (r *ranker) parts(in, before map[string]bool) (relation, named float64) {
	var rel, relAll, name, nameAll float64
	for _, t := range r.question.terms {
		w := r.idf[t]
		if r.question.named[t] {
			nameAll += w
			if in[t] || before[t] {
				name += w
			}
			continue
		}
		relAll += w
		if in[t] {
			rel += w
		}
	}
	return rel / max(relAll, 1e-9), name / max(nameAll, 1e-9)
}

func union(a, b map[string]bool) map[string]bool {
	u := make(map[string]bool, len(a)+len(b))
	for t := range a {
		u[t] = true
	}
	for t := range b {
		u[t] = true
	}
	return u
}

// describeWords fills the features that need the sentence's words in order.
func (r *ranker) describeWords(c *candidate) {
	f := &c.features
	full := strings.TrimSpace(c.header + "\n" + c.text)
	words, content, matched := 0, 0, 0
	last := ""
	pairs := map[string]bool{}
	var at, answers []int // positions of matched terms, and of what may be the answer
	var order []string
	number := -10
	for w := range text.Words(full) {
		if w.Joined {
			continue
		}
		words++
		if mayAnswer(r.question, w.Text, upperAt(full, w.Start) && words > 1) {
			answers = append(answers, words)
		}
		if isNumber(w.Text) || numberWords[w.Text] {
			number = words
		}
		t, ok := r.analyzer.Term(w.Text)
		if ok && t == r.question.counted && words-number <= 3 {
			f[fCounted] = 1
		}
		if !ok {
			continue
		}
		content++
		if r.idf[t] > 0 {
			matched++
			at = append(at, words)
			order = append(order, t)
		}
		if p := last + " " + t; r.question.pairs[p] {
			pairs[p] = true
		}
		last = t
	}
	if n := len(r.question.pairs); n > 0 {
		f[fPairs] = float64(len(pairs)) / float64(n)
	}
	if content > 0 {
		f[fDensity] = float64(matched) / float64(content)
		f[fNovelty] = min(1, float64(content-matched)/10)
	}
	f[fNear] = nearest(at, answers)
	f[fOrder] = float64(inOrder(r.question.terms, order)) / float64(max(1, len(r.question.terms)))
	if words < 5 {
		f[fShort] = 1
	}
}

// mayAnswer reports whether a word can be the answer to what is asked.
func mayAnswer(q question, word string, upper bool) bool {
	if q.words[word] {
		return false
	}
	switch q.kind {
	case kindTime:
		return isDigits(word) || months[word] && upper
	case kindNumber:
		return isNumber(word) || numberWords[word]
	case kindPerson, kindPlace, kindName:
		return upper
	}
	return false
}

// nearest is 1 when a matched term stands beside a possible answer, and less
// the farther the nearest five are.
func nearest(at, answers []int) float64 {
	best := 0.0
	for _, a := range answers {
		sum := 0.0
		for _, m := range at {
			d := float64(a - m)
			sum += 1 / (1 + math.Abs(d)/4)
		}
		best = max(best, sum)
	}
	return math.Min(1, best/4)
}

// inOrder is the length of the longest common subsequence.
func inOrder(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		prev := 0
		for j, y := range b {
			old := row[j+1]
			if x == y {
				row[j+1] = prev + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			prev = old
		}
	}
	return row[len(b)]
}

// weights were fitted (softmax over the sentences of the seven best passages)
// on half of the articles of SQuAD's development set, except for what hardly
// occurs there: questions, fragments, code and tables. See TestQuoting for what
// they come to on the other half.
var weights = features{
	fCoverage: 3.3, fPairs: 0.2, fContext: 0.6, fAfter: 0.2,
	fPassagePairs: 1.8, fScore: 3.1, fRank: 1.2,
	fEvidence: 0.9, fNoEvidence: -0.9, fNovelty: -0.3, fDensity: 1.4, fShort: -0.3, fQuestion: -2,
	fFragment: -1.5, fCode: -2, fTotal: 1.5,
	fCovEvidence: -0.4, fFuzzy: 1.5, fRelation: 1.6, fNamed: 1.8, fNear: 1.4, fCounted: 1.4, fOrder: 0.9, fAll: 2.3,
}
