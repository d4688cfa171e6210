package image

import (
	"ibid/internal/document/format"
	"ibid/internal/document/pdf"
	"ibid/internal/document/pdfium"
)

// scannedPage is what was recognised of a page, in points.
type scannedPage struct {
	width, height float64
	lines         []pdfium.Line
	last          string // name of the last line
}

type scannedWord struct {
	text           string
	x0, y0, x1, y1 float64
}

// add adds a word to the line of a name; words come line by line.
func (p *scannedPage) add(line string, w scannedWord) {
	if line != p.last || len(p.lines) == 0 {
		p.lines = append(p.lines, pdfium.Line{})
		p.last = line
	}
	l := &p.lines[len(p.lines)-1]
	l.Words = append(l.Words, pdfium.Word{Text: w.text, X0: w.x0, Y0: w.y0, X1: w.x1, Y1: w.y1, Base: w.y1, Font: pdfium.Font{Size: scannedSize}})
}

// scannedSize stands for the size of all letters, in points: the height of what
// was recognised is too rough to tell a heading by.
const scannedSize = 10

// layout orders the page as one with text is ordered.
func (p *scannedPage) layout(number int) format.Page {
	return pdf.Layout(number, pdfium.Page{Width: p.width, Height: p.height, Lines: p.lines})
}
