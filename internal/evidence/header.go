package evidence

import (
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
	if hasAmount(s) {
		return strings.TrimSpace(h.columns + "\n" + h.section)
	}
	*h = rowHeader{columns: s}
	return ""
}

// hasAmount reports whether a row has a number that is no year: a fraction, a percentage,
// or any other number of digits than four, or four that begin with 3 to 9.
func hasAmount(row string) bool {
	for run := range text.Runs(row) {
		s := row[run.Start:run.End]
		digits := 0 // in a row
		for i := range len(s) {
			if s[i] < '0' || s[i] > '9' {
				digits = 0
			} else if digits++; digits == 5 {
				return true
			}
		}
		switch {
		case digits == 0:
		case digits == len(s) && (digits <= 3 || s[0] >= '3'), strings.HasPrefix(row[run.End:], "%"):
			return true
		case run.End+1 < len(row) && (row[run.End] == '.' || row[run.End] == ',') && row[run.End+1] >= '0' && row[run.End+1] <= '9':
			return true
		}
	}
	return false
}

// summing are the words that the first cell of a row begins with that sums up the others.
var summing = text.WordsOf("en", "sums up")

// sumsUp reports whether a row sums up the others of its table.
func sumsUp(row string) bool {
	first, at := text.FirstRun(row)
	return summing[first] && strings.ContainsAny(row[at.End:], "|\t")
}
