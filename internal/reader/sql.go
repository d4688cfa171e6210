package reader

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// The reader writes SQL for plain questions about one table, in English: how
// many rows, the sum, mean, least or greatest of a column, per column, the top
// few, a list, one value of one row; each with conditions "column is value",
// comparisons with a number, and years. Every word of the question has to be
// accounted for: a name of the table or of a column, a value that stands in it,
// or a word whose meaning is known here. A question with any other word is not
// turned into SQL, since the answer would leave out what the word asks for.

// described is what describe_database tells.
type described struct {
	Database string               `json:"database"`
	Dialect  string               `json:"dialect"`
	Tables   []ibid.DatabaseTable `json:"tables"`
	Named    []ibid.DatabaseMatch `json:"values_that_the_question_names"`
}

// sqlQuery is a statement and what it asks for in words.
type sqlQuery struct {
	database, sql string
	what          string // "the average salary in technicians where city is “Berlin”"
}

// composer turns one question into SQL for one table.
type composer struct {
	words []word
	table ibid.DatabaseTable
	d     described

	columns []mention // of columns of the table, in the order of the question
	wheres  []string
	said    []string // the conditions in words
	bound   []string // columns that conditions are about

	analyzer   *text.Analyzer
	concepts   []concept
	rowStems   map[string]bool // what the rows are called
	rowsNamed  bool            // the question speaks of them
	tableNamed bool            // by the name of the table
	implied    string          // the concept that a verb measures by
	periodOf   string          // month, year or day, where rows are put together by it
}

// word is a word of the question; used when it is accounted for.
type word struct {
	text, stem string
	used       bool
}

// mention is a column that words first to end (exclusive) name.
type mention struct {
	column     ibid.DatabaseColumn
	first, end int
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

// compose writes SQL for a question. why says what kept it from that.
func (r *Reader) compose(question string, d described) (q sqlQuery, why string) {
	a := r.analyzer("")
	words := readWords(a, question)
	table, why := chooseTable(a, words, d)
	if why != "" {
		return q, why
	}
	c := &composer{words: words, table: table, d: d, analyzer: a, concepts: conceptsOf(a), rowStems: rowStemsOf(a, table)}
	c.mentions(a)
	if why := c.conditions(); why != "" {
		return q, why
	}
	if q, why = c.statement(); why != "" {
		return q, why
	}
	for _, w := range c.words {
		if !w.used && !plainWords[w.text] {
			return q, fmt.Sprintf("I don't know what “%s” means there", w.text)
		}
	}
	q.database = d.Database
	return q, ""
}

// plainWords ask for nothing by themselves. Negations are not among them.
var plainWords = wordSet(`a an the of in on at for to from with who whose whom which what where is are was were be been do does did has have had having
	there we our i my me you us it its that this these those they their and please tell give show list display name find get see know would like
	can could all any some records record rows row entries entry table database data currently overall together altogether live lives located
	based there's whats earn earns cost costs work works place placed money many`)

// functionWords stand in every sentence: a column of such a name is not taken to
// be named.
var functionWords = wordSet("a an the of in on at for to from with by and or is are was were be has have had do does per each it its this that")

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
func chooseTable(a *text.Analyzer, words []word, d described) (ibid.DatabaseTable, string) {
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

// mentions finds the table's name and the columns, longest names first.
func (c *composer) mentions(a *text.Analyzer) {
	columns := slices.Clone(c.table.Columns)
	slices.SortStableFunc(columns, func(x, y ibid.DatabaseColumn) int {
		return len(nameStems(a, y.Name)) - len(nameStems(a, x.Name))
	})
	for _, column := range columns {
		stems := nameStems(a, column.Name)
		if i := findStems(c.words, stems, 0); i >= 0 {
			c.use(i, i+len(stems))
			c.columns = append(c.columns, mention{column: column, first: i, end: i + len(stems)})
		}
	}
	slices.SortFunc(c.columns, func(x, y mention) int { return x.first - y.first })
	if stems := nameStems(a, c.table.Name); len(stems) > 0 {
		for i := findStems(c.words, stems, 0); i >= 0; i = findStems(c.words, stems, 0) {
			c.use(i, i+len(stems))
			c.rowsNamed, c.tableNamed = true, true
		}
	}
	for i, w := range c.words {
		if c.rowStems[w.stem] && !w.used {
			c.use(i, i+1)
			c.rowsNamed = true
		}
	}
}

func (c *composer) use(first, end int) {
	for i := first; i < end; i++ {
		c.words[i].used = true
	}
}

// take uses the first place where these words stand, in order.
func (c *composer) take(phrase string) bool {
	parts := strings.Fields(phrase)
	for i := 0; i+len(parts) <= len(c.words); i++ {
		ok := true
		for j, p := range parts {
			ok = ok && !c.words[i+j].used && c.words[i+j].text == p
		}
		if ok {
			c.use(i, i+len(parts))
			return true
		}
	}
	return false
}

func (c *composer) takeAny(phrases ...string) bool {
	for _, p := range phrases {
		if c.take(p) {
			return true
		}
	}
	return false
}

func isNumber(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func abs(n int) int { return max(n, -n) }

func isNumeric(c ibid.DatabaseColumn) bool {
	for _, kind := range []string{"int", "real", "num", "dec", "doub", "float", "money", "serial"} {
		if strings.Contains(c.Type, kind) {
			return true
		}
	}
	return false
}

func isDate(c ibid.DatabaseColumn) bool {
	return strings.HasPrefix(c.Type, "date") || strings.HasPrefix(c.Type, "timestamp")
}

// name writes a column's name for a statement, whatever it holds.
func (c *composer) name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// from writes the table's name; in PostgreSQL it may have its schema before it.
func (c *composer) from() string {
	if schema, table, ok := strings.Cut(c.table.Name, "."); ok && c.d.Dialect == "PostgreSQL" {
		return c.name(schema) + "." + c.name(table)
	}
	return c.name(c.table.Name)
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
