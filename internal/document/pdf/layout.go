package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/internal/document/format"
	"ibid/internal/document/pdfium"
)

// The layout of a page: PDFium's lines, in the order of the drawing commands,
// become lines in reading order and rows of tables. That order is right for
// nearly all prose, so it is kept unless the page shows that it is not.
//
//	words ─ cells ─▶ pieces (a line, or a part of one between wide gaps)
//	      ─ join ──▶ pieces that go on behind the one before
//	      ─ columns ▶ order by column where the file draws across columns
//	      ─ rows ──▶ pieces side by side that are no columns of prose: a table

// piece is a part of a line, without wide gaps. Measures are in points.
type piece struct {
	text           string
	x0, y0, x1, y1 float64
	base, size     float64
	chars, bold    int // characters, and how many are bold
	mono, hyphen   bool
	column         int // from 0; -1 across columns or where there are none
	row            bool
}

// wideGap is the gap between words that separates cells, in font sizes. Justified
// lines stretch blanks to about 1.
const wideGap = 1.3

// Layout reads the lines of a page.
func Layout(number int, p pdfium.Page) format.Page {
	out := format.Page{Number: number, Width: tenths(p.Width), Height: tenths(p.Height)}
	out.Scanned = !p.Hidden && p.Glyphs < 100 && p.Images > 0.5 && p.Glyphs < int(200*p.Images)
	out.Garbled = p.Glyphs >= 40 && float64(p.Bad) > 0.3*float64(p.Glyphs)
	if out.Garbled {
		return out
	}
	for _, f := range p.Figures {
		out.Images = append(out.Images, format.Picture{X0: tenths(f.X0), Y0: tenths(f.Y0), X1: tenths(f.X1), Y1: tenths(f.Y1), Alt: format.Clean(f.Alt)})
	}
	for _, note := range p.Notes {
		out.Notes = append(out.Notes, format.Clean(note))
	}
	pieces := joinPieces(splitLines(p.Lines))
	pieces = orderColumns(pieces, p.Width)
	for _, c := range findRows(pieces) {
		out.Lines = append(out.Lines, c.line())
	}
	return out
}

func (c *piece) line() format.Line {
	return format.Line{
		Text: format.Clean(c.text),
		X0:   tenths(c.x0), Y0: tenths(c.y0), X1: tenths(c.x1), Y1: tenths(c.y1),
		Base: tenths(c.base), Size: tenths(c.size),
		Bold: c.bold*10 >= c.chars*8, Mono: c.mono, Hyphen: c.hyphen, Row: c.row,
	}
}

// splitLines cuts lines at wide gaps.
func splitLines(lines []pdfium.Line) []piece {
	var pieces []piece
	for _, l := range lines {
		start := 0
		for i := 1; i < len(l.Words); i++ {
			if breaksCell(l.Words[start:i], l.Words[i]) {
				pieces = append(pieces, newPiece(l.Words[start:i]))
				start = i
			}
		}
		last := newPiece(l.Words[start:])
		last.hyphen = l.Hyphen
		pieces = append(pieces, last)
	}
	return pieces
}

// breaksCell reports whether a word stands apart from those before it. A number
// or bullet in front of an item stands apart by more.
func breaksCell(before []pdfium.Word, w pdfium.Word) bool {
	prev := before[len(before)-1]
	gap := w.X0 - prev.X1
	if w.X1 < prev.X0 { // right to left, or a jump back
		gap = prev.X0 - w.X1
	}
	limit := wideGap
	if len(before) == 1 && isLabel(prev.Text) {
		limit = 4
	}
	return gap > limit*max(w.Font.Size, prev.Font.Size, 4)
}

// labelPattern matches what stands in front of list items and headings: a
// bullet, "1.", "(a)", "2.3", "[12]".
var labelPattern = regexp.MustCompile(`^(?:[•▪◦‣●■–—*·-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,3}){1,4}\.?|\[\d{1,3}\])$`)

func isLabel(s string) bool {
	return len(s) > 0 && len(s) <= 16 && !endsInLetter(s) && labelPattern.MatchString(s)
}

// endsInLetter saves most words the pattern: no label ends so.
func endsInLetter(s string) bool {
	c := s[len(s)-1] | 0x20
	return c >= 'a' && c <= 'z'
}

func newPiece(words []pdfium.Word) piece {
	c := piece{x0: math.Inf(1), y0: math.Inf(1), x1: math.Inf(-1), y1: math.Inf(-1), column: -1, mono: true}
	texts := make([]string, 0, len(words))
	for _, w := range words {
		n := utf8.RuneCountInString(w.Text)
		texts = append(texts, w.Text)
		c.x0, c.y0 = min(c.x0, w.X0), min(c.y0, w.Y0)
		c.x1, c.y1 = max(c.x1, w.X1), max(c.y1, w.Y1)
		c.chars += n
		if w.Font.Bold {
			c.bold += n
		}
		c.mono = c.mono && w.Font.Mono
	}
	c.size = commonSize(words)
	for _, w := range slices.Backward(words) {
		if roundPoints(w.Font.Size) == c.size {
			c.base = w.Base
		}
	}
	c.text = strings.Join(texts, " ")
	return c
}

// commonSize returns the font size, to a tenth of a point, of most characters;
// the larger of two that are as common.
func commonSize(words []pdfium.Word) float64 {
	type count struct {
		size  float64
		chars int
	}
	var room [4]count // a line has one size or two
	counts := room[:0]
	for _, w := range words {
		size := roundPoints(w.Font.Size)
		i := slices.IndexFunc(counts, func(c count) bool { return c.size == size })
		if i < 0 {
			i = len(counts)
			counts = append(counts, count{size: size})
		}
		counts[i].chars += utf8.RuneCountInString(w.Text)
	}
	var best count
	for _, c := range counts {
		if c.chars > best.chars || c.chars == best.chars && c.size > best.size {
			best = c
		}
	}
	return best.size
}

func roundPoints(size float64) float64 { return math.Round(size*10) / 10 }

// joinPieces joins pieces that go on where the one before ended: PDFium ends a
// line at a change of height, such as a raised footnote mark.
func joinPieces(in []piece) []piece {
	var out []piece
	for _, c := range in {
		if n := len(out); n > 0 && out[n-1].goesOnIn(&c) {
			out[n-1].join(&c)
			continue
		}
		out = append(out, c)
	}
	return out
}

func (c *piece) goesOnIn(next *piece) bool {
	gap := next.x0 - c.x1
	limit := wideGap
	if isLabel(c.text) {
		limit = 4
	}
	size := max(c.size, next.size, 4)
	return gap > -0.5*size && gap < limit*size && c.beside(next) && !c.hyphen
}

// beside reports whether two pieces stand at the same height.
func (c *piece) beside(d *piece) bool {
	overlap := min(c.y1, d.y1) - max(c.y0, d.y0)
	return overlap > 0.5*min(c.y1-c.y0, d.y1-d.y0)
}

func (c *piece) join(next *piece) {
	if next.x0-c.x1 > 0.15*max(next.size, 4) {
		c.text += " "
	}
	c.text += next.text
	c.hyphen = next.hyphen
	c.absorb(next)
}

// absorb takes over everything of another piece but its text.
func (c *piece) absorb(d *piece) {
	if d.chars > c.chars {
		c.base, c.size = d.base, d.size
	}
	c.x0, c.y0 = min(c.x0, d.x0), min(c.y0, d.y0)
	c.x1, c.y1 = max(c.x1, d.x1), max(c.y1, d.y1)
	c.chars += d.chars
	c.bold += d.bold
	c.mono = c.mono && d.mono
}

// Rows of tables.

const (
	maxPieces  = 4000 // a page with more is left in the order it has
	proseChars = 35   // pieces side by side that are as long as this are prose
)

// findRows joins pieces that stand side by side, where there are enough of them
// to be a table, into rows from top to bottom. Tables are drawn by row or by
// column; columns of prose have been told apart before.
func findRows(pieces []piece) []piece {
	if len(pieces) < 2 || len(pieces) > maxPieces {
		return pieces
	}
	beside := countBeside(pieces)
	var out []piece
	for i := 0; i < len(pieces); {
		if beside[i] == 0 {
			out = append(out, pieces[i])
			i++
			continue
		}
		end := runEnd(beside, i)
		out = append(out, makeRows(pieces[i:end])...)
		i = end
	}
	return out
}

// countBeside counts for every piece the others in its column at its height.
func countBeside(pieces []piece) []int {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compare(pieces[a].y0, pieces[b].y0) })
	count := make([]int, len(pieces))
	for i, a := range order {
		for _, b := range order[i+1:] {
			p, q := &pieces[a], &pieces[b]
			if q.y0 >= p.y1 {
				break
			}
			apart := q.x0 >= p.x1-1 || q.x1 <= p.x0+1
			if apart && p.column == q.column && p.beside(q) && !(p.chars >= proseChars && q.chars >= proseChars) {
				count[a]++
				count[b]++
			}
		}
	}
	return count
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// runEnd returns where a run of pieces with neighbours ends that began at i. One
// or two pieces without, such as a cell that fills its row, do not end it.
func runEnd(beside []int, i int) int {
	end, gap := i+1, 0
	for j := i + 1; j < len(beside) && gap <= 2; j++ {
		if beside[j] > 0 {
			end, gap = j+1, 0
		} else {
			gap++
		}
	}
	return end
}

// makeRows sorts a run into rows. A run that has no two rows with several cells
// is no table; what stands side by side is then joined, left to right.
func makeRows(run []piece) []piece {
	run = slices.Clone(run)
	slices.SortStableFunc(run, func(a, b piece) int { return compare(a.y0+a.y1, b.y0+b.y1) })
	var rows [][]piece
	for i := 0; i < len(run); {
		j := i + 1
		for j < len(run) && run[i].beside(&run[j]) {
			j++
		}
		row := run[i:j]
		slices.SortStableFunc(row, func(a, b piece) int { return compare(a.x0, b.x0) })
		rows = append(rows, row)
		i = j
	}
	several := 0
	for _, r := range rows {
		if len(r) > 1 {
			several++
		}
	}
	var out []piece
	for _, r := range rows {
		out = append(out, joinRow(r, several > 1))
	}
	return out
}

func joinRow(row []piece, table bool) piece {
	c := row[0]
	separator := " "
	if table {
		separator = format.CellSeparator
		c.row = true
	}
	for i := range row[1:] {
		c.text += separator + row[i+1].text
		c.hyphen = row[i+1].hyphen
		c.absorb(&row[i+1])
	}
	c.hyphen = c.hyphen && !table
	return c
}
