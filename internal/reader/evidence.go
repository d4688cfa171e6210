package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/text"
)

// evidence says how well a sentence can hold an answer of the kind that is
// asked for, from 0 to 1: a number for how many, a name for who. What the
// question itself says is no evidence.
func evidence(q question, sentence string) float64 {
	switch q.kind {
	case kindTime:
		return timeEvidence(q, sentence)
	case kindNumber:
		return numberEvidence(q, sentence)
	case kindPerson, kindName:
		return nameEvidence(q, sentence, false)
	case kindPlace:
		return nameEvidence(q, sentence, true)
	case kindReason:
		return phraseEvidence(sentence, reasons)
	case kindDefine:
		return definitionEvidence(q, sentence)
	}
	return 0
}

var (
	months      = wordSet("january february march april may june july august september october november december")
	timeWords   = wordSet("century decade spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday today yesterday ago bc ad bce ce era millennium")
	numberWords = wordSet("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion billions trillion dozen half third quarter percent twice double once several none zero")
	placeBefore = wordSet("in at near from to of on around outside inside across through within throughout between")
)

// reasons are the phrases that introduce one.
var reasons = []string{"because", "due to", "since ", "so that", "in order to", "as a result", "caused by", "result of",
	"reason", "therefore", "led to", "owing to", "thus", "to avoid", "to prevent", "allow", "so as to", "for fear", "as it "}

func timeEvidence(q question, sentence string) float64 {
	best := 0.0
	for w := range text.Words(sentence) {
		if q.words[w.Text] {
			continue
		}
		switch {
		case isYear(w.Text):
			return 1
		case months[w.Text] && upperAt(sentence, w.Start), timeWords[w.Text]:
			best = max(best, 0.8)
		case isDigits(w.Text):
			best = max(best, 0.4)
		}
	}
	return best
}

func numberEvidence(q question, sentence string) float64 {
	best := 0.0
	for w := range text.Words(sentence) {
		if q.words[w.Text] || w.Joined {
			continue
		}
		switch {
		case isNumber(w.Text) && !isYear(w.Text):
			return 1
		case isNumber(w.Text):
			best = max(best, 0.4)
		case numberWords[w.Text]:
			best = max(best, 0.8)
		}
	}
	return best
}

// nameEvidence looks for capitalised words that the question does not have; two
// in a row, or one after a preposition of place, count most.
func nameEvidence(q question, sentence string, place bool) float64 {
	best, run, before := 0.0, 0, ""
	first := true
	for w := range text.Words(sentence) {
		if w.Joined {
			continue
		}
		named := upperAt(sentence, w.Start) && !months[w.Text] && !q.words[w.Text]
		switch {
		case !named:
			run = 0
		case first: // any word is capitalised there
			run = 1
			best = max(best, 0.2)
		default:
			run++
			best = max(best, 0.6)
			if run > 1 && !place || place && placeBefore[before] {
				return 1
			}
		}
		first, before = false, w.Text
	}
	return best
}

func phraseEvidence(sentence string, phrases []string) float64 {
	s := strings.ToLower(sentence)
	for _, p := range phrases {
		if strings.Contains(s, p) {
			return 1
		}
	}
	return 0
}

// definitionEvidence looks for "X is …" near the start of the sentence.
func definitionEvidence(q question, sentence string) float64 {
	n := 0
	for w := range text.Words(sentence) {
		if w.Joined {
			continue
		}
		if n++; n > 12 {
			return 0
		}
		switch w.Text {
		case "is", "are", "was", "were", "means", "refers", "called", "known", "defined":
			if n > 1 {
				return 1 - float64(n)/24
			}
		}
	}
	return 0
}

func upperAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r)
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isNumber takes digits, also with separators: 1,204.50.
func isNumber(s string) bool {
	return isDigits(strings.Map(func(r rune) rune {
		if r == ',' || r == '.' {
			return -1
		}
		return r
	}, s))
}

// isYear takes four digits from 1000 to 2099 for a year.
func isYear(s string) bool {
	return len(s) == 4 && isDigits(s) && (s[0] == '1' || s[0] == '2' && s[1] == '0')
}
