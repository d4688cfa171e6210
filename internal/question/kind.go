package question

import (
	"slices"

	"ibid/internal/text"
)

// Kind is what sort of answer a question expects, where its words tell: those of
// English, and of the languages in grammars.
type Kind uint8

const (
	KindAny    Kind = iota
	KindPerson      // who
	KindPlace       // where
	KindTime        // when
	KindNumber      // how many, how much
	KindReason      // why
	KindName        // which, what is the name of
	KindDefine      // what is X
)

// KindOf tells what sort of answer a question expects.
func KindOf(question string) Kind {
	language := Language(question)
	if _, ok := writtenUnspaced[language]; ok {
		_, kind := WithoutAsking(question, language)
		return kind
	}
	kind, _ := KindOfWords(plainWords(question), language)
	return kind
}

// KindOfWords tells what sort of answer a question expects from its normalized words,
// in order, and returns those that do not only ask.
func KindOfWords(words []string, language string) (kind Kind, rest []string) {
	g := grammars[language]
	if g == nil {
		return kindOf(words), words
	}
	kind, asking := g.kindOf(words)
	return kind, slices.Delete(words, asking.at, asking.at+len(asking.words))
}

// askingWords are in no answer.
var askingWords = text.WordSet("who whom whose when where why which what how many much long old often")

// Asking reports whether a normalized word says what is asked for ("who"), not about
// what.
func Asking(word string) bool { return askingWords[word] }

// What a noun after "what" or "which" says about the answer.
var (
	timeNouns   = text.WordsOf("en", "noun time")
	numberNouns = text.WordsOf("en", "noun number")
	placeNouns  = text.WordsOf("en", "noun place")
	personNouns = text.WordsOf("en", "noun person")
	// narrowing words begin what narrows a question down: "a factor in R".
	narrowing = text.WordsOf("en", "narrows")
	// measured words come behind "how" where an amount is asked for.
	measured    = text.WordsOf("en", "measured")
	auxiliaries = text.WordSet("is are was were 's does do did")
)

// kindOf tells the kind of answer from a question's words, in order.
func kindOf(words []string) Kind {
	for i, w := range words {
		switch w {
		case "who", "whom", "whose":
			return KindPerson
		case "where":
			return KindPlace
		case "when":
			return KindTime
		case "why":
			return KindReason
		case "how":
			return kindOfHow(words[i+1:])
		case "what", "which":
			return kindOfNoun(words[i+1:], w)
		}
	}
	return KindAny
}

// kindOfHow looks at what follows "how".
func kindOfHow(rest []string) Kind {
	if len(rest) == 0 {
		return KindAny
	}
	if measured[rest[0]] {
		return KindNumber
	}
	return KindAny
}

// kindOfNoun looks at what follows "what" or "which".
func kindOfNoun(rest []string, asking string) Kind {
	for i, w := range rest {
		switch {
		case i > 4:
			return KindAny
		case timeNouns[w]:
			return KindTime
		case numberNouns[w]:
			return KindNumber
		case personNouns[w]:
			return KindPerson
		case placeNouns[w]:
			return KindPlace
		case w == "name" || w == "named" || w == "called" || w == "term":
			return KindName
		case w == "reason" || w == "cause" || w == "caused" || w == "causes":
			return KindReason
		}
	}
	subject := rest
	for i := 2; i < len(rest); i++ {
		if narrowing[rest[i]] { // a data frame in R
			subject = rest[:i]
			break
		}
	}
	if len(rest) > 0 && auxiliaries[rest[0]] && len(subject) <= 5 && len(rest) <= 9 {
		return KindDefine
	}
	if asking == "which" {
		return KindName
	}
	return KindAny
}
