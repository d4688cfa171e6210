// Package question tells what is asked: whether a message asks at all, of what sort
// the answer is, which earlier question it leans on, which questions it is made of,
// which documents it compares or wants as a whole, and what needs no document. It
// knows words and no meanings, and answers nothing.
package question

import (
	"regexp"
	"strings"

	"ibid/internal/text"
)

// How much a question asks for.
const (
	Simple   = "simple"
	Moderate = "moderate"
	Complex  = "complex"
)

// Complexity sorts a question by how much it seems to ask for.
func Complexity(s string) string {
	asked := measuring.ReplaceAllString(s, "what")
	words := len(strings.Fields(asked))
	questions := strings.Count(asked, "?")
	switch {
	case Trivial(s):
		return Simple
	case comparing.MatchString(asked), words > 40, questions > 1:
		return Complex
	case explaining.MatchString(asked), words > 16, clauses.MatchString(asked):
		return Moderate
	}
	return Simple
}

// Is reports whether a message asks rather than tells.
func Is(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return asksAtEnd(s) || asking.MatchString(s) || foreignQuestion.MatchString(s)
}

// AboutAll reports whether a question may be about a document as a whole, so that
// no search of some words answers it: "What's in q3.md?"
func AboutAll(s string) bool {
	file := text.FileMention.FindString(s)
	if file == "" {
		return wholeDocument.MatchString(s)
	}
	_, rest := text.Mentions(s, [][]string{{file}})
	return !text.Asks(rest)
}

var wholeDocument = regexp.MustCompile(`(?i)^\W*what(?:['’]s| is)(?: (?:in|inside) (?:the|my|our|your) .+| .+ about)\W*$`)

// Elsewhere reports whether a question is about the library itself, the present or
// the web, or asks for something to be done.
func Elsewhere(s string) bool { return elsewhere.MatchString(s) }

var elsewhere = regexp.MustCompile(`(?i)\b(documents?|files?|library|folders?|category|categories|tags?|page \d+|chapter|section|` +
	`today|now|current(ly)?|latest|news|web|internet|online|calculate|compute|remind|write|draft|translate|` +
	`you|your|dokumente?|dateien?|heute|jetzt)\b`)

// comparing words make a question complex: it needs more than one passage.
var comparing = regexp.MustCompile(`(?i)\b(compare|comparison|contrast|difference|differences|differ|versus|vs|trade-?offs?|pros and cons|` +
	`relate|relationship|impact|implications?|analy[sz]e|evaluate|summari[sz]e|summary|overview|across|between|vergleichen?|vergleiche|unterschiede?|zusammenfassung|fasse|diff[ée]rences?|compare[rz]|r[ée]sume[rz]?|diferencias?|compara[r]?|resumen?|resumir|` +
	`differenz[ae]|confronta|riassumi|riassunto|diferenças?|resuma|resumo)(?:\W|$)`)

// explaining words make a question at least moderate.
var explaining = regexp.MustCompile(`(?i)\b(why|how|explain|describe|reasons?|steps|process|list|which|warum|wie|weshalb|erkläre?|pourquoi|comment|explique[rz]?|por qué|cómo|explica|perché|spiega|por que)(?:\W|$)`)

// measuring is a "how" that asks for one figure.
var measuring = regexp.MustCompile(`(?i)\bhow (many|much|long|old|often|far|tall|high|large|big|deep|fast|wide)\b`)
