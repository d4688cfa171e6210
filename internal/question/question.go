// Package question tells what is asked: whether a message asks at all, of what sort
// the answer is, which earlier question it leans on, which questions it is made of,
// which documents it compares or wants as a whole, and what needs no document. It
// knows words and no meanings, and answers nothing.
package question

import "strings"

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
	case explaining.MatchString(asked), words > 16, hasClauses(asked):
		return Moderate
	}
	return Simple
}

// Is reports whether a message asks rather than tells.
func Is(s string) bool {
	s = strings.TrimSpace(s)
	if asksAtEnd(s) {
		return true
	}
	for _, form := range asking {
		if form.MatchString(s) {
			return true
		}
	}
	return false
}

// asking is how questions begin. A boundary (\b) is one of ASCII only, so it is said
// what follows.
var asking = formsByLanguage(`^¿?\s*(?:{lead} )?{ask}(?:[\s'’?]|$)`)

// Counts reports whether a question counts, sums up or orders, as only data can.
func Counts(s string) bool { return counting.MatchString(s) }

// Elsewhere reports whether a question is about the library itself, the present or
// the web, or asks for something to be done.
func Elsewhere(s string) bool { return elsewhere.MatchString(s) }

var (
	elsewhere = form(`\b{elsewhere}\b`)
	// comparing words make a question complex: it needs more than one passage.
	comparing = form(`\b{complex}(?:\W|$)`)
	// explaining words make a question at least moderate.
	explaining = form(`\b{explain}(?:\W|$)`)
	counting   = form(`\b{counts}\b`)
	// measuring is a "how" that asks for one figure.
	measuring = form(`\bhow {measured}\b`)
)
