package text

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NormalizeName makes names of documents comparable: case, quotes around a name, and
// what stands for a space do not count. The result is one line.
func NormalizeName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '–', '\t', '\n', '\u00a0':
			return ' '
		}
		return r
	}, strings.ToLower(s))
	return strings.Join(strings.Fields(strings.Trim(s, " \"'`“”")), " ")
}

// NameStem cuts off ".pdf", but not what follows a point in a title.
func NameStem(name string) string {
	ext := path.Ext(name)
	if len(ext) > 6 || strings.Contains(ext, " ") {
		return name
	}
	return strings.TrimSuffix(name, ext)
}

// Likeness is the share of the runs of three bytes that two normalized names have in
// common (Dice's coefficient), from 0 to 1.
func Likeness(a, b string) float64 {
	x, y := runs(a), runs(b)
	common := 0
	for run := range x {
		if y[run] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// runs are the runs of three bytes in s, padded with spaces.
func runs(s string) map[string]bool {
	s = " " + s + " "
	set := make(map[string]bool, len(s))
	for i := 0; i+3 <= len(s); i++ {
		set[s[i:i+3]] = true
	}
	return set
}

// KeyWords bounds how many words of a name its key has.
const KeyWords = 16

// NameKey returns the first words of a name without its ending, normalized and joined
// by spaces. It is kept in the database: where a question names the document, the key
// is among the runs of the question's words (question.MentionKeys).
func NameKey(name string) string {
	words := NameWords(WithoutEnding(name))
	return strings.Join(words[:min(len(words), KeyWords)], " ")
}

// NameWords returns the normalized words of a name, with its ending.
func NameWords(name string) []string {
	tokens := NameTokens(name)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Text
	}
	return words
}

// NameToken is a word of a name, normalized, and where it stands.
type NameToken struct {
	Text string
	Span
}

// NameTokens are the words of a name, or of a text in which names stand: runs of
// letters, figures and the marks that combine with them.
func NameTokens(s string) []NameToken {
	var tokens []NameToken
	start := -1
	take := func(end int) {
		if start >= 0 {
			tokens = append(tokens, NameToken{Normalize(s[start:end]), Span{start, end}})
		}
		start = -1
	}
	for i, r := range s {
		switch {
		case !unicode.In(r, unicode.L, unicode.N, unicode.M):
			take(i)
		case start < 0:
			start = i
		}
	}
	take(len(s))
	return tokens
}

// What names of files end with, as people write and read them. It is no list of the
// formats that ibid reads (internal/document): what a document is found by is made with
// it and kept in the database (NameKey), so it changes with the database's format alone.
// internal/document has a test that holds both lists together.
var (
	endingsOfTexts = strings.Fields("pdf doc docx ppt pptx xls xlsx md markdown htm html txt csv tsv epub eml rst tex rtf odt ods odp")
	endingsOfCode  = strings.Fields("json yaml yml xml ipynb go py js ts java c h")
)

func isOneOf(ending string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.EqualFold(e, ending) })
}

// WithoutEnding cuts what names of files end with off a name, where it is known.
func WithoutEnding(name string) string {
	stem, ending := cutEnding(name)
	if isOneOf(ending, endingsOfTexts) || isOneOf(ending, endingsOfCode) {
		return stem
	}
	return name
}

func cutEnding(name string) (stem, ending string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, ""
	}
	return name[:i], name[i+1:]
}

// IsFileName reports whether a name is that of a file, and nothing but that: it may have
// spaces.
func IsFileName(name string) bool {
	stem, _ := cutEnding(name)
	for i, r := range stem {
		within := unicode.IsLetter(r) || unicode.IsNumber(r)
		if !within && (i == 0 || !strings.ContainsRune(" ._()-/", r)) {
			return false
		}
	}
	return stem != "" && stem != name && WithoutEnding(name) == stem
}

// FileNames finds the names of files in a text: letters, figures and the signs of such
// names, to the last ending that a text may have.
func FileNames(s string) []Span {
	var found []Span
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			at += size
			continue
		}
		end := len(s)
		if i := strings.IndexFunc(s[at:], func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '-' && r != '.'
		}); i >= 0 {
			end = at + i
		}
		run := at
		at = end
		for dot := strings.LastIndexByte(s[run:end], '.'); dot > 0; dot = strings.LastIndexByte(s[run:run+dot], '.') {
			ending := s[run+dot+1:]
			if i := strings.IndexFunc(ending, func(r rune) bool { return !isWordRune(r) }); i >= 0 {
				ending = ending[:i]
			}
			if isOneOf(ending, endingsOfTexts) {
				at = run + dot + 1 + len(ending)
				found = append(found, Span{run, at})
				break
			}
		}
	}
	return found
}

// isWordRune reports whether an ending goes on: its letters are those of ASCII.
func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// Endings are what names of files end with, as far as it is known here.
func Endings() []string { return slices.Concat(endingsOfTexts, endingsOfCode) }
