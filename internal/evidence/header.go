package evidence

import (
	"regexp"
	"strings"

	"ibid/internal/text"
)

// rowHeader follows the rows of a table from above and keeps what they stand under.
type rowHeader struct{ columns, section string }

// next takes the next sentence and returns the header of a row with amounts in
// it: the last row without any, and the last line that ends with a colon or that
// stood before a colon in a row.
func (h *rowHeader) next(s string) string {
	if !text.TableRow(s) {
		if strings.HasSuffix(s, ":") {
			h.section = s
		} else {
			*h = rowHeader{}
		}
		return ""
	}
	if section, _, ok := strings.Cut(s, ": "); ok && !text.TableRow(section) {
		h.section = section + ":"
	}
	if amount.MatchString(s) {
		return strings.TrimSpace(h.columns + "\n" + h.section)
	}
	*h = rowHeader{columns: s}
	return ""
}

// amount finds a number that is no year.
var amount = regexp.MustCompile(`\d[.,]\d|\d%|\b\d{1,3}\b|\b[3-9]\d{3}\b|\d{5}`)

// totals finds the rows that sum up.
var totals = regexp.MustCompile(`(?i)^\W*(total|totals|consolidated|overall|sum|all)\b[^|\t]*[|\t]`)
