package extract

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	maxCells    = 5_000_000
	maxColumn   = 512      // cells further right are put behind the last one
	maxStrings  = 64 << 20 // bytes of shared strings
	sheetRows   = 200      // rows of one block
	sheetsLimit = 1000
)

// readXLSX reads a workbook. A sheet is a page and a heading; its rows are
// tables. Cells show what their formulas last gave.
func readXLSX(b *builder, z *zipFile) (done, error) {
	main := z.mainPart()
	arrows := z.relationships(main)
	w := &workbook{zip: z, builder: b, left: maxCells}
	sheets, err := w.sheets(main, arrows)
	if err == nil {
		err = w.readStrings(targets(arrows, "sharedStrings"))
	}
	w.readStyles(targets(arrows, "styles"))
	for _, s := range sheets {
		if err != nil || b.err != nil {
			break
		}
		b.newPage()
		b.heading(1, s.name)
		err = w.readSheet(s.part)
	}
	notice, err := partError(b, err)
	return done{Title: z.coreTitle(), Notice: notice}, err
}

// workbook is what the sheets share.
type workbook struct {
	zip     *zipFile
	builder *builder
	strings []string
	styles  []cellStyle
	epoch   time.Time // of dates
	left    int       // cells that may still be read
}

type sheet struct{ name, part string }

// cellStyle is how a number is shown.
type cellStyle int

const (
	plainNumber cellStyle = iota
	dateNumber
	percentNumber
)

func (w *workbook) sheets(main string, arrows []relationship) ([]sheet, error) {
	var sheets []sheet
	w.epoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	err := w.zip.each(main, func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "workbookPr" && (attr(e, "date1904") == "1" || attr(e, "date1904") == "true"):
			w.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		case e.Name.Local == "sheet" && len(sheets) < sheetsLimit:
			part := targetByID(arrows, relationshipID(e))
			if w.zip.has(part) && strings.Contains(part, "worksheets") {
				sheets = append(sheets, sheet{attr(e, "name"), part})
			}
		}
		return nil
	})
	return sheets, err
}

func (w *workbook) readStrings(parts []string) error {
	var s strings.Builder
	inText, phonetic, all := false, 0, 0
	for _, part := range parts {
		err := w.zip.each(part, func(token xml.Token) error {
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
				if all += len(e); all > maxStrings {
					return errTooLarge
				}
				if inText && phonetic == 0 {
					s.Write(e)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readStyles finds the styles of dates and percentages. A workbook without
// styles shows plain numbers.
func (w *workbook) readStyles(parts []string) {
	codes := make(map[string]string)
	inCells := false
	for _, part := range parts {
		_ = w.zip.each(part, func(token xml.Token) error {
			switch e := token.(type) {
			case xml.StartElement:
				switch {
				case e.Name.Local == "numFmt":
					codes[attr(e, "numFmtId")] = attr(e, "formatCode")
				case e.Name.Local == "cellXfs":
					inCells = true
				case e.Name.Local == "xf" && inCells:
					id := attr(e, "numFmtId")
					w.styles = append(w.styles, numberStyle(id, codes[id]))
				}
			case xml.EndElement:
				if e.Name.Local == "cellXfs" {
					inCells = false
				}
			}
			return nil
		})
	}
}

// numberStyle reads a format; the numbers of built-in ones are those of
// ECMA-376, part 1, 18.8.30.
func numberStyle(id, code string) cellStyle {
	n, _ := strconv.Atoi(id)
	code = strings.ToLower(withoutQuoted(code))
	switch {
	case n == 9 || n == 10 || strings.Contains(code, "%"):
		return percentNumber
	case n >= 14 && n <= 22 || n >= 45 && n <= 47:
		return dateNumber
	case code != "general" && strings.ContainsAny(code, "ydhs"), strings.Contains(code, "mmm"):
		return dateNumber
	}
	return plainNumber
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

// sheetReader is the state between the elements of a sheet.
type sheetReader struct {
	book    *workbook
	rows    [][]string
	row     []string
	value   strings.Builder
	inValue bool
	kind    string
	ref     string
	style   int
}

func (w *workbook) readSheet(part string) error {
	s := &sheetReader{book: w}
	err := w.zip.each(part, s.token)
	s.flush()
	return err
}

func (s *sheetReader) flush() {
	s.book.builder.table(s.rows)
	s.rows = nil
}

func (s *sheetReader) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "row":
			s.row = nil
		case "c":
			s.kind, s.ref = attr(e, "t"), attr(e, "r")
			s.style, _ = strconv.Atoi(attr(e, "s"))
			s.value.Reset()
		case "v", "t":
			s.inValue = true
		}
	case xml.EndElement:
		switch e.Name.Local {
		case "v", "t":
			s.inValue = false
		case "c":
			return s.cell()
		case "row":
			s.endRow()
		}
	case xml.CharData:
		if s.inValue {
			s.value.Write(e)
		}
	}
	return s.book.builder.err
}

func (s *sheetReader) cell() error {
	if s.value.Len() == 0 {
		return nil
	}
	if s.book.left--; s.book.left < 0 {
		return errTooLarge
	}
	column := columnOfRef(s.ref)
	if column < len(s.row) || column >= maxColumn {
		column = len(s.row)
	}
	for len(s.row) < column {
		s.row = append(s.row, "")
	}
	s.row = append(s.row, s.book.show(s.kind, s.value.String(), s.style))
	return nil
}

func (s *sheetReader) endRow() {
	if tableRow(s.row) != "" {
		s.rows = append(s.rows, s.row)
	}
	s.row = nil
	size := 0
	if len(s.rows) > 0 {
		for _, c := range s.rows[len(s.rows)-1] {
			size += len(c)
		}
	}
	if len(s.rows) >= sheetRows || size > maxBlock {
		s.flush()
	}
}

// columnOfRef returns the column of "AB12", counted from 0; -1 for none.
func columnOfRef(ref string) int {
	column := 0
	for i := 0; i < len(ref) && i < 3 && ref[i] >= 'A' && ref[i] <= 'Z'; i++ {
		column = column*26 + int(ref[i]-'A') + 1
	}
	return column - 1
}

// show returns what a cell shows.
func (w *workbook) show(kind, value string, style int) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(w.strings) {
			return w.strings[i]
		}
		return ""
	case "b":
		if value == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "", "n":
		f, err := strconv.ParseFloat(value, 64)
		if err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return w.showNumber(f, style)
		}
	}
	return value
}

func (w *workbook) showNumber(f float64, style int) string {
	const lastDay = 2958466 // the year 10000
	shown := plainNumber
	if style >= 0 && style < len(w.styles) {
		shown = w.styles[style]
	}
	switch {
	case shown == dateNumber && f >= 0 && f < lastDay:
		at := w.epoch.AddDate(0, 0, int(f)).Add(time.Duration(math.Round((f-math.Floor(f))*86400)) * time.Second)
		switch {
		case f < 1:
			return at.Format("15:04:05")
		case f == math.Floor(f):
			return at.Format("2006-01-02")
		}
		return at.Format("2006-01-02 15:04:05")
	case shown == percentNumber:
		return plain(f*100) + "%"
	}
	return plain(f)
}

// plain writes a number with the 15 digits that spreadsheets keep.
func plain(f float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64)
	if err != nil {
		rounded = f
	}
	if a := math.Abs(rounded); a != 0 && (a < 1e-9 || a >= 1e21) {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
