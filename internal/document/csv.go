package document

import (
	"strings"
)

// readCSV reads tables of values divided by commas, semicolons, tabs or bars.
// It never fails: quotes that are not closed are characters.
func readCSV(b *builder, s string) {
	comma, s := declaredComma(s)
	if comma == 0 {
		comma = findComma(s)
	}
	c := csvReader{text: s, comma: comma}
	const rows, cells = 200, 20_000 // of one block
	var block [][]string
	held := 0
	for b.err == nil {
		row, ok := c.row(cells)
		if ok {
			block = append(block, row)
			held += len(row)
		}
		if !ok || len(block) >= rows || held > cells {
			b.table(block)
			block, held = nil, 0
		}
		if !ok {
			return
		}
	}
}

// declaredComma takes off the first line where it is Excel's "sep=;".
func declaredComma(s string) (comma byte, rest string) {
	line, rest, _ := strings.Cut(strings.TrimPrefix(s, "\uFEFF"), "\n")
	line = strings.TrimRight(line, "\r")
	if sign, ok := strings.CutPrefix(strings.Trim(line, `"`), "sep="); ok && len(sign) == 1 {
		return sign[0], rest
	}
	return 0, s
}

// findComma returns what divides the values: the sign that the first lines have
// in the most equal number. Of two that are as regular it is not the comma, which
// divides the digits of many countries, too.
func findComma(s string) byte {
	const sample, most = 16 << 10, 20
	var counts [][4]int
	const signs = "\t;|,"
	for line := range lines(s[:min(len(s), sample)]) {
		var n [4]int
		quoted := false
		for i := 0; i < len(line); i++ {
			if line[i] == '"' {
				quoted = !quoted
			} else if k := strings.IndexByte(signs, line[i]); k >= 0 && !quoted {
				n[k]++
			}
		}
		if counts = append(counts, n); len(counts) == most {
			break
		}
	}
	best, bestLines := byte(','), 0 // a single column
	for k := range len(signs) {
		equal := make(map[int]int)
		for _, n := range counts {
			if n[k] > 0 {
				equal[n[k]]++
			}
		}
		for _, lines := range equal {
			if lines > bestLines {
				best, bestLines = signs[k], lines
			}
		}
	}
	return best
}

// csvReader cuts text into rows (RFC 4180, but any sign between values and any
// end of line).
type csvReader struct {
	text  string
	comma byte
}

// row returns the next row, or a piece of it when it has more than most values;
// false at the end.
func (c *csvReader) row(most int) ([]string, bool) {
	if c.text == "" {
		return nil, false
	}
	var row []string
	for len(row) < most {
		value, end := c.value()
		row = append(row, value)
		if end {
			break
		}
	}
	return row, true
}

// value returns the next value and whether it is the last of its row.
func (c *csvReader) value() (value string, end bool) {
	if strings.HasPrefix(c.text, `"`) {
		if value, n := quotedValue(c.text); n > 0 {
			c.text = c.text[n:]
			// What stands behind the closing quote belongs to the value.
			rest, end := c.bare()
			return value + rest, end
		}
	}
	return c.bare()
}

func (c *csvReader) bare() (value string, end bool) {
	i := 0
	for i < len(c.text) && c.text[i] != c.comma && c.text[i] != '\n' && c.text[i] != '\r' {
		i++
	}
	value = c.text[:i]
	if i == len(c.text) {
		c.text = ""
		return value, true
	}
	end = c.text[i] != c.comma
	if end && strings.HasPrefix(c.text[i:], "\r\n") {
		i++
	}
	c.text = c.text[i+1:]
	return value, end
}

// quotedValue reads a value in quotes, in which two quotes stand for one. It
// returns the bytes taken, 0 when the quote is not closed nearby.
func quotedValue(s string) (value string, n int) {
	const longest = 64 << 10
	for i := 1; i < len(s) && i < longest; i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], `""`, `"`), i + 1
	}
	return "", 0
}
