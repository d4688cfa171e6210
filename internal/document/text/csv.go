package text

import (
	"strings"

	"ibid/internal/document/csv"
	"ibid/internal/document/format"
)

// readCSV reads the rows of a table of values. A text never fails to be read.
func readCSV(b *format.Builder, s string) {
	const longest = 64 << 10        // bytes of a value in quotes
	const rows, cells = 200, 20_000 // of one block
	c := csv.NewReader(strings.NewReader(s), longest)
	var block [][]string
	held := 0
	for b.Err == nil {
		row, err := c.Row(cells)
		if err == nil {
			block = append(block, row)
			held += len(row)
		}
		if err != nil || len(block) >= rows || held > cells {
			b.Table(block)
			block, held = nil, 0
		}
		if err != nil {
			return
		}
	}
}
