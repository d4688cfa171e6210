package say

import (
	"strconv"
	"strings"
	"unicode"
)

// ShellQuote writes a word as a shell reads it: as in POSIX, and what cannot be
// shown as in bash and zsh.
func ShellQuote(s string) string {
	safeBytes := func(r rune) bool {
		return strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safeBytes(r) }) < 0 {
		return s
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		q := strconv.QuoteToGraphic(s)
		return "$'" + strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
