package document_test

import (
	"fmt"
	"testing"

	"ibid/internal/document"
)

// What people fill into a form and write in the margin is no part of a page's
// own drawing.
func TestPDFAnnotations(t *testing.T) {
	needPDFium(t)
	widget := func(rect, rest string) string {
		return fmt.Sprintf("<< /Type /Annot /Subtype /Widget /FT /Tx /F 4 /Rect [%s] %s >>", rect, rest)
	}
	appearance := pdfStream("/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 5 0 R >> >>", "BT /F1 10 Tf 2 5 Td (Ada Lovelace) Tj ET")
	data := pdfFile(map[int]string{
		1:  "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R] >> >>",
		2:  "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		3:  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R 7 0 R 8 0 R 9 0 R] >>",
		4:  pdfStream("", "BT /F1 10 Tf 72 700 Td (Name of the applicant) Tj ET BT /F1 10 Tf 72 650 Td (Date of birth) Tj ET"),
		5:  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		6:  widget("200 695 400 715", "/T (name) /V (Ada Lovelace) /AP << /N 10 0 R >>"),
		7:  widget("200 645 400 665", "/T (born) /V (10 December 1815)"),
		8:  "<< /Type /Annot /Subtype /Text /Rect [500 700 520 720] /Contents (Is this her full name?) >>",
		9:  "<< /Type /Annot /Subtype /Link /Rect [72 690 180 712] /A << /S /URI /URI (https://example.org) >> >>",
		10: appearance,
	}, "/Root 1 0 R")
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: data, Name: "form.pdf"})
	checkDump(t, x, `
format: pdf
[page 1 table] Name of the applicant | Ada Lovelace
[page 1 table] Date of birth | 10 December 1815
[page 1 paragraph] Comment: Is this her full name?
`)
}

// Wide tables stand sideways on a page, and some scanners turn all pages; the
// words are read as a person would hold the page.
func TestPDFTurnedPages(t *testing.T) {
	needPDFium(t)
	lines := []string{"The first line of a page that lies on its side", "and the second line, which goes on below it", "until the third one ends the paragraph."}
	var p testPDF
	for _, m := range []struct {
		matrix string
		x, y   float64 // of the first line
		dx, dy float64 // to the next
	}{
		{"0 1 -1 0", 100, 100, 12, 0},  // upwards
		{"0 -1 1 0", 300, 600, -12, 0}, // downwards
		{"-1 0 0 -1", 500, 300, 0, 12}, // upside down
		{"1 0 0 1", 100, 600, 0, -12},
	} {
		p.page()
		for i, line := range lines {
			p.pages[len(p.pages)-1] += fmt.Sprintf("BT /F1 10 Tf %s %g %g Tm (%s) Tj ET\n", m.matrix, m.x+float64(i)*m.dx, m.y+float64(i)*m.dy, line)
		}
	}
	want := "format: pdf\n"
	for n := range p.pages {
		want += fmt.Sprintf("[page %d paragraph] The first line of a page that lies on its side and the second line, which goes on below it until the third one ends the paragraph.\n", n+1)
	}
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: p.bytes(), Name: "turned.pdf"})
	checkDump(t, x, "\n"+want)
}
