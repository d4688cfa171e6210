package database

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"ibid"
)

// What is read of a workbook, so that a small file cannot become a large one.
const (
	maxPart    = 512 << 20 // bytes of one part, unpacked
	maxStrings = 128 << 20 // bytes of shared strings
	maxSheets  = 100
	headerRows = 20 // rows in which the header is looked for
)

var errWorkbook = errors.New("the workbook is damaged")

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
	w := &workbook{zip: &z.Reader, loader: l, epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	err = w.load()
	if errors.Is(err, errWorkbook) {
		err = ibid.Errorf(ibid.CodeBadRequest, "%v", err)
	}
	return l.close(err)
}

type workbook struct {
	zip     *zip.Reader
	loader  *loader
	epoch   time.Time
	strings []string
	dates   []bool // by style: whether its numbers are dates
	arrows  map[string]string
	sheets  []sheet
}

type sheet struct{ name, part string }

func (w *workbook) load() error {
	for _, step := range []func() error{w.readArrows, w.readSheets, w.readStrings, w.readStyles} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, s := range w.sheets {
		r := &sheetReader{book: w, name: s.name}
		if err := w.each(s.part, r.token); err != nil {
			return err
		}
		if err := r.finish(); err != nil {
			return err
		}
	}
	return nil
}

// each gives every token of a part to take. A part that is not there has none.
func (w *workbook) each(part string, take func(xml.Token) error) error {
	f, err := w.zip.Open(part)
	if err != nil {
		return nil
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: maxPart}
	d := xml.NewDecoder(limited)
	d.Strict = false
	for {
		if err := w.loader.ctx.Err(); err != nil {
			return err
		}
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && limited.N > 0:
			return nil
		case limited.N <= 0:
			return ibid.Errorf(ibid.CodeBadRequest, "the workbook is too large")
		case err != nil:
			return errWorkbook
		}
		if err := take(token); err != nil {
			return err
		}
	}
}

// start returns the local name of a start element, "" for other tokens.
func start(t xml.Token) (name string, e xml.StartElement) {
	e, ok := t.(xml.StartElement)
	if !ok {
		return "", e
	}
	return e.Name.Local, e
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (w *workbook) readArrows() error {
	w.arrows = map[string]string{}
	return w.each("xl/_rels/workbook.xml.rels", func(t xml.Token) error {
		if name, e := start(t); name == "Relationship" {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = "/xl/" + target
			}
			w.arrows[attribute(e, "Id")] = strings.TrimPrefix(path.Clean(target), "/")
		}
		return nil
	})
}

func (w *workbook) readSheets() error {
	return w.each("xl/workbook.xml", func(t xml.Token) error {
		switch name, e := start(t); name {
		case "workbookPr":
			if v := attribute(e, "date1904"); v == "1" || v == "true" {
				w.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		case "sheet":
			var id string
			for _, a := range e.Attr {
				if a.Name.Local == "id" && a.Name.Space != "" {
					id = a.Value
				}
			}
			if part := w.arrows[id]; strings.Contains(part, "worksheets") && len(w.sheets) < maxSheets {
				w.sheets = append(w.sheets, sheet{attribute(e, "name"), part})
			}
		}
		return nil
	})
}

func (w *workbook) readStrings() error {
	var s strings.Builder
	inText, phonetic, all := false, false, 0
	return w.each("xl/sharedStrings.xml", func(t xml.Token) error {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "si":
				s.Reset()
			case "t":
				inText = true
			case "rPh": // how an East Asian string is pronounced
				phonetic = true
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "si":
				w.strings = append(w.strings, s.String())
			case "t":
				inText = false
			case "rPh":
				phonetic = false
			}
		case xml.CharData:
			if inText && !phonetic {
				if all += len(e); all > maxStrings {
					return ibid.Errorf(ibid.CodeBadRequest, "the workbook is too large")
				}
				s.Write(e)
			}
		}
		return nil
	})
}

// readStyles finds which styles show a number as a date; the numbers of the
// built-in formats are those of ECMA-376, part 1, 18.8.30.
func (w *workbook) readStyles() error {
	codes := map[string]string{}
	inCells := false
	return w.each("xl/styles.xml", func(t xml.Token) error {
		if e, ok := t.(xml.EndElement); ok && e.Name.Local == "cellXfs" {
			inCells = false
		}
		switch name, e := start(t); name {
		case "numFmt":
			codes[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs":
			inCells = true
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				n, _ := strconv.Atoi(id)
				w.dates = append(w.dates, n >= 14 && n <= 22 || n >= 45 && n <= 47 || isDateFormat(codes[id]))
			}
		}
		return nil
	})
}

// isDateFormat reports whether a format has letters of dates outside quotes,
// colours and locales.
func isDateFormat(code string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case !bracket && strings.IndexByte("yYdDhHsS", c) >= 0 && !strings.EqualFold(code, "general"):
			return true
		}
	}
	return false
}

// sheetReader is the state between the elements of a sheet. The first rows are
// held back until the header is found among them.
type sheetReader struct {
	book *workbook
	name string

	row     []string
	value   strings.Builder
	inValue bool
	kind    string
	ref     string
	style   int

	held  [][]string
	begun bool
}

func (s *sheetReader) token(t xml.Token) error {
	switch e := t.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "row":
			s.row = nil
		case "c":
			s.kind, s.ref = attribute(e, "t"), attribute(e, "r")
			s.style, _ = strconv.Atoi(attribute(e, "s"))
			s.value.Reset()
		case "v", "t":
			s.inValue = true
		}
	case xml.EndElement:
		switch e.Name.Local {
		case "v", "t":
			s.inValue = false
		case "c":
			s.cell()
		case "row":
			return s.endRow()
		}
	case xml.CharData:
		if s.inValue && s.value.Len() < maxLoadCell {
			s.value.Write(e)
		}
	}
	return nil
}

// cell puts a value into its column; cells without a place follow the last one.
func (s *sheetReader) cell() {
	column := columnOf(s.ref)
	if column < len(s.row) {
		column = len(s.row)
	}
	if s.value.Len() == 0 || column >= maxLoadColumns {
		return
	}
	for len(s.row) < column {
		s.row = append(s.row, "")
	}
	s.row = append(s.row, s.book.text(s.kind, s.value.String(), s.style))
}

// columnOf returns the column of "AB12", counted from 0; -1 for none.
func columnOf(ref string) int {
	column := 0
	for i := 0; i < len(ref) && i < 3 && ref[i] >= 'A' && ref[i] <= 'Z'; i++ {
		column = column*26 + int(ref[i]-'A') + 1
	}
	return column - 1
}

// text returns a cell's value as it is loaded.
func (w *workbook) text(kind, value string, style int) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(w.strings) {
			return w.strings[i]
		}
		return ""
	case "b":
		return map[bool]string{true: "TRUE", false: "FALSE"}[value == "1"]
	case "e": // an error such as #DIV/0!
		return ""
	case "", "n":
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return value
		}
		if style >= 0 && style < len(w.dates) && w.dates[style] {
			return w.date(f)
		}
		return showNumber(f)
	}
	return value
}

func (w *workbook) date(days float64) string {
	const lastDay = 2958466 // the year 10000
	if days < 0 || days >= lastDay {
		return showNumber(days)
	}
	at := w.epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round((days-math.Floor(days))*86400)) * time.Second)
	switch {
	case days < 1:
		return at.Format("15:04:05")
	case days == math.Floor(days):
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05")
}

func (s *sheetReader) endRow() error {
	row := s.row
	s.row = nil
	if len(row) == 0 {
		return nil
	}
	if s.begun {
		return s.book.loader.row(row)
	}
	if s.held = append(s.held, row); len(s.held) < headerRows {
		return nil
	}
	return s.begin()
}

// begin takes as header the first row that is about as full as the fullest:
// titles and notes above a table have fewer cells.
func (s *sheetReader) begin() error {
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
	if err := s.book.loader.begin(s.name, header); err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.book.loader.row(row); err != nil {
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
func (s *sheetReader) finish() error {
	if !s.begun && len(s.held) == 0 {
		return nil
	}
	if !s.begun {
		if err := s.begin(); err != nil {
			return err
		}
	}
	return s.book.loader.end()
}
