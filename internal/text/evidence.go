package text

import "strings"

// traits are what a word can be evidence of.
type traits uint8

const (
	isFigures    traits = 1 << iota // digits only
	isYear                          // four of them, from 1000 to 2099
	isNumberWord                    // seven
	isMonth
	isTimeWord    // century
	isPlaceBefore // in, near: a place may follow
	isDefining    // is, means
)

var traitsOfWord = func() map[string]traits {
	m := make(map[string]traits)
	for t, role := range map[traits]string{
		isMonth:       "month",
		isTimeWord:    "time word",
		isNumberWord:  "number word",
		isPlaceBefore: "place before",
		isDefining:    "is or means",
	} {
		for w := range wordsOf("en", role) {
			m[w] |= t
		}
	}
	return m
}()

func traitsOf(word string) traits {
	if !allDigits(word) {
		return traitsOfWord[word]
	}
	if len(word) == 4 && (word[0] == '1' || word[:2] == "20") {
		return isFigures | isYear
	}
	return isFigures
}

// evidence follows the words of a sentence and says how well it can hold an
// answer of the kind that is asked for, from 0 to 1: a number for how many, a
// name for who. What the question itself says is no evidence.
type evidence struct {
	kind   Kind
	best   float64
	words  int
	run    int    // capitalised words in a row
	before traits // of the word before
}

func (e *evidence) see(m meaning, upper bool) {
	e.words++
	switch e.kind {
	case KindTime:
		e.best = max(e.best, timeEvidence(m, upper))
	case KindNumber:
		e.best = max(e.best, numberEvidence(m))
	case KindPerson, KindName, KindPlace:
		e.name(upper && !m.said && m.traits&isMonth == 0)
	case KindDefine:
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
func (e *evidence) name(named bool) {
	if !named {
		e.run = 0
		return
	}
	e.run++
	place := e.kind == KindPlace
	switch {
	case e.words == 1: // any word is capitalised there
		e.best = max(e.best, 0.2)
	case e.run > 1 && !place, place && e.before&isPlaceBefore != 0:
		e.best = 1
	default:
		e.best = max(e.best, 0.6)
	}
}

// reasons are the phrases that introduce one.
var reasons = Phrases("en", "reason")

func givesReason(sentence string, g *grammar) bool {
	s := strings.ToLower(sentence)
	phrases := reasons
	if g != nil {
		phrases = g.reasons
	}
	for _, p := range phrases {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// mayAnswer reports whether a word can be the answer itself. The first word of a
// sentence is capitalised in any case.
func (k Kind) mayAnswer(m meaning, upper, first bool) bool {
	if m.said {
		return false
	}
	upper = upper && !first
	switch k {
	case KindTime:
		return m.traits&isFigures != 0 || m.traits&isMonth != 0 && upper
	case KindNumber:
		return m.traits&(isFigures|isNumberWord) != 0
	case KindPerson, KindPlace, KindName:
		return upper
	}
	return false
}
