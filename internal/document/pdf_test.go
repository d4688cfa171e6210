package document_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/document"
)

func readPDF(t *testing.T, p *testPDF) ibid.Extract {
	t.Helper()
	needPDFium(t)
	return mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: p.bytes(), Name: "test.pdf"})
}

func checkDump(t *testing.T, x ibid.Extract, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), document.Dump(x)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// prose is lines of a column of text, each about as wide as the others.
func prose(from, to int) []string {
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, fmt.Sprintf("line %02d of the running text of this column", i))
	}
	return lines
}

func TestPDFParagraphs(t *testing.T) {
	var p testPDF
	p.title = "A short report"
	p.page()
	y := p.lines(72, 700, "The first paragraph has a word that is divi-", "ded at the end of a line, and a well-", "known one, which is well-known elsewhere.")
	y = p.lines(72, y-12, "The second paragraph stands apart.")
	y = p.lines(72, y-12, "\x95 one item of a list that goes on", "  behind its first line", "\x95 another item")
	p.text(72, y-12, mono, 9, "func main() {")
	p.text(90, y-24, mono, 9, "run(os.Args)")
	p.text(72, y-36, mono, 9, "}")
	checkDump(t, readPDF(t, &p), `
format: pdf
title: A short report
[page 1 paragraph] The first paragraph has a word that is divided at the end of a line, and a well-known one, which is well-known elsewhere.
[page 1 paragraph] The second paragraph stands apart.
[page 1 list]
  • one item of a list that goes on behind its first line
  • another item
[page 1 code]
  func main() {
     run(os.Args)
  }
`)
}

func TestPDFHeadingsByFont(t *testing.T) {
	var p testPDF
	for i := range 3 {
		p.page()
		p.text(72, 720, bold, 18, fmt.Sprintf("Chapter %c", 'A'+i))
		y := p.lines(72, 690, "Some words stand below the heading of the chapter.", "They fill two lines.")
		p.text(72, y-10, bold, 10, "A section in bold")
		p.lines(72, y-26, "And some words below the section.", "They also fill two lines.")
	}
	x := readPDF(t, &p)
	checkDump(t, x, `
format: pdf
title: Chapter A
[page 1 heading 1] Chapter A
[page 1 paragraph] (Chapter A) Some words stand below the heading of the chapter. They fill two lines.
[page 1 heading 2] (Chapter A) A section in bold
[page 1 paragraph] (Chapter A > A section in bold) And some words below the section. They also fill two lines.
[page 2 heading 1] Chapter B
[page 2 paragraph] (Chapter B) Some words stand below the heading of the chapter. They fill two lines.
[page 2 heading 2] (Chapter B) A section in bold
[page 2 paragraph] (Chapter B > A section in bold) And some words below the section. They also fill two lines.
[page 3 heading 1] Chapter C
[page 3 paragraph] (Chapter C) Some words stand below the heading of the chapter. They fill two lines.
[page 3 heading 2] (Chapter C) A section in bold
[page 3 paragraph] (Chapter C > A section in bold) And some words below the section. They also fill two lines.
`)
}

func TestPDFHeadingsByOutline(t *testing.T) {
	var p testPDF
	p.page()
	y := p.lines(72, 700, "1 Introduction", "These words are set like the heading above them.")
	y = p.lines(72, y-12, "2 Methods of which the name", "is two lines long", "How it was done.")
	p.lines(72, y-12, "It was done well.")
	p.bookmark("Introduction", 1, 712)
	p.bookmark("Methods of which the name is two lines long", 1, 670)
	p.bookmark("Remarks", 1, 640)
	checkDump(t, readPDF(t, &p), `
format: pdf
title: 1 Introduction
[page 1 heading 1] 1 Introduction
[page 1 paragraph] (1 Introduction) These words are set like the heading above them.
[page 1 heading 1] 2 Methods of which the name is two lines long
[page 1 paragraph] (2 Methods of which the name is two lines long) How it was done.
[page 1 paragraph] (Remarks) It was done well.
`)
}

// Two columns, drawn one after the other, and drawn line by line across.
func TestPDFColumns(t *testing.T) {
	left, right := prose(0, 20), prose(20, 40)
	for _, across := range []bool{false, true} {
		t.Run(fmt.Sprintf("across=%v", across), func(t *testing.T) {
			var p testPDF
			p.page()
			p.text(72, 720, roman, 10, "This line stands above both of the columns and is as wide as the two of them together.")
			if across {
				for i := range left {
					p.text(72, 690-12*float64(i), roman, 10, left[i])
					p.text(320, 690-12*float64(i), roman, 10, right[i])
				}
			} else {
				p.lines(72, 690, left...)
				p.lines(320, 690, right...)
			}
			checkDump(t, readPDF(t, &p), `
format: pdf
[page 1 paragraph] This line stands above both of the columns and is as wide as the two of them together.
[page 1 paragraph] `+strings.Join(prose(0, 40), " ")+`
`)
		})
	}
}

func TestPDFThreeColumns(t *testing.T) {
	var p testPDF
	p.page()
	var want []string
	for c := range 3 {
		for i := range 20 {
			want = append(want, fmt.Sprintf("column %d has its line %02d", c, i))
		}
	}
	for i := range 20 {
		for c := range 3 {
			p.text(60+170*float64(c), 690-12*float64(i), roman, 10, want[20*c+i])
		}
	}
	checkDump(t, readPDF(t, &p), `
format: pdf
[page 1 paragraph] `+strings.Join(want, " ")+`
`)
}

func TestPDFTables(t *testing.T) {
	cells := [][]string{{"Name", "Year", "Amount"}, {"Alpha", "2019", "1,204"}, {"Beta", "2020", "987"}, {"Gamma", "2021", "12"}}
	for _, byColumn := range []bool{false, true} {
		t.Run(fmt.Sprintf("byColumn=%v", byColumn), func(t *testing.T) {
			var p testPDF
			p.page()
			p.lines(72, 700, "The table shows what was paid in which year and to whom.")
			draw := func(row, column int) {
				p.text(72+120*float64(column), 670-14*float64(row), roman, 10, cells[row][column])
			}
			for i := range len(cells) * 3 {
				if byColumn {
					draw(i%len(cells), i/len(cells))
				} else {
					draw(i/3, i%3)
				}
			}
			p.lines(72, 600, "After the table the text goes on as before.")
			checkDump(t, readPDF(t, &p), `
format: pdf
[page 1 paragraph] The table shows what was paid in which year and to whom.
[page 1 table]
  Name | Year | Amount
  Alpha | 2019 | 1,204
  Beta | 2020 | 987
  Gamma | 2021 | 12
[page 1 paragraph] After the table the text goes on as before.
`)
		})
	}
}

func TestPDFRunningLinesAreDropped(t *testing.T) {
	var p testPDF
	for n := 1; n <= 4; n++ {
		p.page()
		p.text(72, 760, roman, 9, "Annual report of the society")
		p.lines(72, 700, fmt.Sprintf("What stands on page %d is not repeated.", n))
		p.text(300, 30, roman, 9, fmt.Sprintf("Page %d of 4", n))
	}
	checkDump(t, readPDF(t, &p), `
format: pdf
[page 1 paragraph] Annual report of the society
[page 1 paragraph] What stands on page 1 is not repeated.
[page 2 paragraph] What stands on page 2 is not repeated.
[page 3 paragraph] What stands on page 3 is not repeated.
[page 4 paragraph] What stands on page 4 is not repeated.
`)
}

// Lines that hold the page's number and words of their own are none that run, also
// where the same words come back some pages later; those of a book's left and right
// pages are.
func TestPDFLinesThatDifferAreKept(t *testing.T) {
	colours := []string{"red", "blue", "green", "blue", "red", "green", "blue", "green", "red", "blue"}
	for _, format := range []string{"Page %d of the atlas is %s", "%[2]s is page %[1]d", "%[2]s 10%[1]d"} {
		for _, y := range []float64{760, 30} {
			var p testPDF
			for i, colour := range colours {
				p.page()
				p.text(72, y, roman, 9, fmt.Sprintf(format, i+1, colour))
				p.lines(72, 600, fmt.Sprintf("What stands on sheet %d is not repeated.", i+1))
			}
			x := readPDF(t, &p)
			for i, colour := range colours {
				if line := fmt.Sprintf(format, i+1, colour); !strings.Contains(x.Text, line) {
					t.Errorf("%q is lost of %q", line, x.Text)
				}
			}
		}
	}
	var book testPDF
	for n := 1; n <= 12; n++ {
		book.page()
		head := fmt.Sprintf("%d The history of the society", n)
		if n%2 == 1 {
			head = fmt.Sprintf("Chapter %s %d", []string{"one", "two"}[n/7], n)
		}
		book.text(72, 760, roman, 9, head)
		book.lines(72, 600, fmt.Sprintf("What stands on sheet %d is not repeated.", n))
	}
	x := readPDF(t, &book)
	for head, want := range map[string]int{"The history of the society": 1, "Chapter one": 1, "Chapter two": 1} {
		if n := strings.Count(x.Text, head); n != want {
			t.Errorf("%q stands %d times in %q", head, n, x.Text)
		}
	}
}

// The head of a manual's page names its topic beside the page number, and is no
// heading; a title that ends in a number is one.
func TestPDFRunningTopicsAreNoHeadings(t *testing.T) {
	needPDFium(t)
	var p testPDF
	for n, topic := range []string{"lm", "lm.fit", "lm.influence", "lm.summaries", "load"} {
		p.page()
		head := fmt.Sprintf("%s %d", topic, 1623+n)
		if n%2 == 1 {
			head = fmt.Sprintf("%d %s", 1623+n, topic)
		}
		p.text(72, 750, bold, 10, head)
		p.text(72, 700, bold, 12, fmt.Sprintf("Usage of part %d", 7*n))
		p.lines(72, 670, "Fits a model to what is given, and returns what the model", "says about it.")
	}
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: p.bytes(), Name: "a.pdf"})
	for _, b := range x.Blocks {
		if s := x.Text[b.Start:b.End]; b.Kind == ibid.BlockHeading && !strings.HasPrefix(s, "Usage of part") {
			t.Errorf("page %d has the heading %q", b.Page, s)
		}
	}
	if strings.Count(x.Text, "Usage of part") != 5 {
		t.Errorf("text %q", x.Text)
	}
}

func TestPDFScannedPagesAreNamed(t *testing.T) {
	var p testPDF
	p.page()
	p.lines(72, 700, "A page with text.")
	for range 3 {
		p.page()
		p.picture()
	}
	p.page()
	p.lines(72, 700, "Another page with text.")
	x := readPDF(t, &p)
	if want := "pages 2–4 are scanned images; install tesseract to read them"; x.Notice != want {
		t.Errorf("notice %q, want %q", x.Notice, want)
	}
	if x.Pages != 5 || ibid.PageOf(x.PageAt, strings.Index(x.Text, "Another")) != 5 {
		t.Errorf("%d pages that start at %v", x.Pages, x.PageAt)
	}
}

func TestPDFPagesAreDrawn(t *testing.T) {
	needPDFium(t)
	pool := newPool(t, document.Limits{})
	var p testPDF
	p.page()
	p.text(72, 400, bold, 72, "Words")
	req := document.Request{Data: p.bytes(), Name: "test.pdf"}
	data, err := pool.RenderPage(context.Background(), req, 1, 300)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 300 || b.Dy() != 388 {
		t.Errorf("picture of %v", b)
	}
	dark := 0
	for y := range 388 {
		for x := range 300 {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	if dark < 300 || dark > 300*388/4 {
		t.Errorf("%d dark pixels", dark)
	}
	if _, err := pool.RenderPage(context.Background(), req, 2, 300); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("page 2 of 1: %v", err)
	}
	if _, err := pool.RenderPage(context.Background(), document.Request{Data: []byte("x"), Name: "a.txt"}, 1, 300); err == nil {
		t.Error("a page of a text was drawn")
	}
	if _, err := pool.RenderPage(context.Background(), req, 1, 1<<20); err == nil {
		t.Error("a picture of a terapixel was drawn")
	}
}

// A table as wide as the page, between two bands of two columns.
func TestPDFTableAcrossColumns(t *testing.T) {
	var p testPDF
	p.page()
	text := prose(0, 40)
	for i := range 10 {
		p.text(72, 720-12*float64(i), roman, 10, text[i])
		p.text(320, 720-12*float64(i), roman, 10, text[10+i])
	}
	for row, cells := range [][]string{{"Name", "Year", "Place", "Amount"}, {"Alpha", "2019", "Rome", "1,204"}, {"Beta", "2020", "Bern", "987"}, {"Gamma", "2021", "Oslo", "12"}} {
		for column, cell := range cells {
			p.text(72+130*float64(column), 580-14*float64(row), roman, 10, cell)
		}
	}
	for i := range 10 {
		p.text(72, 510-12*float64(i), roman, 10, text[20+i])
		p.text(320, 510-12*float64(i), roman, 10, text[30+i])
	}
	checkDump(t, readPDF(t, &p), `
format: pdf
[page 1 paragraph] `+strings.Join(text[:20], " ")+`
[page 1 table]
  Name | Year | Place | Amount
  Alpha | 2019 | Rome | 1,204
  Beta | 2020 | Bern | 987
  Gamma | 2021 | Oslo | 12
[page 1 paragraph] `+strings.Join(text[20:], " ")+`
`)
}
