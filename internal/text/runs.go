package text

import (
	"iter"
	"strings"
)

// Runs yields where the runs of ASCII letters, digits and underscores stand in a text,
// in order. They are cheaper than Words and come as they are written: what is looked
// for by them is known to be ASCII.
func Runs(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for i := 0; i < len(s); i++ {
			if !inRun[s[i]] {
				continue
			}
			start := i
			for i < len(s) && inRun[s[i]] {
				i++
			}
			if !yield(Span{start, i}) {
				return
			}
		}
	}
}

// FirstRun is the first of the runs of a text, in lower case; "" where there is none.
func FirstRun(s string) (run string, at Span) {
	for at := range Runs(s) {
		return strings.ToLower(s[at.Start:at.End]), at
	}
	return "", Span{}
}

// inRun says of each byte whether it is of a run.
var inRun = func() (in [256]bool) {
	for c, class := range asciiClass {
		in[c] = class != other
	}
	in['_'] = true
	return in
}()

// isOf reports whether a run, in lower case, is one of the words of a set.
func isOf(set map[string]bool, run string) bool {
	var lower [maxRun]byte
	if len(run) > len(lower) {
		return false
	}
	for i := range len(run) {
		c := run[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return set[string(lower[:len(run)])]
}

// maxRun is how long, in bytes, the words are at most that runs are compared with.
const maxRun = 24
