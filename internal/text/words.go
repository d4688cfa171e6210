// Package text cuts text into what search and quoting work on: words, search
// terms and sentences. It knows some languages well enough to stem them, and
// treats the others plainly. It imports nothing of ours.
//
// All spans are byte offsets into the UTF-8 text they were found in.
package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Word is one word of a text, lower-cased.
//
// Words that mix letters and digits, or lower and upper case, are split:
// "FY2018" is "fy", "2018". The whole follows its parts with Joined set, as it
// does for identifiers that connectors hold together: "E-1042" is "e", "1042",
// "e1042", max_retry and maxRetry are both "max", "retry", "maxretry", and
// src/main.go is "src", "main", "go", "maingo", "srcmaingo". Hyphens alone tie
// no words together.
type Word struct {
	Text   string
	Joined bool
	Span
}

// maxIdentifier bounds what is joined to one word, in bytes; longer runs are
// data, not names.
const maxIdentifier = 80

// Words yields the words of s in order. Scripts written without spaces (and
// Korean) come as overlapping pairs of characters.
func Words(s string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for i := 0; i < len(s); {
			c, size := classAt(s, i)
			switch c {
			case other, mark:
				i += size
			case unspaced:
				end := i + size
				for end < len(s) {
					c, size := classAt(s, end)
					if c != unspaced && c != mark {
						break
					}
					end += size
				}
				if !pairs(s, i, end, yield) {
					return
				}
				i = end
			default:
				end, ok := compound(s, i, yield)
				if !ok {
					return
				}
				i = end
			}
		}
	}
}

// class is what a character means for cutting words.
type class uint8

const (
	other class = iota
	lower       // letters without case belong here too
	upper
	digit
	mark     // combining marks: part of the word they stand in
	unspaced // scripts without spaces between words
)

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = lower
		case c >= 'A' && c <= 'Z':
			t[c] = upper
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	return t
}()

var unspacedScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func classAt(s string, i int) (class, int) {
	if b := s[i]; b < utf8.RuneSelf {
		return asciiClass[b], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), size
}

func classOf(r rune) class {
	switch {
	case r < 0x0250: // Latin, the common case
		switch {
		case unicode.IsUpper(r):
			return upper
		case unicode.IsLetter(r):
			return lower
		}
		return other
	case unicode.IsMark(r), r == 'ー': // the long-vowel sign belongs to the kana before it
		return mark
	case r >= 0x0E00 && unicode.In(r, unspacedScripts...):
		if unicode.IsDigit(r) {
			return digit
		}
		return unspaced
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

// compound yields the words of the run of letters and digits at start, and of
// those that single connectors tie to it, and returns where it ends. The whole
// is joined when it is an identifier: it has a digit, an underscore, or is a
// path or dotted name. So is the last element of a path.
func compound(s string, start int, yield func(Word) bool) (end int, ok bool) {
	var has features
	runs, element, elementRuns := 0, start, 0
	end = start
	for {
		from := end
		var in features
		if end, in, ok = run(s, from, yield); !ok {
			return end, false
		}
		has |= in
		runs++
		elementRuns++
		if !connects(s, end) {
			break
		}
		switch s[end] {
		case '_':
			has |= hasName
		case '.', '/':
			if end-from > 1 { // not "e.g." or "U.S."
				has |= hasName
			}
		}
		if s[end] == '/' {
			element, elementRuns = end+1, 0
		}
		end++
	}
	if has&(hasName|hasDigit) == 0 {
		return end, true
	}
	join := func(from int) bool {
		return end-from > maxIdentifier || yield(Word{Text: joinRuns(s[from:end], has), Joined: true, Span: Span{from, end}})
	}
	if element > start && elementRuns > 1 && !join(element) {
		return end, false
	}
	return end, runs == 1 || join(start)
}

// features are what a run or an identifier has.
type features uint8

const (
	hasLetter features = 1 << iota
	hasDigit
	hasName
)

// run yields the parts of the run of letters and digits at start and then,
// where there are several, the whole.
func run(s string, start int, yield func(Word) bool) (end int, has features, ok bool) {
	emit := func(from, to int, joined bool) bool {
		return yield(Word{Text: Normalize(s[from:to]), Joined: joined, Span: Span{from, to}})
	}
	part, last, i := start, other, start
	for i < len(s) {
		c, size := classAt(s, i)
		if c == other || c == unspaced {
			break
		}
		if c != mark {
			if last != other && cutBefore(s, i, size, last, c) {
				if !emit(part, i, false) {
					return i, has, false
				}
				part = i
			}
			if c == digit {
				has |= hasDigit
			} else {
				has |= hasLetter
			}
			last = c
		}
		i += size
	}
	if !emit(part, i, false) {
		return i, has, false
	}
	return i, has, part == start || i-start > maxIdentifier || emit(start, i, true)
}

// cutBefore reports whether a part ends before the character at i: between
// letters and digits, at the hump of a camel, and before the last capital of
// "HTTPServer".
func cutBefore(s string, i, size int, last, c class) bool {
	switch {
	case (last == digit) != (c == digit):
		return true
	case last == lower && c == upper:
		return true
	case last == upper && c == upper && i+size < len(s):
		next, nsize := classAt(s, i+size)
		if next != lower {
			return false
		}
		// "IDs" is one word, a plural: a lone s at the end is no hump.
		after := i + size + nsize
		if s[i+size] == 's' {
			if after >= len(s) {
				return false
			}
			ac, _ := classAt(s, after)
			return ac == lower
		}
		return true
	}
	return false
}

// connects reports whether the character at i holds two runs of an identifier
// together.
func connects(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	switch s[i] {
	case '-', '_', '.', '/', ':':
	case ',': // only thousands: "1,577"
		if i == 0 || !asciiDigit(s, i-1) || !asciiDigit(s, i+1) || !asciiDigit(s, i+2) || !asciiDigit(s, i+3) || asciiDigit(s, i+4) {
			return false
		}
	default:
		return false
	}
	next, _ := classAt(s, i+1)
	return next == lower || next == upper || next == digit
}

func asciiDigit(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

// joinRuns drops the connectors of an identifier. In plain numbers the point
// stays, so that 3.5 is not 35.
func joinRuns(s string, has features) string {
	return Normalize(strings.Map(func(r rune) rune {
		switch r {
		case '.':
			if has&hasLetter != 0 {
				return -1
			}
		case '-', '_', '/', ':', ',':
			return -1
		}
		return r
	}, s))
}

// pairs yields the overlapping pairs of characters of s[start:end], or its only
// character.
func pairs(s string, start, end int, yield func(Word) bool) bool {
	prev, at := -1, start
	for at < end {
		next := at + 1
		for next < end {
			if c, size := classAt(s, next); c == mark {
				next += size
				continue
			}
			if utf8.RuneStart(s[next]) {
				break
			}
			next++
		}
		if prev >= 0 && !yield(Word{Text: Normalize(s[prev:next]), Span: Span{prev, next}}) {
			return false
		}
		if prev < 0 && next >= end {
			return yield(Word{Text: Normalize(s[at:end]), Span: Span{at, end}})
		}
		prev, at = at, next
	}
	return true
}

// Normalize maps a word to the form that is compared: lower case, compatibility
// characters (ligatures, full width) replaced by the plain ones.
func Normalize(word string) string {
	plain := true
	for i := 0; i < len(word); i++ {
		if b := word[i]; b >= utf8.RuneSelf {
			return strings.ToLower(norm.NFKC.String(word))
		} else if b >= 'A' && b <= 'Z' {
			plain = false
		}
	}
	if plain {
		return word
	}
	return strings.ToLower(word)
}
