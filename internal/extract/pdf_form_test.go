package extract_test

import (
	"fmt"
	"testing"

	"ibid/internal/extract"
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
	x := mustExtract(t, newPool(t, extract.Limits{}), extract.Request{Data: data, Name: "form.pdf"})
	checkDump(t, x, `
format: pdf
[page 1 table] Name of the applicant | Ada Lovelace
[page 1 table] Date of birth | 10 December 1815
[page 1 paragraph] Comment: Is this her full name?
`)
}
