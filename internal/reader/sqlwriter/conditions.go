package sqlwriter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ibid"
)

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
