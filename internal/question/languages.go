package question

import (
	"regexp"
	"strings"

	"ibid/internal/text"
)

// The forms of questions are written once, for all languages, with roles in the places
// of words: {compare}. What plays a role stands in the files of text/languages:
//
//	ask, lead           question words, and the prepositions before them: "in what year"
//	and, with, vs, on   what joins the sides of a comparison, and its topic
//	compare, difference what asks for one
//	greeting, address   small talk, as are:
//	thanks, much, word, identity
//	clock, zone         the time, and where
//	calculate, result   what stands before arithmetic; its operators are:
//	plus, minus, times, over, power, squared, cubed, percent, root
//	summarise           what asks for a document as a whole
//	complex, explain    what asks for more than one passage, or for more than a fact
//	elsewhere           what no search of the documents answers
//	go on               begins a question that goes on with the one before
//	alone               a question with nothing to ask about: "Why?"
//	pronoun             stands for what was named
//	preposition, within name, not a name
//
// Those of documents that a question names (naming.go), besides summarise:
//
//	what is, about      ask for a document where a file is named: "tell me about"
//	document, titled    what documents are called in general; those before their names
//	determiner          the, my
//	reads, according, per   come before the name of a document, and nothing else hardly does
//	inside, beside      prepositions before it, as before any other
//	says, does          come after it; "does" after names of other things, too
//	apart               the end of a verb, behind the name: "Fasse q3.md zusammen"
//	in passing          what may follow at the end: "please"
//	hints               beginnings of words beside which a document may be named
//	telling             words that ask for something without saying about what
//	filler              words that names may lack
//	measured            behind "how", where an amount is asked for
//	counts, comparing   words of counting and ordering, and of comparing, wherever they stand
//
// And those of how languages ask (kind.go, asking.go, unspaced.go): asks KIND, noun KIND,
// begins; tie, particle and ends in languages that are written without spaces.
//
// Phrases of these roles may be regular expressions.

// codes are the codes of the languages, English first.
var codes = text.Languages()

// role is a place for the phrases of one in a form: {compare}.
var role = regexp.MustCompile(`\{([a-z ]+)\}`)

// form is the form of a question, in which {role} stands for the phrases that
// play it in any language. Case doesn't count.
func form(written string) pattern {
	return lazily(func() string {
		return "(?i)" + role.ReplaceAllStringFunc(written, func(place string) string {
			return oneOf(codes, strings.Trim(place, "{}"))
		})
	})
}

// formsByLanguage is a form for each language alone, for where words of several
// would be mistaken for each other; for those that have all of its roles.
func formsByLanguage(written string) map[string]pattern {
	forms := map[string]pattern{}
	for _, code := range codes {
		known := true
		expression := role.ReplaceAllStringFunc(written, func(place string) string {
			name := strings.Trim(place, "{}")
			known = known && text.Phrases(code, name) != nil
			return oneOf([]string{code}, name)
		})
		if known {
			forms[code] = lazily(func() string { return "(?i)" + expression })
		}
	}
	return forms
}

// oneOf matches one of the phrases that play a role in some languages.
func oneOf(codes []string, role string) string {
	var phrases []string
	for _, code := range codes {
		phrases = append(phrases, text.Phrases(code, role)...)
	}
	return "(?:" + strings.Join(phrases, "|") + ")"
}

// words are those that play a role in any language.
func words(role string) map[string]bool {
	set := map[string]bool{}
	for _, code := range codes {
		for _, phrase := range text.Phrases(code, role) {
			set[phrase] = true
		}
	}
	return set
}
