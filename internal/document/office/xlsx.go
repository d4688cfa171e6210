package office

import (
	"errors"

	"ibid/internal/document/format"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
	"ibid/internal/text"
)

const (
	maxCells  = 5_000_000
	maxColumn = 512 // cells further right are put behind the last one
	sheetRows = 200 // rows of one block
)

// readXLSX reads a workbook. A sheet is a page and a heading; its rows are
// tables. Cells show what their formulas last gave, or the formula where it never
// gave anything.
func readXLSX(b *format.Builder, z *zipFile) (format.Done, error) {
	err := readSheets(b, z)
	switch {
	case errors.Is(err, ooxml.ErrTooLarge):
		err = zipfile.ErrTooLarge
	case errors.Is(err, ooxml.ErrBinary):
		err = format.RefuseHint(ooxml.ErrBinary.Error(), ooxml.BinaryHint)
	}
	notice, err := format.PartError(b, err)
	return format.Done{Title: z.coreTitle(), Notice: notice}, err
}

func readSheets(b *format.Builder, z *zipFile) error {
	book, err := ooxml.OpenWorkbook(z)
	if err != nil {
		return err
	}
	t := &sheetTables{builder: b, left: maxCells}
	for _, sheet := range book.Sheets {
		b.NewPage()
		b.Heading(1, sheet.Name)
		err := book.Rows(sheet, t.row)
		t.flush()
		if err == nil && b.Err == nil {
			err = z.besideSheet(b, sheet.Part)
		}
		if err != nil || b.Err != nil {
			return err
		}
	}
	return nil
}

// sheetTables makes tables of the rows of sheets.
type sheetTables struct {
	builder *format.Builder
	rows    [][]string // of the table that is being made
	left    int        // cells that may still be read
}

// row takes the next row.
func (t *sheetTables) row(cells []ooxml.Cell) error {
	if t.left -= len(cells); t.left < 0 {
		return zipfile.ErrTooLarge
	}
	row, size := shown(cells), 0
	if format.TableRow(row) == "" {
		return t.builder.Err
	}
	for _, c := range row {
		size += len(c)
	}
	if t.rows = append(t.rows, row); len(t.rows) >= sheetRows || size > format.MaxBlock {
		t.flush()
	}
	return t.builder.Err
}

// flush ends the table.
func (t *sheetTables) flush() {
	t.builder.Table(t.rows)
	t.rows = nil
}

// shown returns what the cells of a row show, in their columns.
func shown(cells []ooxml.Cell) []string {
	var row []string
	for _, c := range cells {
		if c.Column < maxColumn {
			row = append(row, make([]string, c.Column-len(row))...)
		}
		switch c.Kind {
		case ooxml.Number:
			row = append(row, text.Number(c.Number))
		case ooxml.Percent:
			row = append(row, text.Number(100*c.Number)+"%")
		default:
			row = append(row, c.Text)
		}
	}
	return row
}
