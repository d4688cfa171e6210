package text

import (
	"regexp"
	"strings"
)

var (
	figure  = regexp.MustCompile(`\d[\d.,]*\d|\d`)
	grouped = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d+)?$`)
	denial  = regexp.MustCompile(`(?i)\b(not|no|never|none|neither|nor|nobody|nothing|without|cannot|nicht|kein|keine|keinen|nie|niemals|ohne|pas|jamais|aucun|aucune)\b|n['’]t\b`)
)

// Figures are the numbers of a text that are written in digits, in order, without
// the signs that group them: 1,200 is 1200.
func Figures(s string) []string {
	found := figure.FindAllString(s, -1)
	for i, f := range found {
		f = strings.TrimRight(f, ".,")
		if grouped.MatchString(f) {
			f = strings.ReplaceAll(f, ",", "")
		}
		found[i] = f
	}
	return found
}

// Denies reports whether a text has a word that denies something.
func Denies(s string) bool { return denial.MatchString(s) }
