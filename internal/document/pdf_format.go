package document

import (
	"bytes"
	"path"
	"strings"
)

// pdfFormat is the format of PDFs. Pages without words of their own are read as
// pictures by scans.
func pdfFormat(scans recogniser) Format {
	r := &pdfReader{scans: scans}
	return Format{
		Name: "pdf", Label: "PDF", Kind: KindPages, Extensions: []string{".pdf"}, MIME: []string{"application/pdf"},
		Begins: hasPDFHeader, Mistaken: damagedPDF,
		Pages: r.readPDF, Assemble: assemblePDF, Resumes: true, Draw: r.renderPDF, NoTitle: isBoilerplate,
	}
}

// damagedPDF is the error of a file that is called a PDF and has nothing of one. Web
// servers give pages, such as that nothing was found, under any name.
func damagedPDF(start []byte, name string) error {
	if strings.ToLower(path.Ext(name)) == ".pdf" && !looksLikeHTML(start) {
		return refuse("this PDF is damaged and cannot be opened")
	}
	return nil
}

// hasPDFHeader accepts what readers do: the header within the first kilobyte.
func hasPDFHeader(b []byte) bool {
	i := bytes.Index(b[:min(len(b), 1024)], []byte("%PDF-"))
	return i == 0 || i > 0 && !looksLikeHTML(b)
}
