package evidence

import (
	"slices"
	"strings"

	"ibid/internal/question"
	"ibid/internal/text"
)

// subjectOf returns the terms of what a question asks to define: those before
// it is narrowed down.
func (q *asked) subjectOf(words []string) uint64 {
	var subject uint64
	for _, w := range words {
		if q.lexicon.narrowing[w] && subject != 0 {
			break
		}
		if !question.Asking(w) {
			subject |= bit(q.find(w))
		}
	}
	return subject
}

const (
	// A definition begins with what it defines, within so many words, and has
	// its verb at most so many words later: "R (the language) is".
	subjectWithin = 8
	verbWithin    = 5
)

// defines says how much a sentence looks like a definition of the question's
// subject, from 0 to 1: "A data frame is a list …", "This is called a typed
// trace".
func (q *asked) defines(sentence string) float64 {
	defining, articles, naming := q.lexicon.defining, q.lexicon.articles, q.lexicon.naming
	var words []string
	var seen, run uint64
	first, last := -1, -1
	for w := range text.Words(sentence) {
		if w.Joined {
			continue
		}
		term := bit(q.meaning(w.Text).term) & q.subject
		if term == 0 && !q.said[w.Text] {
			run = 0
		}
		if run |= term; term != 0 && run == q.subject && strings.HasPrefix(sentence[w.End:], ": ") {
			return 0.9 // "Perceived usefulness: the degree …"
		}
		if term != 0 && last < 0 {
			if first < 0 {
				first = len(words)
			}
			if seen |= term; seen == q.subject {
				last = len(words)
			}
		}
		words = append(words, w.Text)
	}
	if last < 0 {
		return 0
	}
	if first <= subjectWithin {
		lead := 1 - float64(first)/16
		for i := last + 1; i < len(words) && i <= last+verbWithin; i++ {
			switch {
			case !defining[words[i]]:
			case i+1 < len(words) && articles[words[i+1]]:
				return lead
			default:
				return 0.4 * lead
			}
		}
	}
	for i := first - 1; i >= 0 && (articles[words[i]] || words[i] == "as" || naming[words[i]]); i-- {
		if naming[words[i]] {
			return 0.7
		}
	}
	return 0
}

// defineUnspaced is what stands between what is defined and what is said of it.
var defineUnspaced = slices.Concat(text.Phrases("ja", "is"), text.Phrases("zh", "is"))

// definesUnspaced is defines for Chinese and Japanese: the subject near the start
// of the sentence, and then what is said of it.
func definesUnspaced(sentence, subject string) float64 {
	s := text.Normalize(strings.Join(strings.Fields(sentence), ""))
	before, after, ok := strings.Cut(s, subject)
	if !ok || len(before) > 24 {
		return 0
	}
	if i := strings.IndexAny(after, "）)"); i > 0 && i < 60 && (strings.HasPrefix(after, "（") || strings.HasPrefix(after, "(")) {
		after = strings.TrimLeft(after[i:], "）)")
	}
	if slices.ContainsFunc(defineUnspaced, func(verb string) bool { return strings.HasPrefix(after, verb) }) {
		return 1 - float64(len(before))/48
	}
	return 0
}
