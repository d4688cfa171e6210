package document_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// testPDF builds small PDF files: pages of positioned text and pictures, and an
// outline. Coordinates are in points from the bottom left, as the format's are.
type testPDF struct {
	pages   []string // content streams
	image   string   // its samples, "" for none
	title   string
	alt     string // of the figure of page 1, which makes the file a tagged one
	outline []testBookmark
}

type testBookmark struct {
	title string
	page  int // from 1
	y     int
}

const pageWidth, pageHeight = 612, 792

// page begins a new page.
func (p *testPDF) page() { p.pages = append(p.pages, "") }

// The fonts of a testPDF.
const (
	roman = "F1"
	bold  = "F2"
	mono  = "F3"
)

// text draws one line.
func (p *testPDF) text(x, y float64, font string, size float64, s string) {
	escaped := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(s)
	p.pages[len(p.pages)-1] += fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, escaped)
}

// lines draws lines of body text, 12 points apart, from y down, and returns
// where the next would stand.
func (p *testPDF) lines(x, y float64, lines ...string) float64 {
	for _, l := range lines {
		p.text(x, y, roman, 10, l)
		y -= 12
	}
	return y
}

// picture covers the page with a picture.
func (p *testPDF) picture() {
	p.image = "\x00\xFF\xFF\x00"
	p.pages[len(p.pages)-1] += fmt.Sprintf("q %d 0 0 %d 0 0 cm /Im1 Do Q\n", pageWidth, pageHeight)
}

// figure draws a picture with its lower left corner at x, y.
func (p *testPDF) figure(x, y, width, height float64) {
	p.image = "\x00\xFF\xFF\x00"
	p.pages[len(p.pages)-1] += fmt.Sprintf("/Figure <</MCID 0>> BDC q %g 0 0 %g %g %g cm /Im1 Do Q EMC\n", width, height, x, y)
}

func (p *testPDF) bookmark(title string, page, y int) {
	p.outline = append(p.outline, testBookmark{title, page, y})
}

// bytes writes the file.
func (p *testPDF) bytes() []byte {
	const catalog, tree, fonts, image, info, outlines = 1, 2, 3, 6, 7, 8
	first := outlines + 1 + len(p.outline)
	objects := map[int]string{}
	var kids []string
	for i, content := range p.pages {
		page, stream := first+2*i, first+2*i+1
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
		objects[page] = fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> /XObject << /Im1 %d 0 R >> >> >>",
			tree, pageWidth, pageHeight, stream, image)
		objects[stream] = pdfStream("", content)
	}
	objects[catalog] = fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R >>", tree, outlines)
	objects[tree] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	for i, name := range []string{"Helvetica", "Helvetica-Bold", "Courier"} {
		objects[fonts+i] = fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>", name)
	}
	objects[image] = pdfStream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", p.image)
	objects[info] = fmt.Sprintf("<< /Title (%s) >>", p.title)
	objects[outlines] = fmt.Sprintf("<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>", outlines+1, outlines+len(p.outline), len(p.outline))
	for i, b := range p.outline {
		next := ""
		if i+1 < len(p.outline) {
			next = fmt.Sprintf("/Next %d 0 R", outlines+2+i)
		}
		objects[outlines+1+i] = fmt.Sprintf("<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /XYZ 0 %d 0] %s >>", b.title, outlines, first+2*(b.page-1), b.y, next)
	}
	if p.alt != "" {
		root := first + 2*len(p.pages)
		objects[root] = fmt.Sprintf("<< /Type /StructTreeRoot /K %d 0 R /ParentTree %d 0 R >>", root+1, root+2)
		objects[root+1] = fmt.Sprintf("<< /Type /StructElem /S /Figure /P %d 0 R /Pg %d 0 R /K 0 /Alt (%s) >>", root, first, p.alt)
		objects[root+2] = fmt.Sprintf("<< /Nums [0 [%d 0 R]] >>", root+1)
		objects[catalog] = strings.Replace(objects[catalog], "/Outlines", fmt.Sprintf("/MarkInfo << /Marked true >> /StructTreeRoot %d 0 R /Outlines", root), 1)
		objects[first] = strings.Replace(objects[first], "/MediaBox", "/StructParents 0 /MediaBox", 1)
	}
	return pdfFile(objects, fmt.Sprintf("/Root %d 0 R /Info %d 0 R", catalog, info))
}

func pdfStream(dict, data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(data))
	_ = z.Close()
	return fmt.Sprintf("<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", dict, b.Len(), b.String())
}

func pdfFile(objects map[int]string, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	n := 1
	for objects[n] != "" {
		n++
	}
	at := make([]int, n)
	for i := 1; i < n; i++ {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i, objects[i])
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", n)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "%010d 00000 n \n", at[i])
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n", n, trailer, xref)
	return b.Bytes()
}
