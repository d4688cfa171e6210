package format

import "strings"

// Paragraphs yields the runs of lines between blank ones. Runs longer than a
// block are yielded in pieces, at line ends where there are some.
func Paragraphs(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var para strings.Builder
		for line := range Lines(s) {
			blank := strings.TrimSpace(line) == ""
			if para.Len() > 0 && (blank || para.Len()+len(line) > MaxBlock) {
				if !yield(para.String()) {
					return
				}
				para.Reset()
			}
			if !blank {
				if para.Len() > 0 {
					para.WriteByte('\n')
				}
				para.WriteString(line)
			}
		}
		if para.Len() > 0 {
			yield(para.String())
		}
	}
}

// Lines yields the lines of s without their ends, whichever kind those are.
func Lines(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			i := strings.IndexAny(s, "\n\r")
			if i < 0 {
				yield(s)
				return
			}
			line := s[:i]
			if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			s = s[i+1:]
			if !yield(line) {
				return
			}
		}
	}
}
