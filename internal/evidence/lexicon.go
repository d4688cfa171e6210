package evidence

import "ibid/internal/text"

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

// lexicon is how a language says what may be an answer. The words are those of its file
// (internal/text/languages).
type lexicon struct {
	defining  map[string]bool // verbs of definitions
	articles  map[string]bool // what follows them there
	narrowing map[string]bool // they begin what narrows a question down: "a factor in R"
	naming    map[string]bool // "is called"
	reasons   []string        // phrases that introduce one
	traits    map[string]traits
}

// lexicons are those of the languages whose file says how they define.
var lexicons = func() map[string]*lexicon {
	all := map[string]*lexicon{}
	for _, code := range text.Languages() {
		if text.Phrases(code, "defines") != nil {
			all[code] = newLexicon(code)
		}
	}
	return all
}()

// lexiconOf is the lexicon of a language, the English one where there is none.
func lexiconOf(language string) *lexicon {
	if l := lexicons[language]; l != nil {
		return l
	}
	return lexicons["en"]
}

func newLexicon(code string) *lexicon {
	l := &lexicon{defining: text.WordsOf(code, "defines"), articles: text.WordsOf(code, "article"), narrowing: text.WordsOf(code, "narrows"),
		naming: text.WordsOf(code, "calls"), reasons: text.Phrases(code, "reason"), traits: map[string]traits{}}
	add := func(t traits, words map[string]bool) {
		for w := range words {
			l.traits[w] |= t
		}
	}
	for t, role := range map[traits]string{isTimeWord: "time word", isNumberWord: "number word", isPlaceBefore: "place before"} {
		// Texts in any language have English words.
		add(t, text.WordsOf("en", role))
		add(t, text.WordsOf(code, role))
	}
	add(isMonth, text.WordsOf("en", "month"))
	add(isDefining, text.WordsOf("en", "is or means"))
	if code != "en" {
		add(isDefining, l.defining)
	}
	return l
}

// traitsOf are the traits of a normalized word.
func (l *lexicon) traitsOf(word string) traits {
	if !isFigure(word) {
		return l.traits[word]
	}
	if len(word) == 4 && (word[0] == '1' || word[:2] == "20") {
		return isFigures | isYear
	}
	return isFigures
}
