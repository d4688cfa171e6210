package database

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strings"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
	"ibid/internal/text"
)

// What is read of a workbook.
const (
	maxSheets  = 100
	headerRows = 20 // rows in which the header is looked for
)

// limits bound what a workbook may cost. Tables may be larger than documents, and
// their rows more alike; the cells of all of them are counted where they are loaded.
var limits = zipfile.Limits{Entries: 20_000, Part: 512 << 20, Total: math.MaxInt64, Tokens: math.MaxInt}

var errDamaged = errors.New("the workbook is damaged")

// loadXLSX loads a workbook: every sheet becomes a table. Cells hold what their
// formulas last gave, dates as 2006-01-02.
func loadXLSX(ctx context.Context, from, to, _ string) error {
	z, err := zip.OpenReader(from)
	if err != nil {
		return ibid.Errorf(ibid.CodeBadRequest, "the file is no workbook: %v", err)
	}
	defer z.Close()
	l, err := newLoader(ctx, to)
	if err != nil {
		return err
	}
	book, err := zipfile.New(&z.Reader, limits, charset.XML)
	if err == nil {
		err = loadSheets(parts{book.Lenient(), ctx}, l)
	}
	var refusal *zipfile.Refusal
	switch {
	case errors.As(err, &refusal):
		err = &ibid.Error{Code: ibid.CodeBadRequest, Message: refusal.Message, Hint: refusal.Hint}
	case errors.Is(err, ooxml.ErrBinary):
		err = &ibid.Error{Code: ibid.CodeBadRequest, Message: ooxml.ErrBinary.Error(), Hint: ooxml.BinaryHint}
	case errors.Is(err, errDamaged), errors.Is(err, ooxml.ErrTooLarge), errors.Is(err, zipfile.ErrTooLarge):
		err = ibid.Errorf(ibid.CodeBadRequest, "%v", err)
	}
	return l.close(err)
}

func loadSheets(parts parts, l *loader) error {
	book, err := ooxml.OpenWorkbook(parts)
	if err != nil {
		return err
	}
	for _, sheet := range book.Sheets[:min(len(book.Sheets), maxSheets)] {
		s := &sheetLoader{loader: l, name: sheet.Name}
		if err := book.Rows(sheet, s.row); err != nil {
			return err
		}
		if err := s.finish(); err != nil {
			return err
		}
	}
	return nil
}

// parts are the parts of a workbook, which are read for as long as ctx lasts.
type parts struct {
	*zipfile.File
	ctx context.Context
}

// Each implements ooxml.Parts.
func (p parts) Each(part string, visit func(xml.Token) error) error {
	var visited error // what went wrong with the rows, not with the part
	err := p.File.Each(part, func(token xml.Token) error {
		if visited = p.ctx.Err(); visited == nil {
			visited = visit(token)
		}
		return visited
	})
	switch {
	case err == nil || visited != nil || errors.Is(err, zipfile.ErrTooLarge):
		return err
	}
	return fmt.Errorf("%w: %v", errDamaged, err)
}

// sheetLoader makes a table of the rows of a sheet. The first rows are held back
// until the header is found among them.
type sheetLoader struct {
	loader *loader
	name   string
	held   [][]string
	begun  bool
}

// row takes the next row.
func (s *sheetLoader) row(cells []ooxml.Cell) error {
	row := texts(cells)
	if s.begun {
		return s.loader.row(row)
	}
	if s.held = append(s.held, row); len(s.held) < headerRows {
		return nil
	}
	return s.begin()
}

// texts returns the cells of a row as they are loaded, in their columns: nothing
// for errors such as #DIV/0!, and percentages as numbers.
func texts(cells []ooxml.Cell) []string {
	var row []string
	for _, c := range cells {
		if c.Column >= maxLoadColumns {
			break
		}
		row = append(row, make([]string, c.Column-len(row))...)
		switch c.Kind {
		case ooxml.Error, ooxml.Formula:
			row = append(row, "")
		case ooxml.Number, ooxml.Percent:
			row = append(row, text.Number(c.Number))
		default:
			row = append(row, c.Text)
		}
	}
	return row
}

// begin takes as header the first row that is about as full as the fullest:
// titles and notes above a table have fewer cells.
func (s *sheetLoader) begin() error {
	s.begun = true
	most := 0
	for _, row := range s.held {
		most = max(most, filled(row))
	}
	at := 0
	for 2*filled(s.held[at]) <= most {
		at++
	}
	header, rows := make([]string, 0), s.held[at:]
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if isHeader(rows[0]) {
		header, rows = append(header, rows[0]...), rows[1:]
	}
	for len(header) < width {
		header = append(header, "")
	}
	if err := s.loader.begin(s.name, header); err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.loader.row(row); err != nil {
			return err
		}
	}
	s.held = nil
	return nil
}

func filled(row []string) int {
	n := 0
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// finish ends the table of a sheet; an empty sheet has none.
func (s *sheetLoader) finish() error {
	if !s.begun && len(s.held) == 0 {
		return nil
	}
	if !s.begun {
		if err := s.begin(); err != nil {
			return err
		}
	}
	return s.loader.end()
}
