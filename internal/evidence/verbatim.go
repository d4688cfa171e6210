package evidence

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ibid/internal/text"
)

// folded is a text reduced to its letters and digits, in lower case and without
// accents, and where each stands in it. Two texts that say the same words fold to
// the same, whatever their spaces, line breaks, hyphens, ligatures and quotation
// marks.
type folded struct {
	source string
	text   string
	at     []int32 // of each byte of text: the byte of source where its character begins
}

// sourceMarks are footnotes that a source has of its own: nobody quotes them.
var sourceMarks = regexp.MustCompile(`\[` + text.SourceMark() + `\]`)

// fold folds a text. marks says that footnotes of the text itself are left out.
func fold(s string, marks bool) folded {
	f := folded{source: s}
	var b strings.Builder
	var skip [][]int
	if marks && strings.IndexByte(s, '[') >= 0 {
		skip = sourceMarks.FindAllStringIndex(s, -1)
	}
	for i := 0; i < len(s); {
		if len(skip) > 0 && i == skip[0][0] {
			i = skip[0][1]
			skip = skip[1:]
			continue
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c < utf8.RuneSelf:
			if letter := asciiLetter(byte(c)); letter != 0 {
				b.WriteByte(letter)
				f.at = append(f.at, int32(i))
			}
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsNumber(c):
			for _, d := range norm.NFKD.String(s[i : i+size]) {
				if !unicode.IsLetter(d) && !unicode.IsDigit(d) {
					continue
				}
				n := b.Len()
				b.WriteRune(unicode.ToLower(d))
				for range b.Len() - n {
					f.at = append(f.at, int32(i))
				}
			}
		}
		i += size
	}
	f.text = b.String()
	return f
}

// asciiLetter is the letter or digit in lower case, 0 for other signs.
func asciiLetter(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

// span is where bytes from to to of the folded text stand in the source, with the
// signs that close the words.
func (f *folded) span(from, to int) text.Span {
	start, last := int(f.at[from]), int(f.at[to-1])
	_, size := utf8.DecodeRuneInString(f.source[last:])
	end := last + size
	for end < len(f.source) { // accents that follow their letter
		c, n := utf8.DecodeRuneInString(f.source[end:])
		if !unicode.Is(unicode.Mn, c) {
			break
		}
		end += n
	}
	return text.Span{Start: start, End: end}
}

// find returns where needle, a folded text, stands in f as whole words, from byte
// after on; -1 where it does not.
func (f *folded) find(needle string, after int) int {
	for after <= len(f.text)-len(needle) {
		i := strings.Index(f.text[after:], needle)
		if i < 0 {
			return -1
		}
		i += after
		if f.wholeWords(i, i+len(needle)) {
			return i
		}
		after = i + 1
	}
	return -1
}

// wholeWords reports whether no word, and no number, is cut at either end.
func (f *folded) wholeWords(from, to int) bool {
	s := f.span(from, to)
	before, size := utf8.DecodeLastRuneInString(f.source[:s.Start])
	first, _ := utf8.DecodeRuneInString(f.source[s.Start:])
	last, _ := utf8.DecodeLastRuneInString(f.source[:s.End])
	after, width := utf8.DecodeRuneInString(f.source[s.End:])
	if joins(before, first) || joins(last, after) {
		return false
	}
	// 900 is no part of 1,900 or of 900.50.
	if unicode.IsDigit(first) && (before == '.' || before == ',') {
		if c, _ := utf8.DecodeLastRuneInString(f.source[:s.Start-size]); unicode.IsDigit(c) {
			return false
		}
	}
	if unicode.IsDigit(last) && (after == '.' || after == ',') {
		if c, _ := utf8.DecodeRuneInString(f.source[s.End+width:]); unicode.IsDigit(c) {
			return false
		}
	}
	return true
}

// joins reports whether two neighbouring characters belong to one word. Scripts
// that put no spaces between words may be cut anywhere.
func joins(a, b rune) bool {
	word := func(c rune) bool { return c < 0x2e80 && (unicode.IsLetter(c) || unicode.IsDigit(c)) }
	return word(a) && word(b)
}

// withSigns adds to a span the signs directly around it that the statement has at its
// ends too: brackets, quotation marks, the full stop.
func withSigns(source string, s text.Span, statement string) text.Span {
	word := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	first := strings.IndexFunc(statement, word)
	if first < 0 {
		return s
	}
	lead := statement[:first]
	tail := strings.TrimLeftFunc(statement[strings.LastIndexFunc(statement, word):], word)
	for s.End < len(source) {
		c, size := utf8.DecodeRuneInString(source[s.End:])
		if word(c) || unicode.IsSpace(c) || !strings.ContainsRune(tail, c) {
			break
		}
		s.End += size
	}
	for s.Start > 0 {
		c, size := utf8.DecodeLastRuneInString(source[:s.Start])
		if word(c) || unicode.IsSpace(c) || !strings.ContainsRune(lead, c) {
			break
		}
		s.Start -= size
	}
	return s
}

// omissions are the ways to write that a quotation leaves something out; all of them
// become the last.
var omissions = strings.NewReplacer("[…]", "…", "[...]", "…", "...", "…")

// quotedWords are what stands between quotation marks.
var quotedWords = regexp.MustCompile(`“([^“”]+)”|„([^„“”]+)[“”]|"([^"]+)"|«([^«»]+)»`)

// joining are the words that only join a clause to the one before it, of all languages:
// nobody means them as a part of a quotation.
var joining = text.WordsOfAll("joins")

// withoutJoint leaves out the word that joins a statement to the one before it; joined
// says that there was one.
func withoutJoint(statement string) (rest string, joined bool) {
	const space = " \t\n\f\r"
	clause := strings.TrimLeft(statement, space+",;–—-")
	end := strings.IndexAny(clause, space)
	if end < 0 || !joining[strings.ToLower(clause[:end])] {
		return statement, false
	}
	return strings.TrimLeft(clause[end:], space), true
}

const (
	// leastQuote is how many letters the words between quotation marks have at least
	// to be looked for by themselves, and a part of a quotation between omissions.
	leastQuote = 12
	leastPart  = 4
)

// wordings are the ways in which a statement may stand in a source word for word:
// as a whole, in the parts between its omissions, without the word that joins it to
// the clause before it, or the words that it puts between quotation marks. Each is a
// list of parts that follow one another.
func wordings(statement string) [][]string {
	ways := [][]string{partsOf(statement)}
	if len(ways[0]) > 1 { // dots may stand in the source itself
		ways = append([][]string{{fold(statement, false).text}}, ways...)
	}
	if clause, joined := withoutJoint(statement); joined {
		if parts := partsOf(clause); len(strings.Join(parts, "")) >= leastQuote {
			ways = append(ways, parts)
		}
	}
	for _, m := range quotedWords.FindAllStringSubmatch(statement, -1) {
		for _, said := range m[1:] {
			if parts := partsOf(said); len(strings.Join(parts, "")) >= leastQuote {
				ways = append(ways, parts)
			}
		}
	}
	return ways
}

// partsOf folds the parts of a quotation between omissions.
func partsOf(s string) []string {
	var parts []string
	for p := range strings.SplitSeq(omissions.Replace(s), "…") {
		if f := fold(p, false).text; len(f) >= leastPart || len(parts) == 0 && f != "" {
			parts = append(parts, f)
		}
	}
	if len(parts) > 1 && len(parts[0]) < leastPart {
		parts = parts[1:]
	}
	return parts
}
