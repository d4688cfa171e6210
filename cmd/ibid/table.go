package main

import (
	"strings"

	"github.com/rivo/uniseg"

	"ibid/internal/say"
)

// column is one column of a table.
type column struct {
	title string
	right bool // numbers stand to the right
	give  bool // gives way when the table is wider than the terminal
}

// table prints rows under aligned columns. Where the terminal is too narrow,
// the columns that give way are cut, the widest first, down to leastColumn.
type table struct {
	columns []column
	rows    [][]string
}

// leastColumn is what a column that gives way keeps at least.
const leastColumn = 12

// add appends a row; cells are made safe and single-line.
func (t *table) add(cells ...string) {
	row := make([]string, len(t.columns))
	for i := range row {
		if i < len(cells) {
			row[i] = say.OneLine(cells[i], 0)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *table) print(to *terminal) {
	widths := t.widths(to.width)
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = c.title
	}
	to.printf("%s\n", to.paint(bold, t.line(titles, widths)))
	for _, row := range t.rows {
		to.printf("%s\n", t.line(row, widths))
	}
}

func (t *table) widths(terminalWidth int) []int {
	widths := make([]int, len(t.columns))
	total := 2 * (len(t.columns) - 1)
	for i, c := range t.columns {
		widths[i] = uniseg.StringWidth(c.title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
		total += widths[i]
	}
	if terminalWidth <= 0 {
		return widths
	}
	for total > terminalWidth {
		widest := -1
		for i, c := range t.columns {
			if c.give && widths[i] > leastColumn && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return widths
		}
		widths[widest]--
		total--
	}
	return widths
}

func (t *table) line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		cell = say.Cut(cell, widths[i])
		pad := strings.Repeat(" ", max(0, widths[i]-uniseg.StringWidth(cell)))
		if i > 0 {
			b.WriteString("  ")
		}
		if t.columns[i].right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
