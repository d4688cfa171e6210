package question

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/text"
)

// maxSubQueries bounds how many searches one question starts at once.
const maxSubQueries = 4

// Parts returns the questions that a question is made of, each as it stands
// alone; fewer than two where it is one.
//
//	How long is the lease? Who signed it?          → each question
//	How long is the lease, and what is the rent?   → each clause
//	Compare the lease and the deed on pets         → pets the lease, pets the deed
//	How does the lease relate to the deed?         → the lease, the deed, and the question
func Parts(question string) []string {
	for _, split := range []func(string) []string{questions, compared, related, joinedClauses} {
		if parts := split(question); len(parts) > 1 {
			return parts[:min(len(parts), maxSubQueries)]
		}
	}
	return nil
}

// questions splits a message at its question marks.
func questions(s string) []string {
	var parts []string
	for _, span := range text.Sentences(s) {
		if part := s[span.Start:span.End]; asksAtEnd(part) {
			parts = append(parts, part)
		}
	}
	return eachAlone(parts)
}

// eachAlone makes each part stand alone, by those before it; none where that is
// unsure.
func eachAlone(parts []string) []string {
	if len(parts) < 2 {
		return nil
	}
	full := make([]string, len(parts))
	for i, p := range parts {
		var sure bool
		if full[i], sure = Standalone(p, full[:i]); !sure {
			return nil
		}
	}
	return full
}

// asksAtEnd reports whether a sentence ends with a question mark, of whatever
// script.
func asksAtEnd(s string) bool { return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") }

// foreignAsking are the words that questions begin with in German, French,
// Spanish, Italian and Portuguese. A boundary (\b) is one of ASCII only, so that
// a space follows where they are used.
const foreignAsking = `wer|wen|wem|wessen|was|wann|wo|woher|wohin|warum|wieso|weshalb|wie|welche[rsmn]?|` +
	`qui|où|quand|pourquoi|comment|combien|quel(?:le)?s?|que|qu|` +
	`quién(?:es)?|qué|cuándo|dónde|por qué|cómo|cuánt[oa]s?|cuál(?:es)?|` +
	`chi|cosa|che cosa|dove|perché|come|quant[oaie]|qual[ei]?|quem|o que|onde|por que|como|quant[oa]s|quais|quando`

var (
	// clauses joins two questions into one sentence.
	clauses = regexp.MustCompile(`(?i),? (?:and (who|whom|what|when|where|which|why|how)\b|(?:und|et|y|e) ((?:` + foreignAsking + `)(?:\s|['’])))`)
	// foreignQuestion begins a question that is not English.
	foreignQuestion = regexp.MustCompile(`(?i)^¿?\s*(?:(?:in|en|em|à|a|de|di|da|seit|desde|depuis|zu) )?(?:` + foreignAsking + `)(?:\s|['’])`)
)

// joinedClauses splits a question at its "and when", "and what".
func joinedClauses(s string) []string {
	first := strings.ToLower(strings.TrimSpace(s))
	if !asking.MatchString(first) && !foreignQuestion.MatchString(first) {
		return nil
	}
	var parts []string
	start := 0
	for _, m := range clauses.FindAllStringSubmatchIndex(s, -1) {
		parts = append(parts, asQuestion(s[start:m[0]]))
		start = max(m[2], m[4]) // whichever language it was
	}
	return eachAlone(append(parts, asQuestion(s[start:])))
}

var asking = regexp.MustCompile(`^(who|whom|what|when|where|which|why|how|in what|on what)\b`)

func asQuestion(s string) string {
	s = strings.TrimRight(strings.TrimLeft(strings.TrimSpace(s), "¿ "), " ?.,")
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "?"
}

var (
	comparison = regexp.MustCompile(`(?i)^(?:please |can you )*(?:compare|contrast)\s+(.+?)\s+(?:and|with|to|against|vs\.?|versus)\s+(.+?)(?:\s+(?:on|about|regarding|concerning|with respect to|in terms of)\s+(.+?))?[?.!]*$`)
	difference = regexp.MustCompile(`(?i)^(?:what (?:is|are) )?(?:the )?differences?\s+(?:in (.+?) )?between\s+(.+?)\s+and\s+(.+?)(?:\s+(?:on|about|regarding|concerning|with respect to|in terms of)\s+(.+?))?[?.!]*$`)
	differs    = regexp.MustCompile(`(?i)^how (?:does|do|did) (.+?) (?:differ from|compare (?:to|with))\s+(.+?)(?:\s+(?:on|about|regarding|concerning|in terms of)\s+(.+?))?[?.!]*$`)
	against    = regexp.MustCompile(`(?i)^(.+?)\s+(?:vs\.?|versus)\s+(.+?)[?.!]*$`)
	// The same in German, French, Spanish, Italian and Portuguese.
	foreignDifference = regexp.MustCompile(`(?i)(?:unterschiede?n? zwischen|différences? entre|diferencias? entre|differenz[ae] (?:tra|fra)|diferenças? entre)\s+(.+?)\s+(?:und|et|y|e)\s+(.+?)[?.!\s]*$`)
	foreignComparison = regexp.MustCompile(`(?i)^(?:vergleichen?|vergleiche|comparez|comparer|compara|comparar|confronta|confrontare|compare)\s+(.+?)\s+(?:und|mit|et|avec|y|con|e|com)\s+(.+?)[?.!\s]*$`)
	relates           = regexp.MustCompile(`(?i)^how (?:does|do|did|is|are) (.+?) (?:relate|related|connect|connected|linked) (?:to|with)\s+(.+?)[?.!]*$`)
	relation          = regexp.MustCompile(`(?i)^what (?:is|was|are) the (?:relationship|relation|connection|link|impact|effect|influence) (?:between|of) (.+?) (?:and|on) (.+?)[?.!]*$`)
)

// compared splits a comparison into a search for each side.
func compared(s string) []string {
	var a, b, topic string
	if m := comparison.FindStringSubmatch(s); m != nil {
		a, b, topic = m[1], m[2], m[3]
	} else if m := difference.FindStringSubmatch(s); m != nil {
		a, b, topic = m[2], m[3], m[1]+m[4]
	} else if m := differs.FindStringSubmatch(s); m != nil {
		a, b, topic = m[1], m[2], m[3]
	} else if m := against.FindStringSubmatch(s); m != nil {
		a, b = m[1], m[2]
	} else if m := foreignDifference.FindStringSubmatch(s); m != nil {
		a, b = m[1], m[2]
	} else if m := foreignComparison.FindStringSubmatch(s); m != nil {
		a, b = m[1], m[2]
	} else {
		return nil
	}
	return []string{strings.TrimSpace(topic + " " + a), strings.TrimSpace(topic + " " + b)}
}

// related splits the question for a relation into both sides, beside the
// question itself.
func related(s string) []string {
	for _, form := range []*regexp.Regexp{relates, relation} {
		if m := form.FindStringSubmatch(s); m != nil {
			return []string{m[1], m[2], s}
		}
	}
	return nil
}
