package text

import (
	"path"
	"slices"
	"strings"
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

// keyWords bounds how many words of a name its key has.
const keyWords = 16

// NameKey returns the first words of a name without its extension, normalized and
// joined by spaces. Where a question names the document, the key is among the
// keys that MentionKeys returns.
func NameKey(name string) string {
	words := textsOf(tokensOf(extension.ReplaceAllString(name, "")))
	return strings.Join(words[:min(len(words), keyWords)], " ")
}

// NameWords returns the normalized words of a name, with its extension.
func NameWords(name string) []string { return textsOf(tokensOf(name)) }

// MentionKeys says which documents have to be looked at to find those that a
// question names: the ones with a name whose NameKey is among wholes and, for each
// of parts, the ones whose NameWords have all words of it, as a whole or, from
// four letters on, as a beginning or an end; an s at the end of a word may lack.
// Mentions decides among them.
func MentionKeys(question string) (wholes []string, parts [][]string) {
	words := textsOf(tokensOf(question))
	for i := range words {
		for n := 1; n <= keyWords && i+n <= len(words); n++ {
			wholes = append(wholes, strings.Join(words[i:i+n], " "))
		}
	}
	slices.Sort(wholes)
	m := mentions{question: question}
	for _, form := range partly {
		if at := form.FindStringSubmatchIndex(question); at != nil {
			wanted, general := m.wanted(question[at[2]:at[3]])
			if len(wanted) == 0 {
				wanted = general
			}
			if len(wanted) > 0 {
				parts = append(parts, wanted)
			}
		}
	}
	return slices.Compact(wholes), parts
}

// MaxMeant is how many documents some words of a name may mean at most.
const MaxMeant = maxMeant

// HasWords reports whether the words of names hold all that are wanted, by the
// rule of MentionKeys.
func HasWords(names []string, wanted []string) bool {
	return holdsAll(tokensOf(strings.Join(names, " ")), wanted)
}
