package text

import (
	"regexp"
	"strings"
)

// TableRow reports whether a line is the row of a table, as extraction and
// people write them: cells apart by " | " or tabs.
func TableRow(line string) bool {
	return strings.Contains(line, " | ") || strings.Contains(strings.TrimSpace(line), "\t")
}

// table follows the rows of a table from above.
type table struct{ columns, section string }

// next takes the next sentence and returns the header of a row with amounts in
// it: the last row without any, and the last line that ends with a colon or that
// stood before a colon in a row.
func (t *table) next(s string) string {
	if !TableRow(s) {
		if strings.HasSuffix(s, ":") {
			t.section = s
		} else {
			*t = table{}
		}
		return ""
	}
	if section, _, ok := strings.Cut(s, ": "); ok && !TableRow(section) {
		t.section = section + ":"
	}
	if amount.MatchString(s) {
		return strings.TrimSpace(t.columns + "\n" + t.section)
	}
	*t = table{columns: s}
	return ""
}

// amount finds a number that is no year.
var amount = regexp.MustCompile(`\d[.,]\d|\d%|\b\d{1,3}\b|\b[3-9]\d{3}\b|\d{5}`)

// totals finds the rows that sum up.
var totals = regexp.MustCompile(`(?i)^\W*(total|totals|consolidated|overall|sum|all)\b[^|\t]*[|\t]`)
