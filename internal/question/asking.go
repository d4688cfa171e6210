package question

import (
	"maps"
	"slices"
	"strings"

	"ibid/internal/text"
)

// An askForm is how a language asks for a kind of answer: words that stand in a row,
// normalized. KindAny: the words alone do not tell, but a noun after them may.
type askForm struct {
	words []string
	kind  Kind
}

// grammar is how a language besides English asks.
type grammar struct {
	forms []askForm // longest first
	nouns map[Kind]map[string]bool
}

// grammars by language: those whose file says how they ask. English has rules of its
// own for that (kindOf).
var grammars = func() map[string]*grammar {
	all := map[string]*grammar{}
	for _, code := range codes {
		if text.Phrases(code, "asks person") != nil {
			all[code] = newGrammar(code)
		}
	}
	return all
}()

// kindNames are what the roles of languages call the kinds of answers.
var kindNames = map[Kind]string{KindPerson: "person", KindPlace: "place", KindTime: "time", KindNumber: "number", KindReason: "reason",
	KindDefine: "define", KindName: "name", KindAny: "other"}

func newGrammar(code string) *grammar {
	g := &grammar{nouns: map[Kind]map[string]bool{}}
	for kind, name := range kindNames {
		for _, s := range text.Phrases(code, "asks "+name) {
			g.forms = append(g.forms, askForm{strings.Fields(strings.ReplaceAll(s, "-", " ")), kind})
		}
		if nouns := text.WordsOf(code, "noun "+name); len(nouns) > 0 {
			g.nouns[kind] = nouns
		}
	}
	slices.SortFunc(g.forms, func(a, b askForm) int {
		if n := len(b.words) - len(a.words); n != 0 {
			return n
		}
		return slices.Compare(a.words, b.words)
	})
	return g
}

// formAt is where a question has its asking words.
type formAt struct {
	askForm
	at int
}

// asksWithin is how far into a question its asking words may begin: "In what
// year", "Bis zu welchem Datum".
const asksWithin = 4

// find returns the first form of the language in the words of a question.
func (g *grammar) find(words []string) (formAt, bool) {
	for at := range words[:min(len(words), asksWithin)] {
		for _, f := range g.forms {
			if at+len(f.words) <= len(words) && slices.Equal(words[at:at+len(f.words)], f.words) {
				return formAt{f, at}, true
			}
		}
	}
	return formAt{}, false
}

// kindOf tells the kind of answer, and which words only ask.
func (g *grammar) kindOf(words []string) (kind Kind, asking formAt) {
	asking, ok := g.find(words)
	if !ok {
		return KindAny, formAt{}
	}
	rest := words[asking.at+len(asking.words):]
	if asking.kind != KindAny && asking.kind != KindDefine {
		return asking.kind, asking
	}
	for _, w := range rest[:min(len(rest), 4)] {
		for kind, nouns := range g.nouns {
			if nouns[w] {
				return kind, asking
			}
		}
	}
	if asking.kind == KindDefine && len(rest) > 6 {
		return KindAny, asking
	}
	return asking.kind, asking
}

// spaced are the languages whose questions are told apart by their words, English first.
var spaced = append([]string{"en"}, slices.Sorted(maps.Keys(grammars))...)

// englishAsks begin a question in English.
var englishAsks = text.WordsOf("en", "begins")

// Language is the language that a question is asked in. Most are too
// short for Language to tell, but not how they ask. "" where neither does.
func Language(question string) string {
	if l, ok := text.ScriptLanguage(question); ok {
		return l
	}
	if strings.HasPrefix(strings.TrimSpace(question), "¿") {
		return "es"
	}
	words := plainWords(question)
	if len(words) == 0 {
		return ""
	}
	best, most, tie := "", 0, false
	for _, l := range spaced {
		n := 0
		for _, w := range words {
			if text.FunctionWord(l, w) {
				n++
			}
		}
		if l == "en" {
			if englishAsks[words[0]] {
				n += 3
			} else if slices.ContainsFunc(words, Asking) {
				n += 2
			}
		} else if f, ok := grammars[l].find(words); ok {
			n += 1 + len(f.words)
			if f.at == 0 && f.words[len(f.words)-1] != "was" { // an English question may begin so
				n++
			}
		}
		switch {
		case n > most:
			best, most, tie = l, n, false
		case n == most:
			tie = true
		}
	}
	if tie || most < 3 {
		return text.Language(question)
	}
	return best
}

// plainWords are the normalized words of s, without what is joined of them.
func plainWords(s string) []string {
	var words []string
	for w := range text.Words(s) {
		if !w.Joined {
			words = append(words, w.Text)
		}
	}
	return words
}
