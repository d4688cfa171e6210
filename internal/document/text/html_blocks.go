package text

import (
	"strings"

	"ibid"
	"ibid/internal/document/format"
)

// The blocks that the tokens of a page of HTML amount to.

// breakParagraph ends a paragraph. Inside of a cell, a list item or a heading it
// only ends a line.
func (p *page) breakParagraph() {
	switch {
	case p.inCell():
		p.text.WriteByte(' ')
	case p.kind == ibid.BlockHeading || p.pre > 0:
		p.text.WriteByte('\n')
	case len(p.lists) > 0:
		if strings.TrimSpace(p.text.String()) != "" {
			p.text.WriteByte('\n')
		}
	default:
		p.flush()
	}
}

func (p *page) inCell() bool {
	n := len(p.tables)
	return n > 0 && p.tables[n-1].cell != nil
}

// flush ends the open block and adds it.
func (p *page) flush() {
	kind, level := p.kind, p.level
	p.kind, p.level = "", 0
	p.flushAs(kind, level)
}

// flushKeepingKind adds what is there of a long block, which goes on.
func (p *page) flushKeepingKind() { p.flushAs(p.kind, p.level) }

func (p *page) flushAs(kind ibid.BlockKind, level int) {
	s := p.text.String()
	p.text.Reset()
	p.link.open = false // what was read of it is gone
	if p.pre == 0 {
		s = collapse(s)
	} else {
		s = strings.ReplaceAll(s, string(rune(lineBreak)), "\n")
	}
	if strings.TrimSpace(s) == "" {
		p.showPictures()
		return
	}
	switch {
	case p.inCell():
		p.toCell(s)
	case kind == ibid.BlockHeading:
		p.endList()
		p.builder.Heading(level, s)
	case kind == ibid.BlockCode || p.pre > 0:
		p.add(ibid.BlockCode, s)
	case len(p.lists) > 0:
		p.listLine(s)
	default:
		p.add(ibid.BlockParagraph, s)
	}
	p.showPictures()
}

func (p *page) add(kind ibid.BlockKind, s string) {
	p.endList()
	p.builder.Add(kind, s)
}

func (p *page) toCell(s string) {
	cell := p.tables[len(p.tables)-1].cell
	if cell.Len() > 0 {
		cell.WriteByte(' ')
	}
	cell.WriteString(s)
}

// lineBreak stands for <br> until white space is collapsed. HTML has no NUL.
const lineBreak = 0

// collapse does what a browser does with white space: only <br> ends a line.
func collapse(s string) string {
	if strings.IndexByte(s, lineBreak) < 0 {
		return format.OneLine(s)
	}
	var lines []string
	for line := range strings.SplitSeq(s, string(rune(lineBreak))) {
		if line = format.OneLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// item begins an item of a list.
func (p *page) item() {
	p.flushItem()
	if p.inCell() {
		return
	}
	p.pending = "• "
	if n := len(p.lists); n > 0 && p.lists[n-1].ordered {
		p.lists[n-1].n++
		p.pending = format.ListNumber(p.lists[n-1].n, p.lists[n-1].format) + ". "
	}
}

// flushItem ends the item that is open.
func (p *page) flushItem() {
	if p.kind == "" {
		p.flush()
	}
}

// listLine adds a line to the list, which is one block with all lists in it.
func (p *page) listLine(s string) {
	if p.list.Len()+len(s) > format.MaxBlock {
		p.endList()
	}
	if p.list.Len() > 0 {
		p.list.WriteByte('\n')
	}
	p.list.WriteString(strings.Repeat("  ", max(len(p.lists)-1, 0)))
	p.list.WriteString(p.pending)
	p.list.WriteString(s)
	p.pending = ""
}

func (p *page) endList() {
	s := p.list.String()
	p.list.Reset()
	p.builder.Add(ibid.BlockList, s)
}

// picture keeps a picture until the block that it stands in has ended. Pages use
// pictures to decorate and to count readers: those have a description that is
// empty or says so, or are small.
func (p *page) picture(attrs attributes) {
	const small = 40 // pixels
	alt := strings.ToLower(strings.TrimSpace(attrs.alt))
	decorates := attrs.hasAlt && (alt == "" || alt == "icon" || alt == "logo")
	if attrs.hidden || decorates || attrs.side > 0 && attrs.side < small && format.Describes(alt) == "" {
		return
	}
	p.pictures = append(p.pictures, attrs.alt)
	if strings.TrimSpace(p.text.String()) == "" {
		p.showPictures()
	}
}

// showPictures adds the pictures that were met, outside of tables, lists and
// headings.
func (p *page) showPictures() {
	if len(p.tables) > 0 && !p.tables[len(p.tables)-1].layout || len(p.lists) > 0 || p.kind == ibid.BlockHeading || len(p.pictures) == 0 {
		return
	}
	pictures := p.pictures
	p.pictures = nil
	p.endList()
	p.builder.AddImages(pictures)
}

// Tables.

func (p *page) openTable() {
	p.flush()
	if len(p.tables) < maxNesting {
		p.tables = append(p.tables, &tableState{})
	}
}

func (p *page) openRow() {
	p.closeCell()
	if n := len(p.tables); n > 0 {
		t := p.tables[n-1]
		p.flush()
		t.endRow()
		t.rows = append(t.rows, nil)
		p.spill(t)
	}
}

// spill adds the rows of a long table that are complete.
func (p *page) spill(t *tableState) {
	const most = 500
	if len(p.tables) == 1 && len(t.rows) > most {
		p.addTable(t.rows[:len(t.rows)-1])
		t.rows = [][]string{nil}
	}
}

func (p *page) openCell(span, height int) {
	p.closeCell()
	n := len(p.tables)
	if n == 0 {
		p.breakParagraph()
		return
	}
	t := p.tables[n-1]
	if t.layout {
		p.breakParagraph()
		return
	}
	p.flush() // text between cells
	if len(t.rows) == 0 {
		t.rows = append(t.rows, nil)
	}
	t.belowOthers()
	t.cell, t.span, t.height = &strings.Builder{}, span, height
}

// endRow counts the row for the cells that reach into it behind its last one.
func (t *tableState) endRow() {
	if len(t.rows) == 0 {
		return
	}
	for c := len(t.rows[len(t.rows)-1]); c < len(t.down); c++ {
		t.down[c] = max(t.down[c]-1, 0)
	}
}

// belowOthers leaves the columns free into which cells from above reach.
func (t *tableState) belowOthers() {
	row := len(t.rows) - 1
	for c := len(t.rows[row]); c < len(t.down) && t.down[c] > 0; c++ {
		t.down[c]--
		t.rows[row] = append(t.rows[row], "")
	}
}

// maxTableColumns bounds how far to the right cells reach down.
const maxTableColumns = 512

// reachDown keeps that a cell which begins in a column reaches further down.
func (t *tableState) reachDown(column, columns, rows int) {
	const most = 1000
	for len(t.down) < column+columns && len(t.down) < maxTableColumns {
		t.down = append(t.down, 0)
	}
	for c := column; c < min(column+columns, len(t.down)); c++ {
		t.down[c] = min(max(rows-1, 0), most)
	}
}

func (p *page) closeCell() {
	n := len(p.tables)
	if n == 0 || p.tables[n-1].cell == nil {
		return
	}
	const maxSpan = 20
	p.flush()
	t := p.tables[n-1]
	row := len(t.rows) - 1
	t.reachDown(len(t.rows[row]), max(min(t.span, maxSpan), 1), t.height)
	t.rows[row] = append(t.rows[row], t.cell.String())
	for range min(t.span, maxSpan) - 1 {
		t.rows[row] = append(t.rows[row], "")
	}
	t.cell = nil
}

func (p *page) closeTable() {
	p.closeCell()
	n := len(p.tables)
	if n == 0 {
		return
	}
	t := p.tables[n-1]
	p.tables = p.tables[:n-1]
	switch {
	case p.inCell():
		for _, row := range t.rows {
			if line := format.TableRow(row); line != "" {
				p.toCell(strings.ReplaceAll(line, format.CellSeparator, ", ") + ";")
			}
		}
	case t.layout:
		p.flush()
	default:
		p.addTable(t.rows)
		p.showPictures()
	}
}

// addTable adds rows as a table, or as paragraphs where the table only places
// text because it has a single column.
func (p *page) addTable(rows [][]string) {
	p.endList()
	if !singleColumn(rows) {
		p.builder.Table(rows)
		return
	}
	for _, row := range rows {
		if len(row) > 0 {
			p.builder.Add(ibid.BlockParagraph, row[0])
		}
	}
}

// openLayout reads the tables that are open as what they are, a way to place
// text: there is a heading in one of their cells.
func (p *page) openLayout() {
	for _, t := range p.tables {
		if t.layout {
			continue
		}
		t.layout = true
		rows := t.rows
		if t.cell != nil && len(rows) > 0 {
			rows[len(rows)-1] = append(rows[len(rows)-1], t.cell.String())
		}
		t.rows, t.cell = nil, nil
		for _, row := range rows {
			for _, cell := range row {
				p.add(ibid.BlockParagraph, cell)
			}
		}
	}
}

func singleColumn(rows [][]string) bool {
	for _, row := range rows {
		if len(row) > 1 {
			return false
		}
	}
	return true
}

func (p *page) closeTables() {
	for len(p.tables) > 0 {
		p.closeTable()
	}
}
