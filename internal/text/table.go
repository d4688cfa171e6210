package text

import "strings"

// TableRow reports whether a line is the row of a table, as extraction and
// people write them: cells apart by " | " or tabs.
func TableRow(line string) bool {
	return strings.Contains(line, " | ") || strings.Contains(strings.TrimSpace(line), "\t")
}
