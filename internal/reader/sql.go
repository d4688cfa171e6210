package reader

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// conditions finds values, comparisons and years.
func (c *composer) conditions() (why string) {
	if why := c.values(); why != "" {
		return why
	}
	c.verbs() // not before the values: a word may be one
	c.meant()
	if why := c.comparison(); why != "" {
		return why
	}
	if why := c.month(); why != "" {
		return why
	}
	return c.year()
}

// values turns the values that a question names into conditions. Several of one
// column are alternatives.
func (c *composer) values() (why string) {
	type hit struct{ first, end int }
	byColumn := map[string][]string{}
	var order []string
	at := map[hit]string{}
	matches := slices.Clone(c.d.Named)
	slices.SortStableFunc(matches, func(x, y ibid.DatabaseMatch) int { return len(y.Value) - len(x.Value) })
	for _, m := range matches {
		if m.Table != c.table.Name {
			continue
		}
		parts := questionWord.FindAllString(strings.ToLower(m.Value), -1)
		i := c.find(parts)
		if i < 0 {
			for h, column := range at { // the same words, in another column
				if column != m.Column && h.end-h.first == len(parts) && c.spells(h.first, parts) {
					return fmt.Sprintf("“%s” may be of %s or of %s", m.Value, column, m.Column)
				}
			}
			continue
		}
		c.use(i, i+len(parts))
		at[hit{i, i + len(parts)}] = m.Column
		if byColumn[m.Column] == nil {
			order = append(order, m.Column)
		}
		byColumn[m.Column] = append(byColumn[m.Column], m.Value)
	}
	if len(order) > 1 && slices.ContainsFunc(c.words, func(w word) bool { return w.text == "or" }) {
		return "“or” joins different columns"
	}
	for i := 1; i+1 < len(c.words); i++ { // between two values of one column
		if c.words[i].text == "or" && c.words[i-1].used && c.words[i+1].used && len(order) == 1 && len(byColumn[order[0]]) > 1 {
			c.use(i, i+1)
		}
	}
	for _, column := range order {
		var literals []string
		for _, v := range byColumn[column] {
			literals = append(literals, literal(v))
		}
		condition := c.name(column) + " = " + literals[0]
		if len(literals) > 1 {
			condition = c.name(column) + " IN (" + strings.Join(literals, ", ") + ")"
		}
		c.where(column, condition, fmt.Sprintf("%s is “%s”", column, strings.Join(byColumn[column], "” or “")))
	}
	return ""
}

func (c *composer) find(parts []string) int {
	for i := 0; i+len(parts) <= len(c.words) && len(parts) > 0; i++ {
		free := true
		for j := range parts {
			free = free && !c.words[i+j].used
		}
		if free && c.spells(i, parts) {
			return i
		}
	}
	return -1
}

func (c *composer) spells(at int, parts []string) bool {
	for j, p := range parts {
		w := c.words[at+j].text
		if w != p && (len(parts) > 1 || strings.TrimSuffix(w, "s") != p) { // lamps
			return false
		}
	}
	return true
}

func (c *composer) where(column, condition, said string) {
	c.wheres = append(c.wheres, condition)
	c.said = append(c.said, said)
	c.bound = append(c.bound, column)
	for i := range c.columns {
		if c.columns[i].column.Name == column {
			c.columns[i].used = true
		}
	}
}

// comparisons in words, and what they are in SQL.
var comparisons = []struct{ words, sign string }{
	{"more than", ">"}, {"greater than", ">"}, {"higher than", ">"}, {"larger than", ">"}, {"less than", "<"}, {"lower than", "<"},
	{"smaller than", "<"}, {"fewer than", "<"}, {"at least", ">="}, {"at most", "<="}, {"over", ">"}, {"above", ">"}, {"under", "<"}, {"below", "<"},
	{"exactly", "="},
}

// comparison turns "price over 50" into a condition on the number column that
// stands nearest.
func (c *composer) comparison() (why string) {
	for _, known := range comparisons {
		parts := strings.Fields(known.words)
		i := c.find(parts)
		if i < 0 {
			continue
		}
		end := i + len(parts)
		if end == len(c.words) || !isNumber(c.words[end].text) {
			return fmt.Sprintf("no number follows “%s”", known.words)
		}
		nearest, distance := -1, 4
		for k, m := range c.columns {
			if d := min(abs(i-m.end), abs(m.first-end-1)); isNumeric(m.column) && !m.used && d < distance {
				nearest, distance = k, d
			}
		}
		if nearest < 0 {
			return fmt.Sprintf("it is not clear what should be %s %s", known.words, c.words[end].text)
		}
		column := c.columns[nearest].column.Name
		number := strings.ReplaceAll(c.words[end].text, ",", "")
		c.use(i, end+1)
		c.where(column, c.name(column)+" "+known.sign+" "+number, fmt.Sprintf("%s is %s %s", column, known.words, number))
	}
	return ""
}

// year turns "in 2023" into a condition on the only column of dates.
func (c *composer) year() (why string) {
	for i := range c.words {
		w := c.words[i]
		if w.used || len(w.text) != 4 || !isNumber(w.text) || i == 0 {
			continue
		}
		n, err := strconv.Atoi(w.text)
		if err != nil || n < 1900 || n > 2100 {
			continue
		}
		low, high := fmt.Sprintf("%04d-01-01", n), fmt.Sprintf("%04d-01-01", n+1)
		column := c.dateColumn()
		if column == "" {
			return fmt.Sprintf("it is not clear which date should be in %d", n)
		}
		name := c.name(column)
		switch before := c.words[i-1].text; before {
		case "in", "during", "of", "for":
			c.where(column, fmt.Sprintf("%s >= '%s' AND %s < '%s'", name, low, name, high), fmt.Sprintf("%s is in %d", column, n))
		case "since", "from":
			c.where(column, fmt.Sprintf("%s >= '%s'", name, low), fmt.Sprintf("%s is since %d", column, n))
		case "after":
			c.where(column, fmt.Sprintf("%s >= '%s'", name, high), fmt.Sprintf("%s is after %d", column, n))
		case "before":
			c.where(column, fmt.Sprintf("%s < '%s'", name, low), fmt.Sprintf("%s is before %d", column, n))
		default:
			continue
		}
		c.use(i-1, i+1)
	}
	return ""
}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// month turns "in March 2024" and "in Q1 2024" into a condition on the only column
// of dates. A month without its year may be of any.
func (c *composer) month() (why string) {
	for i := range c.words {
		w := c.words[i]
		first, months := slices.Index(monthNames, w.text)+1, 1
		end := i + 1
		if w.text == "q" && end < len(c.words) && len(c.words[end].text) == 1 && c.words[end].text >= "1" && c.words[end].text <= "4" {
			first, months = 3*int(c.words[end].text[0]-'1')+1, 3
			end++
		}
		if w.used || first == 0 || w.text == "may" && !c.yearAt(end) {
			continue
		}
		column := c.dateColumn()
		if column == "" {
			return fmt.Sprintf("it is not clear which date should be in %s", w.text)
		}
		start := i
		for start > 0 && slices.Contains([]string{"in", "during", "of", "for", "the"}, c.words[start-1].text) && !c.words[start-1].used {
			start--
		}
		if end < len(c.words) && c.words[end].text == "of" {
			end++
		}
		name, called := c.name(column), strings.ToUpper(w.text[:1])+w.text[1:]
		if months == 3 {
			called = fmt.Sprintf("quarter %d", first/3+1)
		}
		if !c.yearAt(end) {
			if months > 1 || c.d.Dialect != "SQLite" {
				return fmt.Sprintf("it is not clear of which year “%s” is", w.text)
			}
			c.use(start, end)
			c.where(column, fmt.Sprintf("substr(%s, 6, 2) = '%02d'", name, first), fmt.Sprintf("%s is in %s", column, called))
			continue
		}
		year, _ := strconv.Atoi(c.words[end].text)
		after, month := year, first+months
		if month > 12 {
			after, month = year+1, month-12
		}
		c.use(start, end+1)
		c.where(column, fmt.Sprintf("%s >= '%04d-%02d-01' AND %s < '%04d-%02d-01'", name, year, first, name, after, month),
			fmt.Sprintf("%s is in %s %d", column, called, year))
	}
	return ""
}

// yearAt reports whether a year stands at i.
func (c *composer) yearAt(i int) bool {
	return i < len(c.words) && len(c.words[i].text) == 4 && isNumber(c.words[i].text) && (c.words[i].text[:2] == "19" || c.words[i].text[:2] == "20")
}

// dateColumn is the column of dates that is meant: the only one that is named,
// else the only one.
func (c *composer) dateColumn() string {
	var all, named []string
	for _, column := range c.table.Columns {
		if !isDate(column) {
			continue
		}
		all = append(all, column.Name)
		if slices.ContainsFunc(c.columns, func(m mention) bool { return m.column.Name == column.Name }) {
			named = append(named, column.Name)
		}
	}
	switch {
	case len(named) == 1:
		return named[0]
	case len(named) == 0 && len(all) == 1:
		return all[0]
	}
	return ""
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
