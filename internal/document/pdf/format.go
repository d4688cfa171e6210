// Package pdf reads PDFs. A worker finds the lines of each page (layout.go,
// columns.go); what needs the whole document, such as what is a heading and what a
// running header, is found out by the parent on plain data (assemble.go).
package pdf

import (
	"bytes"
	"path"
	"strings"

	"ibid/internal/document/format"
	"ibid/internal/document/text"
)

// Format is the format of PDFs. Pages without words of their own are read as
// pictures by scans.
func Format(scans recogniser) format.Format {
	r := &pdfReader{scans: scans}
	return format.Format{
		Name: "pdf", Label: "PDF", Kind: format.KindPages, Extensions: []string{".pdf"}, MIME: []string{"application/pdf"},
		Begins: hasPDFHeader, Mistaken: damagedPDF,
		Pages: r.readPDF, Assemble: Assemble, Resumes: true, Draw: r.renderPDF, NoTitle: format.IsBoilerplate,
	}
}

// damagedPDF is the error of a file that is called a PDF and has nothing of one. Web
// servers give pages, such as that nothing was found, under any name.
func damagedPDF(start []byte, name string) error {
	if strings.ToLower(path.Ext(name)) == ".pdf" && !text.LooksLikeHTML(start) {
		return format.Refuse("this PDF is damaged and cannot be opened")
	}
	return nil
}

// hasPDFHeader accepts what readers do: the header within the first kilobyte.
func hasPDFHeader(b []byte) bool {
	i := bytes.Index(b[:min(len(b), 1024)], []byte("%PDF-"))
	return i == 0 || i > 0 && !text.LooksLikeHTML(b)
}
