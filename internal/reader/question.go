package reader

import (
	"slices"
	"strings"

	"ibid/internal/text"
)

// kind is what sort of answer a question expects.
type kind int

const (
	kindOther  kind = iota
	kindPerson      // who
	kindPlace       // where
	kindTime        // when
	kindNumber      // how many, how much
	kindReason      // why
	kindName        // which, what is the name of
	kindDefine      // what is X
)

// question is a question taken apart for matching.
type question struct {
	text    string
	kind    kind
	terms   []string        // search terms in order, each once
	pairs   map[string]bool // neighbouring terms, joined by a space
	words   map[string]bool // all words, folded
	named   map[string]bool // terms that are capitalised: who or what it is about
	counted string          // of "how many X": the term X
}

func newQuestion(a *text.Analyzer, s string) question {
	q := question{text: s, words: map[string]bool{}, pairs: map[string]bool{}, named: map[string]bool{}}
	var words []string
	for w := range text.Words(s) {
		q.words[w.Text] = true
		if w.Joined {
			continue
		}
		if t, ok := a.Term(w.Text); ok && len(words) > 0 && upperAt(s, w.Start) {
			q.named[t] = true
		}
		words = append(words, w.Text)
	}
	q.kind = kindOf(words)
	content := questionContent(a, words)
	for i, t := range content {
		if !slices.Contains(q.terms, t) {
			q.terms = append(q.terms, t)
		}
		if i > 0 {
			q.pairs[content[i-1]+" "+t] = true
		}
	}
	for i, w := range words {
		if w == "how" && i+2 < len(words) && words[i+1] == "many" {
			q.counted, _ = a.Term(words[i+2])
		}
	}
	return q
}

// askingWords say what is asked for, not about what. They are in no answer.
var askingWords = wordSet("who whom whose when where why which what how many much long old often")

// questionContent returns the search terms of a question in order, without
// asking words where others are left.
func questionContent(a *text.Analyzer, words []string) []string {
	var content, all []string
	for _, w := range words {
		t, ok := a.Term(w)
		if !ok {
			continue
		}
		all = append(all, t)
		if !askingWords[w] {
			content = append(content, t)
		}
	}
	switch {
	case len(content) > 0:
		return content
	case len(all) > 0:
		return all
	}
	return words
}

// What a noun after "what" or "which" says about the answer.
var (
	timeNouns   = wordSet("year years date dates day month decade century season era period time")
	numberNouns = wordSet("number amount percentage percent proportion population size cost price distance height length width area rate ratio total salary weight speed temperature temperatures budget fraction share score capacity depth age")
	placeNouns  = wordSet("country countries city cities place places state states town region regions location continent river area street county province nation nations island district building")
	personNouns = wordSet("person people scientist president king queen emperor author artist actor actress singer player leader general architect composer doctor philosopher mathematician politician director founder inventor writer man woman pope bishop minister coach quarterback physicist historian explorer")
	auxiliaries = wordSet("is are was were 's does do did")
)

// kindOf tells the kind of answer from a question's words, in order.
func kindOf(words []string) kind {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "who", "whom", "whose":
			return kindPerson
		case "where":
			return kindPlace
		case "when":
			return kindTime
		case "why":
			return kindReason
		case "how":
			switch next {
			case "many", "much", "long", "old", "far", "tall", "big", "large", "high", "fast", "often", "deep", "wide", "heavy":
				return kindNumber
			}
			return kindOther
		case "what", "which":
			return kindOfNoun(words[i+1:], w)
		}
	}
	return kindOther
}

// kindOfNoun looks at what follows "what" or "which".
func kindOfNoun(rest []string, asking string) kind {
	for i, w := range rest {
		switch {
		case i > 4:
			return kindOther
		case timeNouns[w]:
			return kindTime
		case numberNouns[w]:
			return kindNumber
		case personNouns[w]:
			return kindPerson
		case placeNouns[w]:
			return kindPlace
		case w == "name" || w == "named" || w == "called" || w == "term":
			return kindName
		case w == "reason" || w == "cause" || w == "caused" || w == "causes":
			return kindReason
		}
	}
	if len(rest) > 0 && auxiliaries[rest[0]] && len(rest) <= 5 {
		return kindDefine
	}
	if asking == "which" {
		return kindName
	}
	return kindOther
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
