package text

import "strings"

// SourceMark is a regular expression for what stands between the brackets of a footnote
// that a text has of its own: [12], [3, 4], [note 1], [citation needed]. More are other
// forms that the first of its numbers may have.
func SourceMark(more ...string) string {
	return `(?:` + strings.Join(append([]string{`\d{1,3}`, `note \d+`, `citation needed`}, more...), "|") + `)(?:[,–-]\s*\d{1,3})*`
}
