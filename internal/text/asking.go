package text

import (
	"slices"
	"strings"
	"unicode"
)

// A form is how a language asks for a kind of answer: words that stand in a row,
// normalized. KindAny: the words alone do not tell, but a noun after them may.
type form struct {
	words []string
	kind  Kind
}

// grammar is how a language besides English asks.
type grammar struct {
	forms []form // longest first
	nouns map[Kind]map[string]bool
}

// grammars by language: those whose file says how they ask. English has rules of its
// own for that (kindOf).
var grammars = func() map[string]*grammar {
	all := map[string]*grammar{}
	for _, code := range Languages() {
		if Phrases(code, "asks person") != nil {
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
		for _, s := range Phrases(code, "asks "+name) {
			g.forms = append(g.forms, form{strings.Fields(strings.ReplaceAll(s, "-", " ")), kind})
		}
		if nouns := WordsOf(code, "noun "+name); len(nouns) > 0 {
			g.nouns[kind] = nouns
		}
	}
	slices.SortFunc(g.forms, func(a, b form) int {
		if n := len(b.words) - len(a.words); n != 0 {
			return n
		}
		return slices.Compare(a.words, b.words)
	})
	return g
}

// formAt is where a question has its asking words.
type formAt struct {
	form
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

// englishAsks begin a question in English.
var englishAsks = WordsOf("en", "begins")

// QuestionLanguage is the language that a question is asked in. Most are too
// short for Language to tell, but not how they ask. "" where neither does.
func QuestionLanguage(question string) string {
	if l, ok := scriptLanguage(question); ok {
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
	for _, l := range []string{"en", "de", "fr", "es", "it", "pt"} {
		n := 0
		for _, w := range words {
			if slices.Contains(languageOf[w], l) {
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
		return Language(question)
	}
	return best
}

// plainWords are the normalized words of s, without what is joined of them.
func plainWords(s string) []string {
	var words []string
	for w := range Words(s) {
		if !w.Joined {
			words = append(words, w.Text)
		}
	}
	return words
}

// unspacedForms are how Chinese and Japanese ask; the longer ones first.
var unspacedForms = []struct {
	words string
	kind  Kind
}{
	{"什么时候", KindTime}, {"什麼時候", KindTime}, {"哪一年", KindTime}, {"哪年", KindTime}, {"何时", KindTime}, {"何時", KindTime}, {"いつ", KindTime}, {"何年", KindTime}, {"何月", KindTime},
	{"为什么", KindReason}, {"為什麼", KindReason}, {"为何", KindReason}, {"なぜ", KindReason}, {"どうして", KindReason},
	{"多少", KindNumber}, {"几个", KindNumber}, {"幾個", KindNumber}, {"多长", KindNumber}, {"多大", KindNumber}, {"多高", KindNumber}, {"いくつ", KindNumber}, {"いくら", KindNumber},
	{"何人", KindNumber}, {"何個", KindNumber}, {"何本", KindNumber}, {"何台", KindNumber}, {"何パーセント", KindNumber}, {"どのくらい", KindNumber}, {"どれくらい", KindNumber},
	{"是什么意思", KindDefine}, {"是什么", KindDefine}, {"是什麼", KindDefine}, {"什么是", KindDefine}, {"什麼是", KindDefine}, {"とは何", KindDefine}, {"って何", KindDefine}, {"とはなん", KindDefine},
	{"哪里", KindAny}, {"哪裡", KindAny}, {"在哪", KindAny}, {"どこ", KindAny}, {"谁", KindAny}, {"誰", KindAny}, {"だれ", KindAny}, {"哪个", KindAny}, {"哪些", KindAny}, {"哪", KindAny},
	{"怎么", KindAny}, {"怎麼", KindAny}, {"如何", KindAny}, {"どのように", KindAny}, {"どう", KindAny}, {"どの", KindAny}, {"どれ", KindAny}, {"何", KindAny}, {"什么", KindAny}, {"什麼", KindAny},
}

// unspacedLanguage reports whether a language that is written without spaces has forms
// of its own here.
func unspacedLanguage(language string) bool { return language == "zh" || language == "ja" }

// WithoutAsking takes the asking words out of a Chinese or Japanese question, and
// the particles that tie the others together: pairs of characters across them are
// in no answer. It returns what kind of answer they ask for. Questions in other
// languages stay as they are; KindOfWords reads those.
func WithoutAsking(question, language string) (rest string, kind Kind) {
	if !unspacedLanguage(language) {
		return question, KindAny
	}
	rest = question
	for _, f := range unspacedForms {
		if strings.Contains(rest, f.words) {
			if kind == KindAny {
				kind = f.kind
			}
			rest = strings.ReplaceAll(rest, f.words, " ")
		}
	}
	if language == "ja" {
		for _, end := range []string{"でしょうか", "ましたか", "ますか", "ですか", "です", "か"} {
			if before, ok := strings.CutSuffix(strings.TrimRight(rest, "？?。 　"), end); ok {
				rest = before
				break
			}
		}
	}
	var b strings.Builder
	last := ' '
	for _, r := range rest {
		particle := language == "ja" && strings.ContainsRune("はがをのにでとも", r) && unicode.In(last, unicode.Han, unicode.Katakana)
		if particle || strings.ContainsRune("的了吗呢嗎是在有？。、，", r) {
			r = ' '
		}
		b.WriteRune(r)
		last = r
	}
	bare := b.String()
	if strings.TrimSpace(bare) == "" {
		return question, kind
	}
	return bare, kind
}
