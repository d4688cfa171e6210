package ooxml_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/internal/document/ooxml"
)

// parts are parts in memory.
type parts map[string]string

func (p parts) Has(part string) bool { return p[part] != "" }

func (p parts) Each(part string, visit func(xml.Token) error) error {
	if !p.Has(part) {
		return fs.ErrNotExist
	}
	d := xml.NewDecoder(strings.NewReader(p[part]))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(token)
		}
		if err != nil {
			return err
		}
	}
}

// workbook returns the parts of a workbook whose first sheet has the rows.
func workbook(properties, rows string) parts {
	const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	return parts{
		"_rels/.rels": `<Relationships><Relationship Id="a" Type="` + kind + `officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns:r="r">` + properties + `<sheets>
			<sheet name="Data" r:id="s1"/><sheet name="Chart" r:id="s2"/><sheet name="Lost" r:id="s3"/><sheet name="Elsewhere" r:id="s4"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships>
			<Relationship Id="s1" Type="` + kind + `worksheet" Target="worksheets/sheet1.xml"/>
			<Relationship Id="s2" Type="` + kind + `chartsheet" Target="chartsheets/sheet1.xml"/>
			<Relationship Id="s3" Type="` + kind + `worksheet" Target="worksheets/sheet3.xml"/>
			<Relationship Id="s4" Type="` + kind + `worksheet" Target="http://127.0.0.1:9/worksheets/x" TargetMode="External"/>
			<Relationship Id="t" Type="` + kind + `sharedStrings" Target="../xl/sharedStrings.xml"/>
			<Relationship Id="u" Type="` + kind + `styles" Target="styles.xml"/></Relationships>`,
		"xl/sharedStrings.xml": `<sst><si><t>shared</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/><numFmt numFmtId="171" formatCode="#,##0&quot; days&quot;"/></numFmts>
			<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="10"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml":  `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/chartsheets/sheet1.xml": `<chartsheet/>`,
	}
}

// rowsOf returns the rows of the first sheet.
func rowsOf(t *testing.T, p parts) [][]ooxml.Cell {
	t.Helper()
	w, err := ooxml.OpenWorkbook(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Sheets) != 1 || w.Sheets[0].Name != "Data" {
		t.Fatalf("sheets %+v", w.Sheets)
	}
	var rows [][]ooxml.Cell
	if err := w.Rows(w.Sheets[0], func(row []ooxml.Cell) error { rows = append(rows, row); return nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRows(t *testing.T) {
	got := rowsOf(t, workbook("", `
		<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c><c r="B1"><v>7</v></c></row>
		<row/>
		<row><c/><c t="inlineStr"><is><t>second</t></is></c><c><f>1/8</f><v>0.125</v></c><c t="e"><v>#DIV/0!</v></c><c t="b"><v>1</v></c></row>
		<row><c s="1"><v>45292</v></c><c s="2"><v>45292.75</v></c><c s="1"><v>0.5</v></c><c s="3"><v>3</v></c><c s="4"><v>0.125</v></c><c s="1"><v>-1</v></c></row>
		<row><c r="XFD5" t="d"><v>2024-01-01</v></c><c r="XFE5" t="n"><v>1e999</v></c></row>`))
	want := [][]ooxml.Cell{
		{{Column: 0, Text: "shared"}, {Column: 2, Text: "rich text"}, {Column: 3, Kind: ooxml.Number, Number: 7}},
		{{Column: 1, Text: "second"}, {Column: 2, Kind: ooxml.Number, Number: 0.125}, {Column: 3, Kind: ooxml.Error, Text: "#DIV/0!"}, {Column: 4, Kind: ooxml.Boolean, Text: "TRUE"}},
		{{Column: 0, Kind: ooxml.Date, Text: "2024-01-01"}, {Column: 1, Kind: ooxml.Date, Text: "2024-01-01 18:00:00"}, {Column: 2, Kind: ooxml.Date, Text: "12:00:00"},
			{Column: 3, Kind: ooxml.Number, Number: 3}, {Column: 4, Kind: ooxml.Percent, Number: 0.125}, {Column: 5, Kind: ooxml.Number, Number: -1}},
		{{Column: 16383, Text: "2024-01-01"}, {Column: 16384, Text: "1e999"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}

// A program that writes formulas need not calculate; durations go beyond a day.
func TestFormulasAndDurations(t *testing.T) {
	p := workbook("", `<row><c><f>SUM(A1:A9)</f><v></v></c><c s="1"><v>1.5</v></c><c t="inlineStr"><is><t>said</t><rPh><t>sed</t></rPh></is></c></row>`)
	p["xl/styles.xml"] = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[h]:mm:ss"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`
	want := [][]ooxml.Cell{{{Column: 0, Kind: ooxml.Formula, Text: "=SUM(A1:A9)"}, {Column: 1, Kind: ooxml.Date, Text: "36:00:00"}, {Column: 2, Text: "said"}}}
	if diff := cmp.Diff(want, rowsOf(t, p)); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}

// Macs once counted days from 1904.
func TestRowsOf1904(t *testing.T) {
	got := rowsOf(t, workbook(`<workbookPr date1904="1"/>`, `<row><c s="1"><v>1</v></c></row>`))
	if want := [][]ooxml.Cell{{{Kind: ooxml.Date, Text: "1904-01-02"}}}; !cmp.Equal(want, got) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestErrorsOfParts(t *testing.T) {
	if _, err := ooxml.OpenWorkbook(parts{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file without parts: %v", err)
	}
	w, err := ooxml.OpenWorkbook(workbook("", `<row><c><v>1</v></c></row><row><c><v>2</v></c></row>`))
	if err != nil {
		t.Fatal(err)
	}
	enough, calls := fmt.Errorf("enough"), 0
	if err := w.Rows(w.Sheets[0], func([]ooxml.Cell) error { calls++; return enough }); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("after %d rows: %v", calls, err)
	}
}
