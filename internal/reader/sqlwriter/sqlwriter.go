// Package sqlwriter writes SQL by rule for plain questions about one table, in
// English: how many rows, the sum, mean, least or greatest of a column, per column,
// the top few, a list, one value of one row; each with conditions "column is
// value", comparisons with a number, and years. Every word of the question has to
// be accounted for: a name of the table or of a column, a value that stands in it,
// or a word whose meaning is known here. A question with any other word is not
// turned into SQL, since the answer would leave out what the word asks for.
package sqlwriter

import (
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// Description is what describe_database tells.
type Description struct {
	Database string               `json:"database"`
	Dialect  string               `json:"dialect"`
	Tables   []ibid.DatabaseTable `json:"tables"`
	Named    []ibid.DatabaseMatch `json:"values_that_the_question_names"`
}

// Query is a statement and what it asks for in words.
type Query struct {
	Database, SQL string
	What          string // "the average salary in technicians where city is “Berlin”"
}

// composer turns one question into SQL for one table.
type composer struct {
	words []word
	table ibid.DatabaseTable
	d     Description

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

// mention is a column that words first to end (exclusive) name.
type mention struct {
	column     ibid.DatabaseColumn
	first, end int
	used       bool
}

// Compose writes SQL for a question. a is the analyzer of English; why says what kept it
// from that, "" for nothing.
func Compose(a *text.Analyzer, question string, d Description) (q Query, why string) {
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
	q.Database = d.Database
	return q, ""
}

// plainWords ask for nothing by themselves. Negations are not among them.
var plainWords = text.WordSet(`a an the of in on at for to from with who whose whom which what where is are was were be been do does did has have had having
	there we our i my me you us it its that this these those they their and please tell give show list display name find get see know would like
	can could all any some records record rows row entries entry table database data currently overall together altogether live lives located
	based there's whats earn earns cost costs work works place placed money many`)

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
