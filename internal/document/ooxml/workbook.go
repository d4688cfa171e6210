package ooxml

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds of a workbook, beside those of its parts.
const (
	maxSheets      = 1000
	maxStringBytes = 128 << 20 // of the strings that its sheets share
	maxFormula     = 300       // bytes of a formula without a value
	maxCellBytes   = 1 << 20   // the rest of a cell is cut off; Excel's own bound is 32,767 characters
)

// ErrTooLarge says that a workbook holds more than maxStringBytes. All errors but
// this and ErrBinary are those of its Parts, as they came.
var ErrTooLarge = errors.New("the workbook is too large")

// ErrBinary says that the parts of a workbook are not XML but BIFF12 ([MS-XLSB]).
// Such a file is whole; BinaryHint says what to do with it.
var ErrBinary = errors.New("this is an Excel binary workbook (.xlsb), a format that cannot be read")

// BinaryExtension is what names of such files end with.
const BinaryExtension = ".xlsb"

// BinaryHint is what to do with such a file.
const BinaryHint = "save it as .xlsx"

// WorkbookExtensions are what names of workbooks end with, the binary kind excepted.
var WorkbookExtensions = []string{".xlsx", ".xlsm"}

// Workbook is an open workbook. What its sheets share is held in memory, their
// rows are not.
type Workbook struct {
	Sheets []Sheet

	parts   Parts
	strings []string
	styles  []Kind
	epoch   time.Time // day 0 of its dates
}

// Sheet is a sheet of cells; sheets that are a chart are left out.
type Sheet struct {
	Name string
	Part string
}

// Kind is what a cell holds.
type Kind uint8

// What a cell may hold. An error is one that a formula ended in, such as #DIV/0!.
const (
	Text Kind = iota
	Number
	Percent
	Date
	Boolean
	Error
	Formula // that never gave a value: a program wrote it that cannot calculate
	elapsed // a number of days, shown as hours; its cells are Dates
)

// Cell is a cell with a value.
type Cell struct {
	Column int // from 0
	Kind   Kind
	Number float64 // the value of a Number or a Percent, which is 0.125 for 12.5%
	// Text is the value of all others: a date is 2006-01-02, 15:04:05 or both, a
	// boolean TRUE or FALSE. A formula is what it last gave, else "=A1+A2".
	Text string
}

// OpenWorkbook reads what the sheets of a workbook share. Where its styles cannot
// be read, dates and percentages are plain numbers.
func OpenWorkbook(parts Parts) (*Workbook, error) {
	main := MainPart(parts)
	if strings.HasSuffix(strings.ToLower(main), ".bin") {
		return nil, ErrBinary
	}
	arrows := RelationshipsOf(parts, main)
	w := &Workbook{parts: parts, epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	if err := w.readSheets(main, arrows); err != nil {
		return nil, err
	}
	for _, part := range arrows.Targets("sharedStrings") {
		if err := w.readStrings(part); err != nil {
			return nil, err
		}
	}
	for _, part := range arrows.Targets("styles") {
		w.readStyles(part)
	}
	return w, nil
}

func (w *Workbook) readSheets(main string, arrows Relationships) error {
	return w.parts.Each(main, func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "workbookPr" && (attribute(e, "date1904") == "1" || attribute(e, "date1904") == "true"):
			w.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		case e.Name.Local == "sheet" && len(w.Sheets) < maxSheets:
			if part := arrows.Target(e); w.parts.Has(part) && strings.Contains(part, "worksheets") {
				w.Sheets = append(w.Sheets, Sheet{attribute(e, "name"), part})
			}
		}
		return nil
	})
}

func (w *Workbook) readStrings(part string) error {
	var s strings.Builder
	inText, phonetic, all := false, 0, 0
	return w.parts.Each(part, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "si":
				s.Reset()
			case "t":
				inText = true
			case "rPh": // how an East Asian string is pronounced
				phonetic++
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "si":
				w.strings = append(w.strings, s.String())
			case "t":
				inText = false
			case "rPh":
				phonetic--
			}
		case xml.CharData:
			if !inText || phonetic > 0 {
				return nil
			}
			if all += len(e); all > maxStringBytes {
				return ErrTooLarge
			}
			s.Write(e)
		}
		return nil
	})
}

// readStyles finds the styles of dates and percentages.
func (w *Workbook) readStyles(part string) {
	codes := make(map[string]string)
	inCells := false
	_ = w.parts.Each(part, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			switch {
			case e.Name.Local == "numFmt":
				codes[attribute(e, "numFmtId")] = attribute(e, "formatCode")
			case e.Name.Local == "cellXfs":
				inCells = true
			case e.Name.Local == "xf" && inCells:
				id := attribute(e, "numFmtId")
				w.styles = append(w.styles, kindOfFormat(id, codes[id]))
			}
		case xml.EndElement:
			if e.Name.Local == "cellXfs" {
				inCells = false
			}
		}
		return nil
	})
}

// kindOfFormat reads a format of numbers; those of the built-in ones are in
// ECMA-376, part 1, 18.8.30.
func kindOfFormat(id, code string) Kind {
	n, _ := strconv.Atoi(id)
	if lower := strings.ToLower(code); n == 46 || strings.Contains(lower, "[h]") || strings.Contains(lower, "[hh]") {
		return elapsed
	}
	code = strings.ToLower(withoutQuoted(code))
	switch {
	case n == 9 || n == 10 || strings.Contains(code, "%"):
		return Percent
	case n >= 14 && n <= 22 || n >= 45 && n <= 47:
		return Date
	case code != "general" && strings.ContainsAny(code, "ydhs"), strings.Contains(code, "mmm"):
		return Date
	}
	return Number
}

// withoutQuoted removes what a format shows literally, and colours and locales
// in brackets.
func withoutQuoted(code string) string {
	var b strings.Builder
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
		case !bracket:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Rows calls take for every row of a sheet that has cells, until it returns an
// error. The cells stand in the order of their columns, and are the caller's to
// keep.
func (w *Workbook) Rows(s Sheet, take func([]Cell) error) error {
	r := &rowReader{book: w, take: take}
	return w.parts.Each(s.Part, r.token)
}

// rowReader is the state between the elements of a sheet.
type rowReader struct {
	book *Workbook
	take func([]Cell) error

	row  []Cell
	next int // the column of a cell that does not say where it stands

	kind               string // of the cell that is being read
	style              int
	column             int
	value              strings.Builder
	formula            strings.Builder
	inValue, inFormula bool
	phonetic           int // elements around that say how a string is pronounced
}

func (r *rowReader) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "row":
			r.row, r.next = nil, 0
		case "c":
			r.begin(e)
		case "v", "t":
			r.inValue = true
		case "f":
			r.inFormula = true
		case "rPh":
			r.phonetic++
		}
	case xml.EndElement:
		switch e.Name.Local {
		case "v", "t":
			r.inValue = false
		case "f":
			r.inFormula = false
		case "rPh":
			r.phonetic--
		case "c":
			r.end()
		case "row":
			if len(r.row) > 0 {
				return r.take(r.row)
			}
		}
	case xml.CharData:
		switch {
		case r.inValue && r.phonetic == 0 && r.value.Len() < maxCellBytes:
			r.value.Write(e[:min(len(e), maxCellBytes-r.value.Len())])
		case r.inFormula && r.formula.Len() < maxFormula:
			r.formula.Write(e[:min(len(e), maxFormula-r.formula.Len())])
		}
	}
	return nil
}

func (r *rowReader) begin(e xml.StartElement) {
	r.kind = attribute(e, "t")
	r.style, _ = strconv.Atoi(attribute(e, "s"))
	r.column = max(columnOf(attribute(e, "r")), r.next)
	r.next = r.column + 1
	r.value.Reset()
	r.formula.Reset()
}

func (r *rowReader) end() {
	var c Cell
	switch {
	case r.value.Len() > 0:
		c = r.book.cell(r.kind, r.value.String(), r.style)
	case r.formula.Len() > 0:
		c = Cell{Kind: Formula, Text: "=" + r.formula.String()}
	default:
		return
	}
	c.Column = r.column
	r.row = append(r.row, c)
}

// columnOf returns the column of "AB12", counted from 0; -1 for none.
func columnOf(ref string) int {
	column := 0
	for i := 0; i < len(ref) && i < 3 && ref[i] >= 'A' && ref[i] <= 'Z'; i++ {
		column = column*26 + int(ref[i]-'A') + 1
	}
	return column - 1
}

// cell reads a value of a kind as ECMA-376, part 1, 18.18.11 names them.
func (w *Workbook) cell(kind, value string, style int) Cell {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(w.strings) {
			return Cell{Text: w.strings[i]}
		}
		return Cell{}
	case "b":
		if value == "1" {
			return Cell{Kind: Boolean, Text: "TRUE"}
		}
		return Cell{Kind: Boolean, Text: "FALSE"}
	case "e":
		return Cell{Kind: Error, Text: value}
	case "", "n":
		f, err := strconv.ParseFloat(value, 64)
		if err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return w.number(f, style)
		}
	}
	return Cell{Text: value}
}

func (w *Workbook) number(f float64, style int) Cell {
	const lastDay = 2958466 // the year 10000
	kind := Number
	if style >= 0 && style < len(w.styles) {
		kind = w.styles[style]
	}
	switch {
	case kind == elapsed && f >= 0 && f < lastDay:
		return Cell{Kind: Date, Text: hours(f)}
	case kind == elapsed:
		return Cell{Kind: Number, Number: f}
	case kind != Date:
		return Cell{Kind: kind, Number: f}
	case f < 0 || f >= lastDay:
		return Cell{Kind: Number, Number: f}
	}
	return Cell{Kind: Date, Text: w.date(f)}
}

// hours writes a number of days as hours, minutes and seconds.
func hours(f float64) string {
	const secondsOfDay = 24 * 60 * 60
	seconds := int64(math.Round(f * secondsOfDay))
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// date writes a day, or a time where f is less than one, or both.
func (w *Workbook) date(f float64) string {
	const secondsOfDay = 24 * 60 * 60
	whole, part := math.Modf(f)
	at := w.epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*secondsOfDay)) * time.Second)
	switch {
	case f < 1:
		return at.Format(time.TimeOnly)
	case part == 0:
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
