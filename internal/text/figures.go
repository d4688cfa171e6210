package text

import "strings"

// Figures are the numbers of a text that are written in digits, in order, without
// the signs that group them: 1,200 is 1200.
func Figures(s string) []string {
	var found []string
	for _, at := range FigureSpans(s) {
		f := s[at.Start:at.End]
		if grouped(f) {
			f = strings.ReplaceAll(f, ",", "")
		}
		found = append(found, f)
	}
	return found
}

// FigureSpans are where numbers stand in a text that are written in digits: points and
// commas are part of one between its digits.
func FigureSpans(s string) []Span {
	var found []Span
	for i := 0; i < len(s); {
		if !asciiDigit(s, i) {
			i++
			continue
		}
		end := i + 1
		for end < len(s) && (asciiDigit(s, end) || s[end] == '.' || s[end] == ',') {
			end++
		}
		found = append(found, Span{i, i + len(strings.TrimRight(s[i:end], ".,"))})
		i = end
	}
	return found
}

// grouped reports whether commas part a number by the thousand: 1,200 or 1,234,567.5.
func grouped(figure string) bool {
	whole, fraction, ok := strings.Cut(figure, ".")
	if ok && !allDigits(fraction) {
		return false
	}
	first, rest, ok := strings.Cut(whole, ",")
	if !ok || len(first) > 3 || !allDigits(first) {
		return false
	}
	for group := range strings.SplitSeq(rest, ",") {
		if len(group) != 3 || !allDigits(group) {
			return false
		}
	}
	return true
}

// denying are the words that deny something, of all languages: what denies in one is
// rare in the others.
var denying = WordsOfAll("denies")

// Denies reports whether a text has a word that denies something: "never", "doesn't".
func Denies(s string) bool {
	for run := range Runs(s) {
		if word := s[run.Start:run.End]; isOf(denying, word) || strings.EqualFold(word, "t") && endsInNot(s[:run.Start]) {
			return true
		}
	}
	return false
}

// endsInNot reports whether a text ends with "n'", which a t makes to a denial.
func endsInNot(s string) bool {
	before, cut := strings.CutSuffix(s, "'")
	if !cut {
		before, cut = strings.CutSuffix(s, "’")
	}
	return cut && (strings.HasSuffix(before, "n") || strings.HasSuffix(before, "N"))
}
