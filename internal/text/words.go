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
// "e1042", and max_retry and maxRetry are both "max", "retry", "maxretry".
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

// compound yields the parts of the run of letters and digits that starts at
// start, together with those that single connectors tie to it, and returns
// where it ends.
func compound(s string, start int, yield func(Word) bool) (end int, ok bool) {
	var (
		run, part   = start, start // where the run and the part began
		parts       = 0            // in this run
		runs        = 1
		letters     bool
		digits      bool
		underscores bool
		last        = other
		i           = start
	)
	emit := func(from, to int, joined bool) bool {
		return yield(Word{Text: Fold(s[from:to]), Joined: joined, Span: Span{from, to}})
	}
	endRun := func() bool {
		if !emit(part, i, false) {
			return false
		}
		return parts == 0 || i-run > maxIdentifier || emit(run, i, true)
	}
	for i < len(s) {
		c, size := classAt(s, i)
		if c == mark {
			i += size
			continue
		}
		if c == other || c == unspaced {
			next := i + size
			if c == unspaced || !connects(s, i) || next >= len(s) {
				break
			}
			if nc, _ := classAt(s, next); nc != lower && nc != upper && nc != digit {
				break
			}
			underscores = underscores || s[i] == '_'
			if !endRun() {
				return i, false
			}
			i, run, part, parts, last = next, next, next, 0, other
			runs++
			continue
		}
		if last != other && cutBefore(s, i, size, last, c) && i > part {
			if !emit(part, i, false) {
				return i, false
			}
			part = i
			parts++
		}
		letters = letters || c != digit
		digits = digits || c == digit
		last = c
		i += size
	}
	if !endRun() {
		return i, false
	}
	if runs > 1 && i-start <= maxIdentifier && (underscores || digits) {
		return i, yield(Word{Text: joinRuns(s[start:i], letters), Joined: true, Span: Span{start, i}})
	}
	return i, true
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

// connects reports whether the character at i can hold an identifier together.
func connects(s string, i int) bool {
	switch s[i] {
	case '-', '_', '.', '/', ':':
		return true
	case ',': // only thousands: "1,577"
		return i > 0 && asciiDigit(s, i-1) && asciiDigit(s, i+1) && asciiDigit(s, i+2) &&
			asciiDigit(s, i+3) && !asciiDigit(s, i+4)
	}
	return false
}

func asciiDigit(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

// joinRuns drops the connectors of an identifier. In plain numbers the point
// stays, so that 3.5 is not 35.
func joinRuns(s string, letters bool) string {
	return Fold(strings.Map(func(r rune) rune {
		switch r {
		case '.':
			if letters {
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
		if prev >= 0 && !yield(Word{Text: Fold(s[prev:next]), Span: Span{prev, next}}) {
			return false
		}
		if prev < 0 && next >= end {
			return yield(Word{Text: Fold(s[at:end]), Span: Span{at, end}})
		}
		prev, at = at, next
	}
	return true
}

// Fold maps a word to the form that is compared: lower case, compatibility
// characters (ligatures, full width) replaced by the plain ones.
func Fold(word string) string {
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
