package sqlwriter

import (
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// People seldom call a column as the database does: they say "quantity" of qty and
// "price" of unit_price. A concept is what columns of many names hold, and the
// words that ask for it.
type concept struct {
	name    string
	stems   map[string]bool // of columns and of words alike
	numeric bool            // only columns of numbers hold it
	sums    bool            // its sum means something; else only its average does
}

// Concepts, the more telling first.
const (
	cQuantity = "quantity"
	cRevenue  = "revenue"
	cPrice    = "price"
	cCustomer = "customer"
	cProduct  = "product"
	cDate     = "date"
)

func conceptsOf(a *text.Analyzer) []concept {
	stems := func(words string) map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[a.Stem(w)] = true
		}
		return set
	}
	return []concept{
		{cQuantity, stems("quantity qty quantities units unit pieces pcs volume sold amount_sold"), true, true},
		{cRevenue, stems("revenue revenues sales turnover income proceeds value money amount total spend spending earnings gross"), true, true},
		{cPrice, stems("price prices cost costs rate unitprice"), true, false},
		{cCustomer, stems("customer client buyer purchaser account"), false, false},
		{cProduct, stems("product item article sku goods merchandise"), false, false},
		{"category", stems("category categories kind type group segment class"), false, false},
		{"employee", stems("employee staff worker person people salesperson rep agent seller"), false, false},
		{"salary", stems("salary wage pay compensation"), true, false},
		{"country", stems("country nation"), false, false},
		{"city", stems("city town"), false, false},
		{"region", stems("region area territory state"), false, false},
		{cDate, stems("date day time ordered created placed"), false, false},
		{"stock", stems("stock inventory"), true, true},
		{"age", stems("age"), true, false},
		{"score", stems("score rating points"), true, false},
	}
}

// holds reports whether a column is one of a concept: by the last word of its
// name, or by another where the last says nothing ("customer_name").
func (k concept) holds(a *text.Analyzer, column ibid.DatabaseColumn) bool {
	if k.numeric && !isNumeric(column) {
		return false
	}
	if k.name == cDate {
		return isDate(column)
	}
	return !isKeyName(column.Name) && slices.ContainsFunc(heads(nameStems(a, column.Name)), func(stem string) bool { return k.stems[stem] })
}

// heads are the words of a column's name that say what stands in it: the last one,
// and the first where the last says little.
func heads(stems []string) []string {
	switch n := len(stems); {
	case n == 0:
		return nil
	case n > 1 && plainLast[stems[n-1]]:
		return []string{stems[n-1], stems[0]}
	default:
		return stems[n-1:]
	}
}

// plainLast are last words of columns that only say that it is a name, or a value.
var plainLast = text.WordSet("name titl label usd eur gbp euro dollar total")

// isKeyName reports whether a column is called like a key: order_id.
func isKeyName(name string) bool {
	lower := strings.ToLower(name)
	return lower == "id" || strings.HasSuffix(lower, "_id") || strings.HasSuffix(lower, " id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// columnOf returns the only column of the table that holds a concept, "" for none
// or several.
func (c *composer) columnOf(name string) string {
	var found []string
	for _, k := range c.concepts {
		if k.name != name {
			continue
		}
		for _, column := range c.table.Columns {
			if k.holds(c.analyzer, column) {
				found = append(found, column.Name)
			}
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// meant finds columns that the question calls otherwise than the table does: by a
// part of their name, or by what they hold.
func (c *composer) meant() {
	for i := range c.words {
		if w := c.words[i]; !w.used && len(w.text) > 2 && !functionWords[w.text] && !aggregates(w.text) {
			if column, ok := c.byPart(w.stem); ok {
				c.mean(i, column)
			} else if column, ok := c.byConcept(w.stem); ok {
				c.mean(i, column)
			}
		}
	}
}

// aggregates reports whether a word asks for a sum, a mean, the first or the last.
func aggregates(word string) bool {
	return slices.ContainsFunc(functions, func(f function) bool { return slices.Contains(f.words, word) })
}

func (c *composer) mean(i int, column ibid.DatabaseColumn) {
	c.use(i, i+1)
	if !slices.ContainsFunc(c.columns, func(m mention) bool { return m.column.Name == column.Name }) {
		c.columns = append(c.columns, mention{column: column, first: i, end: i + 1})
	}
}

// byPart returns the only column whose name ends so: "price" is unit_price. What
// rows are called is no column.
func (c *composer) byPart(stem string) (found ibid.DatabaseColumn, ok bool) {
	if c.rowStems[stem] {
		return found, false
	}
	for _, column := range c.table.Columns {
		if isKeyName(column.Name) || !slices.Contains(heads(nameStems(c.analyzer, column.Name)), stem) {
			continue
		}
		if ok {
			return found, false
		}
		found, ok = column, true
	}
	return found, ok
}

func (c *composer) byConcept(stem string) (found ibid.DatabaseColumn, ok bool) {
	if c.rowStems[stem] {
		return found, false
	}
	for _, k := range c.concepts {
		if !k.stems[stem] || k.name == cDate {
			continue
		}
		if name := c.columnOf(k.name); name != "" {
			return c.column(name), true
		}
	}
	return found, false
}

func (c *composer) column(name string) ibid.DatabaseColumn {
	for _, column := range c.table.Columns {
		if column.Name == name {
			return column
		}
	}
	return ibid.DatabaseColumn{}
}

// rowStemsOf are the stems of what the rows of a table are called: by its name, or
// by its own key ("order_id" of a table "sales").
func rowStemsOf(a *text.Analyzer, table ibid.DatabaseTable) map[string]bool {
	set := map[string]bool{}
	if stems := nameStems(a, table.Name); len(stems) == 1 {
		set[stems[0]] = true
	}
	for i, column := range table.Columns {
		if stems := nameStems(a, column.Name); (i == 0 || column.Key) && isKeyName(column.Name) && len(stems) == 2 {
			set[stems[0]] = true
		}
	}
	return set
}

// sums reports whether the sum of a column means something.
func (c *composer) sums(name string) bool {
	column := c.column(name)
	if !isNumeric(column) || column.Key || labelling.MatchString(name) {
		return false
	}
	for _, k := range c.concepts {
		if k.numeric && k.holds(c.analyzer, column) {
			return k.sums
		}
	}
	return false
}

// doing are verbs that ask for a measure without naming it.
var doing = map[string]string{
	"sold": cQuantity, "sell": cQuantity, "sells": cQuantity, "selling": cQuantity, "bought": cQuantity, "buy": cQuantity, "buys": cQuantity,
	"purchased": cQuantity, "shipped": cQuantity, "popular": cQuantity,
	"earned": cRevenue, "earn": cRevenue, "earns": cRevenue, "made": cRevenue, "generated": cRevenue, "brought": cRevenue, "spent": cRevenue, "spend": cRevenue, "paid": cRevenue,
}

// verbs notes which measure the verbs of a question ask for.
func (c *composer) verbs() {
	for i, w := range c.words {
		if asks, known := doing[w.text]; known && !w.used {
			c.use(i, i+1)
			c.implied = asks
		}
	}
}

// impliedMeasure is the column that is measured where none is named: what the verb
// says, what the adjective does, or else what the table is about.
func (c *composer) impliedMeasure(g aim) string {
	var wanted []string
	switch {
	case g.word == "cheapest" || g.word == "most expensive":
		wanted = []string{cPrice}
	case g.word == "latest" || g.word == "newest" || g.word == "earliest" || g.word == "oldest":
		wanted = []string{cDate}
	case c.implied == cQuantity:
		wanted = []string{cQuantity, cRevenue}
	case c.implied == cRevenue || g.function == "sum" || c.conceptual() == cRevenue:
		wanted = []string{cRevenue, cQuantity}
	case g.word == "biggest" || g.word == "largest" || g.word == "highest" || g.word == "smallest" || g.word == "lowest" || g.word == "best" || g.word == "worst" || g.word == "top":
		wanted = []string{cRevenue}
	}
	for _, name := range wanted {
		if column := c.columnOf(name); column != "" {
			return column
		}
	}
	return ""
}

// conceptual is what the name of the table says that it holds: a table "sales" is
// of revenue.
func (c *composer) conceptual() string {
	stems := nameStems(c.analyzer, c.table.Name)
	for _, k := range c.concepts {
		if len(stems) == 1 && k.sums && k.stems[stems[0]] && c.tableNamed {
			return k.name
		}
	}
	return ""
}
