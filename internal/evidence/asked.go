package evidence

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/question"
	"ibid/internal/text"
)

// maxAsked is how many distinct terms of a question count, and how many pairs of
// them: one bit each.
const maxAsked = 64

// relatedBytes is how long a beginning two terms must share to be related:
// "invent" and "inventor".
const relatedBytes = 5

// asked is what is looked for in every sentence. Sets of its terms are bits,
// in the order of the question.
type asked struct {
	analyzer *text.Analyzer
	kind     question.Kind
	terms    map[string]int8    // → its number, 0 to 63
	pairs    map[[2]int8]uint64 // neighbouring terms → the bit of the pair
	begin    map[string]uint64  // beginnings of terms → the terms
	first    [256]bool          // bytes that a word which is one of the terms may begin with
	named    uint64             // terms that are capitalised: who or what it is about
	figures  uint64             // terms that are numbers
	subject  uint64             // of "what is X": the terms of X
	counted  int8               // of "how many X": the term X; else -1
	lexicon  *lexicon           // of the question's language
	defined  string             // in Chinese and Japanese: what the question asks to define
	exact    []string           // the identifiers that it names, joined: "e1042", "parseconfigfile"
	said     map[string]bool    // all its words, normalized
	seen     map[string]meaning // words of the passages
}

// meaning is what a word of a passage means for the question.
type meaning struct {
	term    int8   // the term of the question that it is; else -1
	content bool   // it is no stop word
	said    bool   // the question has it too, in this form
	related uint64 // terms of the question that begin like it
	traits  traits
}

// readAsked reads a question in a language; "" for one that is not known.
func readAsked(s, language string) *asked {
	q := &asked{analyzer: text.NewAnalyzer(cmp.Or(language, "en")), counted: -1,
		terms: make(map[string]int8), pairs: make(map[[2]int8]uint64), begin: make(map[string]uint64),
		said: make(map[string]bool), seen: make(map[string]meaning, 1<<9)}
	for b := utf8.RuneSelf; b < len(q.first); b++ {
		q.first[b] = true // what a word loses with its accents
	}
	q.lexicon = lexiconOf(language)
	s, q.kind = question.WithoutAsking(s, language)
	if q.kind == question.KindDefine {
		q.defined = text.Normalize(strings.Join(strings.Fields(s), ""))
	}
	var words, named []string
	for w := range text.Words(s) {
		q.said[w.Text] = true
		if w.Joined {
			if !isOrdinal(w.Text) && !slices.Contains(q.exact, w.Text) && len(q.exact) < maxAsked {
				q.exact = append(q.exact, w.Text)
			}
			continue
		}
		if len(words) > 0 && capital(s, w.Start) {
			named = append(named, w.Text)
		}
		words = append(words, w.Text)
	}
	if q.kind == question.KindAny {
		q.kind, words = question.KindOfWords(words, language)
	}
	q.number(q.content(words))
	for _, w := range named {
		q.named |= bit(q.find(w))
	}
	for _, w := range words {
		if isFigure(w) {
			q.figures |= bit(q.find(w))
		}
	}
	if q.kind == question.KindDefine {
		q.subject = q.subjectOf(words)
	}
	if i := slices.Index(words, "many"); i > 0 && words[i-1] == "how" && i+1 < len(words) {
		q.counted = q.find(words[i+1])
	}
	return q
}

// isOrdinal reports whether a word of figures and letters is no name of anything
// but a number: "19th", "1970s", "1,577".
func isOrdinal(word string) bool {
	switch strings.TrimLeft(word, "0123456789.") {
	case "", "s", "st", "nd", "rd", "th":
		return true
	}
	return false
}

// content returns the search terms of a question in order, without asking words
// where others are left.
func (q *asked) content(words []string) []string {
	var content, all []string
	for _, w := range words {
		t, ok := q.analyzer.Term(w)
		if !ok {
			continue
		}
		all = append(all, t)
		if !question.Asking(w) {
			content = append(content, t)
		}
	}
	if len(content) > 0 {
		return content
	}
	return all
}

// number gives each term its bit, and each pair of neighbours.
func (q *asked) number(content []string) {
	last := int8(-1)
	for _, t := range content {
		at, known := q.terms[t]
		if !known {
			if len(q.terms) == maxAsked {
				return
			}
			at = int8(len(q.terms))
			q.terms[t] = at
			q.first[t[0]] = true
			if len(t) >= relatedBytes {
				q.begin[t[:relatedBytes]] |= bit(at)
			}
		}
		pair := [2]int8{last, at}
		if last >= 0 && q.pairs[pair] == 0 {
			q.pairs[pair] = 1 << len(q.pairs) // 0, so never met, past the last bit
		}
		last = at
	}
}

// find returns the term of the question that a normalized word is, -1 for none.
func (q *asked) find(word string) int8 {
	if t, ok := q.analyzer.Term(word); ok {
		if at, asked := q.terms[t]; asked {
			return at
		}
	}
	return -1
}

// meaning looks a normalized word up. Most words come up often. Stemming costs most,
// and stemmers keep the first letter, so it is spared where none of the terms
// begins with that.
func (q *asked) meaning(word string) meaning {
	if m, ok := q.seen[word]; ok {
		return m
	}
	m := meaning{term: -1, content: !q.analyzer.Stop(word), said: q.said[word], traits: q.lexicon.traitsOf(word)}
	if m.content && q.first[word[0]] {
		t := q.analyzer.Stem(word)
		if at, asked := q.terms[t]; asked {
			m.term = at
		}
		if len(t) >= relatedBytes {
			m.related = q.begin[t[:relatedBytes]]
		}
	}
	q.seen[word] = m
	return m
}

// termsOf returns the terms of the question that a text has.
func (q *asked) termsOf(s string) uint64 {
	var terms uint64
	for w := range text.Words(s) {
		terms |= bit(q.meaning(w.Text).term)
	}
	return terms
}

// bit is the set of one term; -1 is none.
func bit(term int8) uint64 {
	if term < 0 {
		return 0
	}
	return 1 << term
}

// capital reports whether a capital stands at i.
func capital(s string, i int) bool {
	if c := s[i]; c < utf8.RuneSelf {
		return c >= 'A' && c <= 'Z'
	}
	c, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(c)
}
