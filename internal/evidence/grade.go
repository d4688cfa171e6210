package evidence

import "math"

// Classes of a passage, by how likely it answers the question.
const (
	Correct   = "CORRECT"
	Ambiguous = "AMBIGUOUS"
	Incorrect = "INCORRECT"
)

// Scale says from which grade on a passage is Correct, and below which it is Incorrect.
type Scale struct{ CorrectFrom, IncorrectBelow float64 }

// GradeScale is the scale of Grade. On the articles that the weights were not fitted on,
// 79 % of the passages that are Correct answer and 76 % of those that answer are Correct;
// 2 % of those that answer are Incorrect and so are 66 % of the others. See TestGrades of
// eval.
var GradeScale = Scale{CorrectFrom: 0.40, IncorrectBelow: 0.01}

// Class names the class of a grade.
func (s Scale) Class(grade float64) string {
	switch {
	case grade >= s.CorrectFrom:
		return Correct
	case grade < s.IncorrectBelow:
		return Incorrect
	}
	return Ambiguous
}

// GradeSignals describe how a passage stands to a question, as measured against
// the other passages of the same search.
type GradeSignals [6]float64

const (
	gScore    = iota // of its best sentence (Choice)
	gWithin          // the greatest share of the question's words in a sentence and around it
	gDensity         // share of the best sentence that the question says
	gGap             // the best sentence's score less the best of all other passages, within ±6
	gRelative        // score of the passage, relative to the best
	gLead            // of the best passage: how far the second is behind, relative to it
)

// gradeWeights are a logistic regression over the seven best passages of 2,000
// questions of SQuAD's development set (those whose article's title has an even
// FNV-1a hash), with and without the paragraph that has the answer; that
// paragraph answers, and no other one. TestFitGrades of eval fits them anew.
var gradeWeights = GradeSignals{gScore: 0.185, gWithin: 1.168, gDensity: 3.133, gGap: 0.327, gRelative: 1.155, gLead: 2.235}

const gradeBias = -6.433

// Grade returns for each passage how likely it is that it answers the question,
// from 0 to 1. The passages are those of one search.
func Grade(question string, passages []Passage) []float64 {
	grades := make([]float64, len(passages))
	for i, signals := range SignalsOf(question, passages) {
		z := gradeBias
		for k, v := range signals {
			z += gradeWeights[k] * v
		}
		grades[i] = logistic(z)
	}
	return grades
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// maxAhead bounds how far the score of one sentence may be ahead of another's, or behind.
const maxAhead = 6

// SignalsOf describes each passage.
func SignalsOf(question string, passages []Passage) []GradeSignals {
	all := make([]GradeSignals, len(passages))
	chosen := make([]bool, len(passages))
	var sentences, scores highest
	for _, c := range Choose(question, passages) {
		s := &all[c.Passage]
		s[gWithin] = max(s[gWithin], c.Within)
		if !chosen[c.Passage] { // the best of its passage comes first
			chosen[c.Passage] = true
			s[gScore], s[gDensity] = c.Score, c.Density
			sentences.add(c.Score)
		}
	}
	for _, p := range passages {
		scores.add(p.Score)
	}
	for i, p := range passages {
		if !chosen[i] {
			continue
		}
		s := &all[i]
		s[gGap] = min(max(s[gScore]-sentences.besides(s[gScore]), -maxAhead), maxAhead)
		if scores.first > 0 {
			s[gRelative] = p.Score / scores.first
			s[gLead] = max(0, p.Score-scores.besides(p.Score)) / scores.first
		}
	}
	return all
}

// highest keeps the two highest of some numbers.
type highest struct {
	n             int
	first, second float64
}

func (h *highest) add(v float64) {
	switch h.n++; {
	case h.n == 1:
		h.first = v
	case v > h.first:
		h.first, h.second = v, h.first
	case h.n == 2 || v > h.second:
		h.second = v
	}
}

// besides returns the highest of the other numbers; v itself where it is alone.
func (h *highest) besides(v float64) float64 {
	switch {
	case h.n < 2:
		return v
	case v == h.first:
		return h.second
	}
	return h.first
}

// otherFigure is taken off where a number of the question is nowhere near: another
// year, another sum, and what is said is of something else.
const otherFigure = 1.5

// Confidence estimates how likely the best of the sentences that Choose ranked holds the
// answer, from 0 to 1; there must be one. Fitted (logistic) on half of the articles of
// SQuAD's development set, where for half of the questions the paragraph with the answer
// was hidden. TestAbstaining of the reader measures it.
func Confidence(ranked []Choice) float64 {
	best := ranked[0]
	next, other := 0.0, 0.0 // scores of the second sentence, and of the best of another passage
	if len(ranked) > 1 {
		next = ranked[1].Score
	}
	for _, c := range ranked[1:] {
		if c.Passage != best.Passage {
			other = c.Score
			break
		}
	}
	ahead := min(max(best.Score-other, -maxAhead), maxAhead)
	z := -8.762 + 0.169*best.Score + 0.344*min(best.Score-next, maxAhead) + 0.267*ahead + 1.277*best.Density +
		2.617*best.Found + 3.218*best.Missing + 0.252*float64(best.Terms) + 1.365*best.Named
	if best.Figure {
		z -= otherFigure
	}
	return logistic(z)
}
