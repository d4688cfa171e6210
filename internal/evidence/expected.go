package evidence

import (
	"slices"
	"strings"

	"ibid/internal/question"
)

// expected follows the words of a sentence and says how well it can hold an
// answer of the kind that is asked for, from 0 to 1: a number for how many, a
// name for who. What the question itself says is no evidence.
type expected struct {
	kind   question.Kind
	best   float64
	words  int
	run    int    // capitalised words in a row
	before traits // of the word before
}

func (e *expected) see(m meaning, upper bool) {
	e.words++
	switch e.kind {
	case question.KindTime:
		e.best = max(e.best, timeEvidence(m, upper))
	case question.KindNumber:
		e.best = max(e.best, numberEvidence(m))
	case question.KindPerson, question.KindName, question.KindPlace:
		e.name(upper && !m.said && m.traits&isMonth == 0)
	case question.KindDefine:
		// "X is …" near the start of the sentence.
		if e.best == 0 && m.traits&isDefining != 0 && e.words > 1 && e.words <= 12 {
			e.best = 1 - float64(e.words)/24
		}
	}
	e.before = m.traits
}

func timeEvidence(m meaning, upper bool) float64 {
	switch {
	case m.said:
		return 0
	case m.traits&isYear != 0:
		return 1
	case m.traits&isMonth != 0 && upper, m.traits&isTimeWord != 0:
		return 0.8
	case m.traits&isFigures != 0:
		return 0.4
	}
	return 0
}

func numberEvidence(m meaning) float64 {
	switch {
	case m.said:
		return 0
	case m.traits&isYear != 0:
		return 0.4
	case m.traits&isFigures != 0:
		return 1
	case m.traits&isNumberWord != 0:
		return 0.8
	}
	return 0
}

// name looks for capitalised words that the question does not have; two in a
// row, or one after a preposition of place, count most.
func (e *expected) name(named bool) {
	if !named {
		e.run = 0
		return
	}
	e.run++
	place := e.kind == question.KindPlace
	switch {
	case e.words == 1: // any word is capitalised there
		e.best = max(e.best, 0.2)
	case e.run > 1 && !place, place && e.before&isPlaceBefore != 0:
		e.best = 1
	default:
		e.best = max(e.best, 0.6)
	}
}

// givesReason reports whether a sentence has a phrase that introduces a reason.
func givesReason(sentence string, in *lexicon) bool {
	s := strings.ToLower(sentence)
	return slices.ContainsFunc(in.reasons, func(phrase string) bool { return strings.Contains(s, phrase) })
}

// mayAnswer reports whether a word can be the answer itself. The first word of a
// sentence is capitalised in any case.
func mayAnswer(kind question.Kind, m meaning, upper, first bool) bool {
	if m.said {
		return false
	}
	upper = upper && !first
	switch kind {
	case question.KindTime:
		return m.traits&isFigures != 0 || m.traits&isMonth != 0 && upper
	case question.KindNumber:
		return m.traits&(isFigures|isNumberWord) != 0
	case question.KindPerson, question.KindPlace, question.KindName:
		return upper
	}
	return false
}
