package evidence

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/internal/question"
	"ibid/internal/text"
)

// Choice is a sentence that may answer a question.
type Choice struct {
	Passage  int // which of the passages
	Sentence int // which of its sentences
	text.Span
	Header   string  // of the row of a table: what stands above it, its columns and its section
	Score    float64 // comparable among the choices of one question
	Coverage float64 // share of the question's terms, by weight, that the sentence and its header hold
	Within   float64 // the same with what stands before the sentence and above it, related forms included
	Density  float64 // share of the sentence that the question says
	Asks     bool    // it is a question itself
	Defines  float64 // how much it looks like the definition that is asked for, from 0 to 1
	Broken   bool    // it is no sentence: a heading, code, a line of a table of contents

	// How its passage, with what that stands under, meets the question:
	Found   float64 // share of the question's terms, by weight, that are there
	Named   float64 // the same of the names among them; 1 where there are none
	Missing float64 // share of the weightiest term that is not there
	Terms   int     // how many terms the question has
	Figure  bool    // a number of the question is not there
}

// Choose ranks the sentences of passages by how likely they answer a question, best
// first. The passages come best first too; what they stand under tells what their
// sentences are about.
func Choose(question string, passages []Passage) []Choice {
	r := &ranker{asked: readAsked(question, languageOfAny(question, passages))}
	top := 0.0
	for i, p := range passages {
		r.read(i, p.Text)
		top = max(top, p.Score)
	}
	r.weigh()
	choices := make([]Choice, 0, len(r.all))
	for i := 0; i < len(r.all); {
		p := passages[r.all[i].Passage]
		relative := 1.0
		if top > 0 {
			relative = p.Score / top
		}
		under := r.asked.termsOf(p.Under)
		end := r.describe(i, under, relative)
		met := r.meet(r.all[i:end], under)
		for ; i < end; i++ {
			choices = append(choices, r.all[i].choice(met))
		}
	}
	slices.SortStableFunc(choices, func(a, b Choice) int { return cmp.Compare(b.Score, a.Score) })
	return choices
}

// languageOfAny is the language of the question or, as most are too short to
// tell, of the first passage that tells.
func languageOfAny(asked string, passages []Passage) string {
	language := question.Language(asked)
	for i := 0; language == "" && i < len(passages); i++ {
		language = text.Language(passages[i].Text)
	}
	return language
}

// ranker ranks the sentences of some passages by how well they answer a
// question.
type ranker struct {
	*asked
	all     []candidate       // in reading order
	weights [maxAsked]float64 // of the question's terms
	total   float64           // of all of them
	scan    scan              // kept for its buffers
}

// candidate is a sentence as it stands to the question.
type candidate struct {
	Choice
	terms, related uint64 // what it holds of the question, with its header
	signals        signals
}

// signals describe how a sentence stands to the question. All lie between 0
// and 1, so that they mean the same in any library.
type signals [numSignals]float64

const (
	sCoverage     = iota // share of the question's terms in the sentence, weighted by rarity
	sPairs               // share of its neighbouring terms that are neighbours here too
	sContext             // share in the sentence before, the heading and the title, of what the sentence lacks
	sAfter               // share in the sentence after, of what is still lacking
	sPassagePairs        // the best sPairs of the passage
	sScore               // score of the passage, relative to the best
	sRank                // 1 for the best passage, falling
	sEvidence            // an answer of the expected kind is there
	sNoEvidence          // a kind is expected and nothing of it is there
	sNovelty             // share of the sentence that the question does not say
	sDensity             // share of the sentence that the question says
	sShort               // fewer than 5 words
	sQuestion            // it is a question itself
	sFragment            // a heading, a line of a table of contents, the announcement of a list
	sCode                // many signs that are neither letters nor common in prose
	sTotal               // the row of a table that sums up, where no row is named
	sCovEvidence         // coverage where the evidence is
	sFuzzy               // share that the sentence has in a related form ("invent" for "inventor")
	sRelation            // coverage of the terms that are no names
	sNamed               // share of the names in the sentence or before it
	sNear                // what may be the answer stands close to terms of the question
	sCounted             // "how many X" meets a number before X
	sOrder               // terms in the order of the question
	sAll                 // coverage with context, related forms included
	sDefines             // it defines what the question asks to define
	sExact               // share of the identifiers that the question names, as they are written
	numSignals
)

// choiceWeights were fitted (softmax over the sentences of the seven best passages)
// on half of the articles of SQuAD's development set, except for what hardly
// occurs there: questions, fragments, code, tables, definitions and identifiers. See TestQuoting of the
// reader for what they come to on the other half.
var choiceWeights = signals{
	sCoverage: 3.3, sPairs: 0.2, sContext: 0.6, sAfter: 0.2,
	sPassagePairs: 1.8, sScore: 3.1, sRank: 1.2,
	sEvidence: 0.9, sNoEvidence: -0.9, sNovelty: -0.3, sDensity: 1.4, sShort: -0.3, sQuestion: -2,
	sFragment: -2.5, sCode: -2, sTotal: 1.5,
	sCovEvidence: -0.4, sFuzzy: 1.5, sRelation: 1.6, sNamed: 1.8, sNear: 1.4, sCounted: 1.4, sOrder: 0.9, sAll: 2.3, sDefines: 5, sExact: 4,
}

// read takes in the sentences of a passage.
func (r *ranker) read(passage int, s string) {
	var above rowHeader
	for i, span := range text.Sentences(s) {
		c := candidate{Choice: Choice{Passage: passage, Sentence: i, Span: span}}
		sentence := s[span.Start:span.End]
		c.Header = above.next(sentence)
		r.scan.read(r.asked, &c, sentence)
		c.signals.look(sentence, r.kind)
		switch {
		case r.defined != "":
			c.signals[sDefines] = definesUnspaced(sentence, r.defined)
		case r.subject != 0:
			c.signals[sDefines] = r.defines(sentence)
		}
		r.all = append(r.all, c)
	}
}

// weigh sets how much each term of the question counts: the rarer among the
// sentences at hand, the more.
func (r *ranker) weigh() {
	var holds [maxAsked]int
	for i := range r.all {
		for set := r.all[i].terms; set != 0; set &= set - 1 {
			holds[bits.TrailingZeros64(set)]++
		}
	}
	for i := range r.terms {
		at := r.terms[i]
		r.weights[at] = math.Log(1 + (float64(len(r.all))+1)/(float64(holds[at])+0.5))
	}
	r.total = max(r.weight(math.MaxUint64), 1e-9)
}

// weight of a set of terms.
func (r *ranker) weight(set uint64) float64 {
	sum := 0.0
	for ; set != 0; set &= set - 1 {
		sum += r.weights[bits.TrailingZeros64(set)]
	}
	return sum
}

// share of the question's weight that a set of terms has.
func (r *ranker) share(set uint64) float64 { return r.weight(set) / r.total }

// describe scores the sentences of the passage that begins with candidate
// first, and returns where the next begins. under are the terms of what the
// passage stands under, score is how well the passage fits, from 0 to 1.
func (r *ranker) describe(first int, under uint64, score float64) (end int) {
	pairs := 0.0
	for end = first; end < len(r.all) && r.all[end].Passage == r.all[first].Passage; end++ {
		pairs = max(pairs, r.all[end].signals[sPairs])
	}
	for i := first; i < end; i++ {
		sig := &r.all[i].signals
		sig[sPassagePairs], sig[sScore], sig[sRank] = pairs, score, 1/float64(1+r.all[i].Passage)
		before, after := under, uint64(0)
		if i > first {
			before |= r.all[i-1].terms
		}
		if i+1 < end {
			after = r.all[i+1].terms
		}
		r.cover(&r.all[i], before, after)
		for k, v := range sig {
			r.all[i].Score += choiceWeights[k] * v
		}
	}
	return end
}

// cover fills the signals that say how much of the question is there: in the
// sentence, before it and after it.
func (r *ranker) cover(c *candidate, before, after uint64) {
	sig := &c.signals
	sig[sCoverage] = r.share(c.terms)
	sig[sContext] = r.share(before &^ c.terms)
	sig[sAfter] = r.share(after &^ c.terms &^ before)
	sig[sFuzzy] = r.share(c.related &^ c.terms)
	sig[sAll] = min(1, sig[sCoverage]+sig[sContext]+sig[sFuzzy])
	// Names may stand before the sentence.
	sig[sRelation] = r.weight(c.terms&^r.named) / max(r.weight(^r.named), 1e-9)
	sig[sNamed] = r.weight((c.terms|before)&r.named) / max(r.weight(r.named), 1e-9)
	if r.kind != question.KindAny {
		sig[sNoEvidence] = 1 - sig[sEvidence]
		sig[sCovEvidence] = sig[sEvidence] * sig[sCoverage]
	}
}

// meet says how much of the question a passage has, as its choices tell.
func (r *ranker) meet(passage []candidate, under uint64) (met Choice) {
	there := under
	for i := range passage {
		there |= passage[i].terms
	}
	met.Found, met.Named, met.Terms = r.share(there), 1, len(r.terms)
	if r.named != 0 {
		met.Named = r.weight(there&r.named) / max(r.weight(r.named), 1e-9)
	}
	met.Figure = r.figures&^there != 0
	for at := range len(r.terms) {
		if there&(1<<at) == 0 {
			met.Missing = max(met.Missing, r.share(1<<at))
		}
	}
	return met
}

// mostlyCode is the sCode from which on a text is no prose: one sign in ten.
const mostlyCode = 0.5

// choice is what others see of a candidate.
func (c *candidate) choice(met Choice) Choice {
	sig := &c.signals
	c.Defines, c.Broken = sig[sDefines], sig[sFragment] == 1 || sig[sCode] > mostlyCode
	c.Found, c.Named, c.Missing, c.Terms, c.Figure = met.Found, met.Named, met.Missing, met.Terms, met.Figure
	c.Coverage, c.Within, c.Density, c.Asks = sig[sCoverage], sig[sAll], sig[sDensity], sig[sQuestion] == 1
	return c.Choice
}

// look fills the signals that come from how a sentence looks.
func (sig *signals) look(s string, kind question.Kind) {
	if strings.HasSuffix(s, "?") {
		sig[sQuestion] = 1
	}
	if text.TableRow(s) {
		if kind == question.KindNumber && sumsUp(s) {
			sig[sTotal] = 1
		}
		return
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	if !strings.ContainsRune(".!?:;”\")。！？", last) && len(strings.Fields(s)) < 12 ||
		strings.HasSuffix(s, ":") || strings.Contains(s, ". . .") || strings.Contains(s, "....") {
		sig[sFragment] = 1
	}
	signs := 0
	for i := 0; i < len(s); i++ {
		if codeSigns[s[i]] {
			signs++
		}
	}
	sig[sCode] = min(1, 5*float64(signs)/float64(len(s)))
}

// codeSigns are common in code and rare in prose.
var codeSigns = func() (is [256]bool) {
	for _, c := range []byte("(){}[]<>=_$#&|\\/*+@~^`") {
		is[c] = true
	}
	return is
}()
