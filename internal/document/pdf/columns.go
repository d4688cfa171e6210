package pdf

import "slices"

// gutter is a vertical strip without text between two columns, in points.
type gutter struct{ from, to float64 }

func (g gutter) middle() float64 { return (g.from + g.to) / 2 }

const (
	minGutter     = 8.0 // points
	minColumn     = 80.0
	maxColumns    = 4
	maxCrossing   = 0.25 // share of the text's height that may cross a gutter: titles, figures
	minFullLines  = 0.4  // share of a column's lines that reach across it, if it is prose
	minColumnRows = 6
)

// orderColumns marks the columns of prose on a page and, where the file draws
// line by line across them, orders pieces by column. Pieces that cross columns
// divide the page into bands; in each band the columns are read left to right.
func orderColumns(pieces []piece, width float64) []piece {
	if len(pieces) < 2*minColumnRows || len(pieces) > maxPieces {
		return pieces
	}
	gutters := findGutters(pieces, width)
	if len(gutters) == 0 {
		return pieces
	}
	for i := range pieces {
		pieces[i].column = columnOf(&pieces[i], gutters)
	}
	markWideTables(pieces, len(gutters)+1)
	if interleaved(pieces) {
		return byColumn(pieces, len(gutters)+1)
	}
	return pieces
}

// markWideTables takes the cells of tables that are wider than a column out of
// the columns. A row of one has short pieces in several columns, and rows like
// it above or below. Tables that stand side by side, one in each column, begin
// where their columns do; a wide one has its cells anywhere.
func markWideTables(pieces []piece, columns int) {
	left := columnLefts(pieces, columns)
	order := make([]*piece, len(pieces))
	for i := range pieces {
		order[i] = &pieces[i]
	}
	slices.SortStableFunc(order, func(a, b *piece) int { return compare(a.y0+a.y1, b.y0+b.y1) })
	var table []*piece
	rows := 0
	flush := func() {
		if rows > 1 {
			for _, p := range table {
				p.column = -1
			}
		}
		table, rows = nil, 0
	}
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && order[i].beside(order[j]) {
			j++
		}
		if row := order[i:j]; isWideRow(row, left) {
			table = append(table, row...)
			rows++
		} else {
			flush()
		}
		i = j
	}
	flush()
}

// columnLefts returns where each column begins, but for a few lines that stand
// out to the left.
func columnLefts(pieces []piece, columns int) []float64 {
	starts := make([][]float64, columns)
	for i := range pieces {
		if c := pieces[i].column; c >= 0 {
			starts[c] = append(starts[c], pieces[i].x0)
		}
	}
	left := make([]float64, columns)
	for c, s := range starts {
		if len(s) > 0 {
			slices.Sort(s)
			left[c] = s[len(s)/10]
		}
	}
	return left
}

// isWideRow reports whether pieces at one height are a row of a table across
// columns.
func isWideRow(row []*piece, left []float64) bool {
	const least, near = 3, 3.0 // cells; points
	if len(row) < least {
		return false
	}
	first := make(map[int]float64) // where each column's first piece begins
	for _, p := range row {
		if p.chars >= proseChars {
			return false
		}
		if x, ok := first[p.column]; !ok || p.x0 < x {
			first[p.column] = p.x0
		}
	}
	apart := false
	for c, x := range first {
		apart = apart || c > 0 && x > left[c]+near
	}
	return len(first) > 1 && apart
}

func columnOf(p *piece, gutters []gutter) int {
	column := 0
	for _, g := range gutters {
		middle := g.middle()
		switch {
		case p.x0 < middle && p.x1 > middle:
			return -1
		case p.x0 >= middle:
			column++
		}
	}
	return column
}

// findGutters looks for strips that few lines cross and that have columns of
// prose on all sides. Columns of a table are told from prose by their lines:
// lines of prose reach across their column.
func findGutters(pieces []piece, width float64) []gutter {
	const step = 2.0 // points
	n := int(width/step) + 1
	if n < 10 || n > 5000 {
		return nil
	}
	crossing := make([]float64, n) // height of the lines over each strip
	total := 0.0
	for i := range pieces {
		p := &pieces[i]
		h := p.y1 - p.y0
		total += h
		for k := max(0, int(p.x0/step)); k < n && float64(k)*step < p.x1; k++ {
			crossing[k] += h
		}
	}
	var found []gutter
	from := -1
	for k := 0; k <= n; k++ {
		clear := k < n && crossing[k] <= maxCrossing*total/2
		if clear && from < 0 {
			from = k
		}
		if !clear && from >= 0 {
			g := gutter{float64(from) * step, float64(k) * step}
			if from > 0 && k < n && g.to-g.from >= minGutter {
				found = append(found, g)
			}
			from = -1
		}
	}
	if len(found) == 0 || len(found) >= maxColumns || !allProse(pieces, found) {
		return nil
	}
	return found
}

// allProse reports whether every column between gutters holds prose.
func allProse(pieces []piece, gutters []gutter) bool {
	columns := make([][]*piece, len(gutters)+1)
	for i := range pieces {
		if c := columnOf(&pieces[i], gutters); c >= 0 {
			columns[c] = append(columns[c], &pieces[i])
		}
	}
	for _, c := range columns {
		if !isProse(c) {
			return false
		}
	}
	return true
}

func isProse(column []*piece) bool {
	if len(column) < minColumnRows {
		return false
	}
	var lefts, rights []float64
	for _, p := range column {
		lefts = append(lefts, p.x0)
		rights = append(rights, p.x1)
	}
	slices.Sort(lefts)
	slices.Sort(rights)
	// The edges, without a few that stand out.
	left, right := lefts[len(lefts)/10], rights[len(rights)*9/10]
	if right-left < minColumn {
		return false
	}
	full := 0
	for _, p := range column {
		if p.x1-p.x0 > 0.8*(right-left) && p.chars >= 15 {
			full++
		}
	}
	return float64(full) >= minFullLines*float64(len(column))
}

// interleaved reports whether the order of the pieces jumps between columns line
// by line, not once per column and band.
func interleaved(pieces []piece) bool {
	switches, inColumns, previous := 0, 0, -1
	for i := range pieces {
		c := pieces[i].column
		if c < 0 {
			continue
		}
		inColumns++
		if previous >= 0 && c != previous {
			switches++
		}
		previous = c
	}
	return switches*4 > inColumns
}

// byColumn orders pieces by band, column and height.
func byColumn(pieces []piece, columns int) []piece {
	sorted := slices.Clone(pieces)
	slices.SortStableFunc(sorted, func(a, b piece) int { return compare(a.y0+a.y1, b.y0+b.y1) })
	out := make([]piece, 0, len(pieces))
	band := make([][]piece, columns)
	flush := func() {
		for c := range band {
			out = append(out, band[c]...)
			band[c] = nil
		}
	}
	for _, p := range sorted {
		if p.column < 0 {
			flush()
			out = append(out, p)
			continue
		}
		band[p.column] = append(band[p.column], p)
	}
	flush()
	return out
}
