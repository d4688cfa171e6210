package sqlwriter

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// aim is what a question wants to know of the rows it is about.
type aim struct {
	count, distinct bool
	function        string // sum, avg, min, max of measure; "" for none
	word            string // that asked for the function
	rows            bool   // whole rows, not a number: who, which, list
	top             int    // of rows; 0 for all
	group           string // a column, or a part of a date: see period
	entity          string // the column that "which", "who" or "top" asks for
	every           bool   // it stands for each of its values, not for a row
	measure         string // a column
}

// mostRows bounds a list.
const mostRows = 50

// function is an aggregate of SQL, by the words that ask for it.
type function struct {
	function string
	words    []string
}

var functions = []function{
	{"avg", []string{"average", "mean", "avg"}},
	{"sum", []string{"total", "sum", "how much"}},
	{"max", []string{"best", "top", "highest", "largest", "maximum", "max", "biggest", "greatest", "most expensive", "latest", "newest", "longest", "most"}},
	{"min", []string{"worst", "lowest", "smallest", "minimum", "min", "least", "cheapest", "fewest", "earliest", "oldest", "shortest"}},
}

// statement writes the SQL.
func (c *composer) statement() (q Query, why string) {
	var g aim
	first := ""
	if len(c.words) > 0 {
		first = c.words[0].text
	}
	g.entity, g.every = c.entity(first)
	g.rows = first == "who" || first == "which" || first == "list" || first == "show" || first == "name" || first == "find" || first == "display"
	if g.group = c.group(); g.group == "" {
		g.group = c.period()
	}
	g.count = c.takeAny("how many", "number of", "count of", "count")
	g.distinct = c.takeAny("different", "distinct", "unique")
	g.top = c.top()
	for _, f := range functions {
		for _, w := range f.words {
			if c.take(w) {
				if g.function != "" && g.function != f.function {
					return q, fmt.Sprintf("it asks for both “%s” and “%s”", g.word, w)
				}
				g.function, g.word = f.function, w
			}
		}
	}
	if g.word == "how much" {
		g.word = "total"
	}
	switch {
	case g.top > 0 && g.function == "":
		g.function = "max"
	case g.count && g.function == "sum": // the total number of
		g.function = ""
	}
	return c.write(g)
}

// group finds the column after "per", "by", "each".
func (c *composer) group() string {
	for k := range c.columns {
		m := &c.columns[k]
		for i := m.first - 1; i >= max(0, m.first-2); i-- {
			switch w := c.words[i].text; {
			case w == "per" || w == "each" || w == "every" || w == "by":
				if w == "by" && slices.ContainsFunc(c.words, func(w word) bool { return w.text == "top" }) {
					continue // top 5 by salary
				}
				c.use(i, m.end)
				m.used = true
				return m.column.Name
			case w != "the":
				i = -1
			}
		}
	}
	return ""
}

// top finds "top 5" and "5 highest".
func (c *composer) top() int {
	for i, w := range c.words {
		n, err := strconv.Atoi(w.text)
		if err != nil || w.used || n < 1 || n > mostRows {
			continue
		}
		before := i > 0 && c.words[i-1].text == "top"
		after := i+1 < len(c.words) && (strings.HasSuffix(c.words[i+1].text, "est") || c.words[i+1].text == "most")
		if before {
			c.use(i-1, i+1)
			c.takeAny("by")
			return n
		}
		if after {
			c.use(i, i+1)
			return n
		}
	}
	return 0
}

// measured finds the column that a function is of: the only number that is named
// and not spoken for; a date does for the first and the last.
func (c *composer) measured(function string) (string, bool) {
	var found []string
	for k := range c.columns {
		m := &c.columns[k]
		if m.used || !isNumeric(m.column) && !(isDate(m.column) && (function == "min" || function == "max")) {
			continue
		}
		found = append(found, m.column.Name)
	}
	if len(found) != 1 {
		return "", false
	}
	for k := range c.columns {
		if c.columns[k].column.Name == found[0] {
			c.columns[k].used = true
		}
	}
	return found[0], true
}

// rest are the columns that are named and not spoken for.
func (c *composer) rest() []string {
	var names []string
	for _, m := range c.columns {
		if !m.used {
			names = append(names, m.column.Name)
		}
	}
	return names
}

// write puts the statement together.
func (c *composer) write(g aim) (q Query, why string) {
	ordering := map[string]string{"max": "DESC", "min": "ASC"}[g.function]
	if g.function != "" && !(g.count && g.function == "sum") {
		measure, ok := c.measured(g.function)
		if !ok && !c.countsRows(g) {
			if measure = c.impliedMeasure(g); measure != "" {
				ok = true
			}
		}
		switch {
		case ok:
			g.measure = measure
		case ordering != "" && (g.word == "most" || g.word == "fewest") && len(c.rest()) == 1 && g.group == "":
			return c.mostRows(c.rest()[0], ordering, max(1, g.top)), "" // which city has the most customers
		default:
			return q, fmt.Sprintf("it is not clear which column “%s” is about", g.word)
		}
	}
	if g.function == "" && !g.count && g.group != "" { // revenue per month, orders per customer
		switch measure, ok := c.measured("sum"); {
		case ok && c.sums(measure):
			g.function, g.word, g.measure = "sum", "total", measure
		case ok:
			g.function, g.word, g.measure = "avg", "average", measure
		case c.rowsNamed && c.conceptual() == "":
			g.count = true
		default:
			if g.measure = c.impliedMeasure(aim{function: "sum"}); g.measure == "" {
				return q, "it is not clear what is to be told"
			}
			g.function, g.word = "sum", "total"
		}
	}
	switch {
	case g.function != "" && ordering != "" && c.sums(g.measure) && (g.every || g.group != ""):
		return c.extremeSum(g, ordering)
	case g.function != "" && ordering != "" && g.group == "" && (g.rows || g.top > 0 || g.entity != ""):
		return c.extreme(g, ordering), ""
	case g.function != "" && g.count:
		return q, "it asks for two things at once"
	case g.function != "":
		if len(c.rest()) > 0 {
			return q, fmt.Sprintf("it is not clear what “%s” is there for", c.rest()[0])
		}
		return c.aggregate(fmt.Sprintf("%s(%s)", g.function, c.name(g.measure)), g.word+" "+g.measure, g.group), ""
	case g.count:
		return c.counted(g)
	}
	return c.list(g)
}

// countsRows reports whether "most" and "fewest" are of rows: "the most orders".
func (c *composer) countsRows(g aim) bool {
	return c.rowsNamed && (g.word == "most" || g.word == "fewest") && c.conceptual() == "" && c.implied == ""
}

// entity finds what "which product", "top 5 customers", "the biggest order" ask
// for. every: each of its values, of which there may be many rows.
func (c *composer) entity(first string) (column string, every bool) {
	if first == "who" && c.implied != "" {
		return c.columnOf(cCustomer), c.columnOf(cCustomer) != ""
	}
	for _, m := range c.columns {
		if m.first == 0 || isNumeric(m.column) || isDate(m.column) || slices.Contains(c.bound, m.column.Name) {
			continue
		}
		before := c.words[m.first-1].text
		if before == "selling" && m.first > 1 {
			before = c.words[m.first-2].text
		}
		_, err := strconv.Atoi(before)
		if before == "which" || before == "what" || before == "top" || err == nil || before == "popular" || superlative(before) {
			return m.column.Name, !m.column.Key
		}
	}
	for i, w := range c.words[:max(0, len(c.words)-1)] {
		if superlative(w.text) && c.rowStems[c.words[i+1].stem] && w.text != "most" && w.text != "fewest" {
			return c.words[i+1].text, false
		}
	}
	return "", false
}

// superlative reports whether a word asks for the one that is ahead of all others.
func superlative(word string) bool {
	for _, f := range functions {
		if f.function != "max" && f.function != "min" {
			continue
		}
		for _, w := range f.words {
			if w == word || strings.HasSuffix(w, " "+word) {
				return true
			}
		}
	}
	return false
}

// periods are the parts of a date that rows are put together by, with how much of
// an ISO date tells them apart.
var periods = []struct {
	words  []string
	length int
	format string
}{
	{[]string{"month", "months", "monthly"}, 7, "YYYY-MM"},
	{[]string{"year", "years", "yearly", "annual"}, 4, "YYYY"},
	{[]string{"day", "days", "daily"}, 10, "YYYY-MM-DD"},
}

// period finds "per month", "which month", "monthly".
func (c *composer) period() string {
	column := c.dateColumn()
	if column == "" {
		return ""
	}
	for _, p := range periods {
		for i, w := range c.words {
			k := slices.Index(p.words, w.text)
			if k < 0 || w.used {
				continue
			}
			start := i
			for start > 0 && slices.Contains([]string{"per", "by", "each", "every", "which", "what", "the", "for"}, c.words[start-1].text) {
				start--
			}
			if start == i && k != 2 && p.words[k] != "annual" {
				continue
			}
			c.use(start, i+1)
			c.periodOf = p.words[0]
			if c.d.Dialect == "PostgreSQL" {
				return fmt.Sprintf("to_char(%s, '%s')", c.name(column), p.format)
			}
			return fmt.Sprintf("substr(%s, 1, %d)", c.name(column), p.length)
		}
	}
	return ""
}

// grouped writes what rows are put together by, and says it.
func (c *composer) grouped(group string) (expression, said string) {
	if c.periodOf != "" && strings.Contains(group, "(") {
		return group + " AS " + c.name(c.periodOf), c.periodOf
	}
	return c.name(group), group
}

// extremeSum asks for which value of a column the sum of another is greatest or
// least.
func (c *composer) extremeSum(g aim, ordering string) (q Query, why string) {
	by := g.group
	if by == "" {
		by = g.entity
	}
	for k := range c.columns {
		if c.columns[k].column.Name == by {
			c.columns[k].used = true
		}
	}
	if rest := c.rest(); len(rest) > 0 {
		return q, fmt.Sprintf("it is not clear what “%s” is there for", rest[0])
	}
	expression, said := c.grouped(by)
	what := "total " + g.measure
	q.What = fmt.Sprintf("the %s%s for each %s, %s", what, c.place(), said, map[string]string{"DESC": "the highest first", "ASC": "the lowest first"}[ordering])
	q.SQL = fmt.Sprintf("SELECT %s, sum(%s) AS %s FROM %s%s GROUP BY 1 ORDER BY 2 %s, 1 LIMIT %d",
		expression, c.name(g.measure), c.name(what), c.from(), c.filter(), ordering, max(1, g.top))
	return q, ""
}

// aggregate asks for one number, or one for each value of a column.
func (c *composer) aggregate(expression, what, group string) Query {
	q := Query{What: "the " + what + c.place()}
	if group == "" {
		q.SQL = fmt.Sprintf("SELECT %s AS %s FROM %s%s", expression, c.name(what), c.from(), c.filter())
		return q
	}
	by, said := c.grouped(group)
	order := "2 DESC, 1"
	if c.periodOf != "" {
		order = "1"
	}
	q.What += " for each " + said
	q.SQL = fmt.Sprintf("SELECT %s, %s AS %s FROM %s%s GROUP BY 1 ORDER BY %s LIMIT %d", by, expression, c.name(what),
		c.from(), c.filter(), order, mostRows)
	return q
}

// counted counts rows, or the different values of a column that is named.
func (c *composer) counted(g aim) (q Query, why string) {
	switch rest := c.rest(); {
	case len(rest) > 1:
		return q, "it is not clear what is to be counted"
	case len(rest) == 0 && c.implied == cQuantity && !c.rowsNamed && c.columnOf(cQuantity) != "": // how many lamps were sold
		return c.aggregate("sum("+c.name(c.columnOf(cQuantity))+")", "total "+c.columnOf(cQuantity), g.group), ""
	case len(rest) == 1 && !g.distinct && !c.follows(rest[0], "many", "of"):
		return q, fmt.Sprintf("it is not clear what “%s” is there for", rest[0])
	case len(rest) == 1 && !g.distinct && c.isAmount(rest[0]): // how many units were sold
		return c.aggregate("sum("+c.name(rest[0])+")", "total "+rest[0], g.group), ""
	case len(rest) == 1:
		return c.aggregate("count(DISTINCT "+c.name(rest[0])+")", "number of different values of "+rest[0], g.group), ""
	case g.distinct:
		return q, "it is not clear what should be different"
	}
	return c.aggregate("count(*)", "number of rows", g.group), ""
}

// labelling are the names of columns whose numbers count nothing: they name, or date.
var labelling = regexp.MustCompile(`(?i)(^|[_ -])(id|ids|no|nr|number|code|year|month|day|zip|postcode|phone|version|rank|rate)s?$|Id$`)

// isAmount reports whether the numbers of a column are amounts, so that "how
// many" asks for their sum.
func (c *composer) isAmount(name string) bool {
	return !labelling.MatchString(name) && slices.ContainsFunc(c.columns, func(m mention) bool {
		return m.column.Name == name && isNumeric(m.column)
	})
}

// follows reports whether a column is named directly after one of some words.
func (c *composer) follows(column string, after ...string) bool {
	return slices.ContainsFunc(c.columns, func(m mention) bool {
		return m.column.Name == column && m.first > 0 && slices.Contains(after, c.words[m.first-1].text)
	})
}

// mostRows asks for which value of a column there are the most or fewest rows.
func (c *composer) mostRows(column, ordering string, top int) Query {
	return Query{What: "the number of rows" + c.place() + " for each " + column + ", " + ordered[ordering],
		SQL: fmt.Sprintf("SELECT %s, count(*) AS \"number of rows\" FROM %s%s GROUP BY %s ORDER BY 2 %s, 1 LIMIT %d",
			c.name(column), c.from(), c.filter(), c.name(column), ordering, top)}
}

var ordered = map[string]string{"DESC": "the most first", "ASC": "the fewest first"}

// extreme asks for the rows in which a column is greatest or least: all of them
// where several are equal, or so many.
func (c *composer) extreme(g aim, ordering string) Query {
	columns := c.shown(g.measure)
	q := Query{What: fmt.Sprintf("the %s %s%s", g.word, g.measure, c.place())}
	if g.top > 0 {
		c.wheres = append(c.wheres, c.name(g.measure)+" IS NOT NULL")
		q.What = fmt.Sprintf("the %d rows%s with the %s %s", g.top, c.place(), map[string]string{"DESC": "highest", "ASC": "lowest"}[ordering], g.measure)
		q.SQL = fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s %s LIMIT %d", columns, c.from(), c.filter(), c.name(g.measure), ordering, g.top)
		return q
	}
	inner := fmt.Sprintf("SELECT %s(%s) FROM %s%s", g.function, c.name(g.measure), c.from(), c.filter())
	c.wheres = append(c.wheres, fmt.Sprintf("%s = (%s)", c.name(g.measure), inner))
	q.SQL = fmt.Sprintf("SELECT %s FROM %s%s LIMIT %d", columns, c.from(), c.filter(), mostRows)
	return q
}

// list asks for rows: the columns that are named, else all.
func (c *composer) list(g aim) (q Query, why string) {
	rest := c.rest()
	if !g.rows && len(rest) == 0 {
		return q, "it is not clear what is to be told"
	}
	if asks := c.words[0].text; (asks == "who" || asks == "which") && len(rest) > 0 && !c.follows(rest[0], "which", "different") {
		return q, fmt.Sprintf("it is not clear what “%s” is there for", rest[0])
	}
	if len(c.wheres) == 0 && !g.rows {
		return q, "it is not clear which rows are meant"
	}
	distinct := ""
	if g.distinct {
		distinct = "DISTINCT "
	}
	columns := c.shown("")
	if g.distinct && len(rest) > 0 {
		columns = c.nameAll(rest)
	}
	q.SQL = fmt.Sprintf("SELECT %s%s FROM %s%s LIMIT %d", distinct, columns, c.from(), c.filter(), mostRows)
	q.What = "the rows" + c.place()
	if len(rest) > 0 {
		q.What = strings.Join(rest, " and ") + c.place()
	}
	return q, ""
}

// shown are the columns of a list: those that are named and the measure, beside
// what names a row; all where none is named.
func (c *composer) shown(measure string) string {
	named := c.rest()
	if len(named) == 0 {
		return "*"
	}
	if measure != "" && !slices.Contains(named, measure) {
		named = append(named, measure)
	}
	for _, column := range c.table.Columns { // what a row is called
		if strings.EqualFold(column.Name, "name") && !slices.Contains(named, column.Name) && !slices.Contains(c.bound, column.Name) {
			named = append([]string{column.Name}, named...)
		}
	}
	return c.nameAll(named)
}

func (c *composer) nameAll(columns []string) string {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = c.name(name)
	}
	return strings.Join(quoted, ", ")
}

func (c *composer) filter() string {
	if len(c.wheres) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.wheres, " AND ")
}

// place says the table and the conditions in words.
func (c *composer) place() string {
	s := " in " + c.table.Name
	if len(c.said) > 0 {
		s += " where " + strings.Join(c.said, " and ")
	}
	return s
}
