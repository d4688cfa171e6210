package question

import (
	"regexp"
	"slices"
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

// clauses joins two questions into one sentence.
var clauses = formsByLanguage(`,? {and} ({ask})(?:[\s'’?]|$)`)

func hasClauses(s string) bool {
	for _, form := range clauses {
		if form.MatchString(s) {
			return true
		}
	}
	return false
}

// joinedClauses splits a question at its "and when", "and what".
func joinedClauses(s string) []string {
	for _, code := range codes {
		begins, joins := asking[code], clauses[code]
		if !begins.known() || !joins.known() || !begins.MatchString(strings.TrimSpace(s)) {
			continue
		}
		var parts []string
		start := 0
		for _, m := range joins.FindAllStringSubmatchIndex(s, -1) {
			parts = append(parts, asQuestion(s[start:m[0]]))
			start = m[2]
		}
		if start > 0 {
			return eachAlone(append(parts, asQuestion(s[start:])))
		}
	}
	return nil
}

func asQuestion(s string) string {
	s = strings.TrimRight(strings.TrimLeft(strings.TrimSpace(s), "¿ "), " ?.,")
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "?"
}

var (
	relates  = regexp.MustCompile(`(?i)^how (?:does|do|did|is|are) (.+?) (?:relate|related|connect|connected|linked) (?:to|with)\s+(.+?)[?.!]*$`)
	relation = regexp.MustCompile(`(?i)^what (?:is|was|are) the (?:relationship|relation|connection|link|impact|effect|influence) (?:between|of) (.+?) (?:and|on) (.+?)[?.!]*$`)
)

// compared splits a comparison into a search for each side.
func compared(s string) []string {
	a, b, topic, ok := Comparison(s)
	if !ok {
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

// Split cuts a message into its questions where it has several, at most so many, that
// stand on their own; else it is one.
func Split(s string, most int) []string {
	var parts []string
	for _, span := range text.Sentences(s) {
		if part := strings.TrimSpace(s[span.Start:span.End]); asksAtEnd(part) {
			parts = append(parts, part)
		}
	}
	if len(parts) < 2 || len(parts) > most || slices.ContainsFunc(parts, Leans) {
		return []string{strings.Join(strings.Fields(s), " ")}
	}
	return parts
}
