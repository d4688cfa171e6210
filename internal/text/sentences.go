package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the sentences of prose, in order, without the white space
// around them. They never overlap, and together they hold everything in s that
// is not white space. Paragraphs (unless they were cut by a page), list items, table rows and CJK full stops end
// a sentence as . ! ? … do; abbreviations, initials and decimals do not.
func Sentences(s string) []Span {
	var spans []Span
	start := skipSpace(s, 0)
	for i := start; i < len(s); {
		end, ok := boundary(s, start, i)
		if !ok {
			_, size := utf8.DecodeRuneInString(s[i:])
			i = max(i+size, end)
			continue
		}
		if e := trimEnd(s, start, end); e > start {
			spans = append(spans, Span{start, e})
		}
		start = skipSpace(s, end)
		i = start
	}
	if e := trimEnd(s, start, len(s)); e > start {
		spans = append(spans, Span{start, e})
	}
	return spans
}

// boundary reports whether the sentence that began at start ends with the
// character at i, and where: after closing quotes and footnote marks. Where it
// does not, end may say how far the text has been decided about.
func boundary(s string, start, i int) (end int, ok bool) {
	switch b := s[i]; {
	case b == '\n':
		return i, newlineEnds(s, start, i)
	case b == '.' || b == '!' || b == '?':
		return terminator(s, start, i)
	case b < utf8.RuneSelf:
		return 0, false
	}
	switch r, size := utf8.DecodeRuneInString(s[i:]); r {
	case '。', '！', '？', '｡':
		return closers(s, i+size), true
	case '\u2028', '\u2029':
		return i, true
	case '…', '‼', '⁇', '⁈', '⁉':
		return terminator(s, start, i)
	}
	return 0, false
}

// terminator decides about . ! ? and … at i.
func terminator(s string, start, i int) (end int, ok bool) {
	last := i // the last of a row of terminators
	j := i
	for j < len(s) {
		r, size := utf8.DecodeRuneInString(s[j:])
		if r != '.' && r != '!' && r != '?' && r != '…' {
			break
		}
		last = j
		j += size
	}
	single := last == i
	end = closers(s, j)
	if end < len(s) {
		if r, _ := utf8.DecodeRuneInString(s[end:]); !unicode.IsSpace(r) && classOf(r) != unspaced {
			return j, false // 3.5, example.org, ?id=
		}
	}
	next := skipSpace(s, end)
	if next >= len(s) {
		return end, true
	}
	if strings.Contains(s[end:next], "\n\n") {
		return end, true
	}
	if s[i] == '.' && single {
		if dotContinues(s, start, i, next) {
			return j, false
		}
		return end, true
	}
	// After ellipses and "What?" a small letter goes on with the sentence.
	if c, _ := classAt(s, next); c == lower {
		return j, false
	}
	return end, true
}

// dotContinues reports whether the full stop at dot belongs to an abbreviation,
// an initial or a number, with the next word at next.
func dotContinues(s string, start, dot, next int) bool {
	if dot == start || isSpaceAt(s, dot-1) {
		return false // " . " is a full stop in tokenised text
	}
	from := dot
	for from > start {
		r, size := utf8.DecodeLastRuneInString(s[start:from])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			break
		}
		from -= size
	}
	word := s[from:dot]
	if word == "" {
		c, _ := classAt(s, next)
		return c == lower
	}
	if from == start && (allDigits(word) || len(word) == 1) {
		return true // "1. First item", "a. First item"
	}
	nextClass, _ := classAt(s, next)
	small := strings.ToLower(word)
	switch {
	case nextClass == lower:
		return true
	case neverLast[small]:
		return true
	case beforeNumber[small]:
		return nextClass == digit
	case strings.Contains(word, ".") || sometimesLast[small] || utf8.RuneCountInString(word) == 1 && !allDigits(word):
		// U.S., Inc., J.: a new sentence only where a word follows that
		// often opens one.
		return !opens(s, next)
	}
	return false
}

// opens reports whether the word at i is one that often opens a sentence.
func opens(s string, i int) bool {
	end := i
	for end < len(s) {
		c, size := classAt(s, end)
		if c != lower && c != upper {
			break
		}
		end += size
	}
	return openers[s[i:end]]
}

// newlineEnds reports whether the line break at i ends a sentence: a blank line
// follows, or the line or its successor is no running prose.
func newlineEnds(s string, start, i int) bool {
	next := i + 1
	for next < len(s) && (s[next] == ' ' || s[next] == '\t' || s[next] == '\r') {
		next++
	}
	if next >= len(s) || s[next] == '\n' {
		return !goesOn(s, start, i)
	}
	if listMarker(s[next:]) {
		return true
	}
	line := s[start:i]
	if k := strings.LastIndexByte(line, '\n'); k >= 0 {
		line = line[k+1:]
	}
	following := s[next:]
	if k := strings.IndexByte(following, '\n'); k >= 0 {
		following = following[:k]
	}
	return TableRow(line) || TableRow(following) || strings.HasSuffix(strings.TrimRight(line, " \t\r"), ":")
}

// goesOn reports whether the sentence that began at start goes on behind the
// blank line at i, as one does that a page or a column of a PDF has cut: it was
// left in the middle, and what follows is prose that begins low.
func goesOn(s string, start, i int) bool {
	next := skipSpace(s, i)
	before := strings.TrimRightFunc(s[start:i], unicode.IsSpace)
	if next >= len(s) || before == "" || listMarker(s[next:]) {
		return false
	}
	if c, _ := classAt(s, next); c != lower {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(before); !unicode.IsLetter(last) && last != ',' {
		return false
	}
	line, _, _ := strings.Cut(s[next:], "\n")
	above := before[strings.LastIndexByte(before, '\n')+1:]
	return len(strings.Fields(before)) >= 4 && len(strings.Fields(line)) >= 3 && !TableRow(line) && !TableRow(above)
}

// listMarker reports whether a line begins with a bullet or an item number.
func listMarker(line string) bool {
	r, size := utf8.DecodeRuneInString(line)
	switch r {
	case '-', '*', '+', '•', '◦', '▪', '‣', '·', '–', '—':
		return size < len(line) && isSpaceAt(line, size)
	case '(':
		line = line[1:]
	}
	n := 0
	for n < len(line) && n < 3 && asciiDigit(line, n) {
		n++
	}
	if n == 0 && line != "" && (line[0] >= 'a' && line[0] <= 'z' || line[0] >= 'A' && line[0] <= 'Z') {
		n = 1
	}
	if n == 0 || n+1 >= len(line) || line[n] != '.' && line[n] != ')' {
		return false
	}
	return isSpaceAt(line, n+1)
}

// closers skips closing quotes and brackets, and footnote marks like [12].
func closers(s string, i int) int {
	for i < len(s) {
		if s[i] == '[' {
			j := i + 1
			for j < len(s) && j < i+5 && asciiDigit(s, j) {
				j++
			}
			if j == i+1 || j >= len(s) || s[j] != ']' {
				return i
			}
			i = j + 1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("\"')]}»”’›」』）】〉》", r) {
			return i
		}
		i += size
	}
	return i
}

func skipSpace(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

func trimEnd(s string, start, end int) int {
	if end < start {
		return start
	}
	return start + len(strings.TrimRightFunc(s[start:end], unicode.IsSpace))
}

func isSpaceAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r)
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !asciiDigit(s, i) {
			return false
		}
	}
	return s != ""
}

// WordSet is the set of words that stand in a string with spaces between them.
func WordSet(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// What is written before a full stop that ends no sentence, normalized.
var (
	neverLast = WordSet(`mr mrs ms mx dr prof rev hon gen col sgt capt lt cmdr adm gov sen rep pres messrs mme mlle fr
		st mt ft vs cf viz e.g i.e al. ca approx resp hr bzw z.b d.h u.a vgl sr.d sra dott sig bspw dipl ing`)
	beforeNumber = WordSet(`no nos nr fig figs eq eqs sec secs ch chap art vol vols pp p par para tab ref refs abb bd
		kap s núm jan feb mar apr jun jul aug sep sept oct nov dec`)
	sometimesLast = WordSet(`inc ltd co corp llc plc bros jr sr esq etc ed eds al dept univ assn ave blvd rd usw evtl`)
	// openers are matched as written, with their capital.
	openers = WordSet(`The This That These Those It Its He She They We I You His Her Their Our My A An In On At As If When
		While After Before During Since Although Though However But And Or So For From By With Without There Here Then
		Thus Also Many Most Some All Both Each Such One Two What Who How Why Where Which Is Are Was Were Do Does Did
		According Because Der Die Das Ein Eine Es Er Sie Wir Ich In Im Am Le La Les Il Elle Un Une El Los Las`)
)
