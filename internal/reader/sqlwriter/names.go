package sqlwriter

import (
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// word is a word of the question; used when it is accounted for.
type word struct {
	text, stem string
	used       bool
}

var questionWord = regexp.MustCompile(`[\p{L}_]+|\d+(?:,\d{3})*(?:\.\d+)?`)

func readWords(a *text.Analyzer, s string) []word {
	var words []word
	for _, w := range questionWord.FindAllString(strings.ToLower(s), -1) {
		if w == "s" { // Ada's
			continue
		}
		words = append(words, word{text: w, stem: a.Stem(w)})
	}
	return words
}

// camel finds where a name like orderDate has its parts.
var camel = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// nameStems are the words of a name, none where it is a word of every sentence.
func nameStems(a *text.Analyzer, name string) []string {
	var stems []string
	if functionWords[strings.ToLower(name)] {
		return nil
	}
	for _, w := range questionWord.FindAllString(strings.ToLower(strings.ReplaceAll(camel.ReplaceAllString(name, "$1 $2"), "_", " ")), -1) {
		stems = append(stems, a.Stem(w))
	}
	return stems
}

// functionWords stand in every sentence: a column of such a name is not taken to
// be named.
var functionWords = text.WordSet("a an the of in on at for to from with by and or is are was were be has have had do does per each it its this that")

// findStems returns where stems stand in the words, not counting used ones, -1 for
// nowhere.
func findStems(words []word, stems []string, from int) int {
	for i := from; i+len(stems) <= len(words) && len(stems) > 0; i++ {
		ok := true
		for j, s := range stems {
			ok = ok && !words[i+j].used && words[i+j].stem == s
		}
		if ok {
			return i
		}
	}
	return -1
}

// chooseTable finds the one table that a question is about: by its name, else by
// its columns and values.
func chooseTable(a *text.Analyzer, words []word, d Description) (ibid.DatabaseTable, string) {
	best, bestScore, tie := -1, 0, false
	for i, t := range d.Tables {
		score := 0
		if findStems(words, nameStems(a, t.Name), 0) >= 0 {
			score += 5
		}
		for stem := range rowStemsOf(a, t) {
			if findStems(words, []string{stem}, 0) >= 0 {
				score += 2
			}
		}
		score += columnsNamed(a, words, t)
		for _, m := range d.Named {
			if m.Table == t.Name {
				score++
			}
		}
		switch {
		case score > bestScore:
			best, bestScore, tie = i, score, false
		case score == bestScore:
			tie = true
		}
	}
	switch {
	case best < 0 || bestScore == 0:
		return ibid.DatabaseTable{}, "none of its tables, columns or values is named"
	case tie:
		return ibid.DatabaseTable{}, "more than one of its tables may be meant"
	}
	return d.Tables[best], ""
}

// columnsNamed counts the columns that words name; those that they mean count half
// as much, and only where nothing is named.
func columnsNamed(a *text.Analyzer, words []word, t ibid.DatabaseTable) int {
	named, meant := 0, 0
	c := &composer{words: slices.Clone(words), table: t, analyzer: a, concepts: conceptsOf(a), rowStems: rowStemsOf(a, t)}
	for _, column := range t.Columns {
		if findStems(words, nameStems(a, column.Name), 0) >= 0 {
			named++
		}
	}
	c.verbs()
	c.meant()
	meant = len(c.columns)
	if c.implied != "" && c.impliedMeasure(aim{}) != "" {
		meant++
	}
	if named == 0 && meant > 0 {
		return 1
	}
	return named
}

// NamesIn counts the names of tables, twice, and of columns that the words of a
// question name or mean, in the table that has most of them.
func NamesIn(a *text.Analyzer, question string, tables []ibid.TableOutline) int {
	words, score := readWords(a, question), 0
	for _, outline := range tables {
		name := outline.Name
		table := ibid.DatabaseTable{Name: name}
		for _, column := range outline.Columns {
			// Of what type it is, nobody has said yet: it may be any.
			table.Columns = append(table.Columns, ibid.DatabaseColumn{Name: column, Type: "numeric"})
		}
		n := columnsNamed(a, words, table)
		if findStems(words, nameStems(a, name), 0) >= 0 {
			n += 2
		}
		for stem := range rowStemsOf(a, table) {
			if len(nameStems(a, name)) == 1 && nameStems(a, name)[0] == stem {
				continue
			}
			if findStems(words, []string{stem}, 0) >= 0 {
				n++
			}
		}
		score = max(score, n)
	}
	return score
}

// WithSingulars puts the singular of each word behind a question, so that values
// are found that it names in the plural: "lamps".
func WithSingulars(question string) string {
	var more []string
	for _, w := range questionWord.FindAllString(question, -1) {
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			more = append(more, strings.TrimSuffix(w, "s"))
		}
	}
	if len(more) == 0 {
		return question
	}
	return question + " / " + strings.Join(more, " / ")
}
