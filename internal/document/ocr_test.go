package document_test

import (
	"os/exec"
	"strings"
	"testing"

	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// needTesseract skips where there is no tesseract.
func needTesseract(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("tesseract is not installed")
	}
}

// TestScannedTextIsRecognised draws a page of text, and reads the drawing both
// as a picture and as the page of a PDF that has nothing else.
func TestScannedTextIsRecognised(t *testing.T) {
	needPDFium(t)
	needTesseract(t)
	pool := startPool(t, document.Config{})
	var p testPDF
	p.page()
	p.lines(72, 700, "The quick brown fox jumps over the lazy dog.", "It does so every day.")
	png, err := pool.RenderPage(t.Context(), document.Request{Data: p.bytes(), Name: "a.pdf"}, 1, 1700)
	if err != nil {
		t.Fatal(err)
	}
	x := mustExtract(t, pool, document.Request{Data: png, Name: "a.png"})
	if x.Format != "image" || x.Pages != 1 || !strings.Contains(x.Text, "quick brown fox jumps over the lazy dog") {
		t.Errorf("%s of %d pages: %q", x.Format, x.Pages, x.Text)
	}
}

func TestScannedPagesAreRecognised(t *testing.T) {
	needPDFium(t)
	needTesseract(t)
	if testing.Short() {
		t.Skip("recognising a page takes seconds")
	}
	path := ibidtest.Data(t, "documents/scan/s02-linn.pdf")
	var stages []string
	x, err := startPool(t, document.Config{}).Extract(t.Context(), document.Request{Path: path}, func(p document.Progress) {
		stages = append(stages, p.Stage)
	})
	if err != nil {
		t.Fatal(err)
	}
	document.CheckExtract(t, x)
	if x.Pages != 1 || x.Notice != "" || len(x.Text) < 3000 {
		t.Errorf("%d pages, %d bytes, notice %q", x.Pages, len(x.Text), x.Notice)
	}
	if got := strings.Join(stages, " "); got != "extract ocr extract" {
		t.Errorf("stages %q", got)
	}
}

// TestRecognisedWordsAreRight draws pages of text PDFs as a scanner would see
// them, and compares what is recognised with what the PDF says stands there.
func TestRecognisedWordsAreRight(t *testing.T) {
	needPDFium(t)
	needTesseract(t)
	if testing.Short() {
		t.Skip("recognising a page takes seconds")
	}
	const a4At200 = 1654 // pixels: as wide as a page scanned at 200 dots per inch
	pool := startPool(t, document.Config{})
	for _, test := range []struct {
		file  string
		page  int
		floor float64 // of the word F1
	}{
		{"p10-manual-r-intro.pdf", 20, 0.95},
		{"p01-twocol-tracemonkey.pdf", 2, 0.95},
		{"p18-googledoc.pdf", 1, 0.90}, // has a small table with footnote marks: .93
	} {
		req := document.Request{Path: ibidtest.Data(t, "documents/pdf/"+test.file)}
		x := mustExtract(t, pool, req)
		end := len(x.Text)
		if test.page < len(x.PageAt) {
			end = x.PageAt[test.page]
		}
		png, err := pool.RenderPage(t.Context(), req, test.page, a4At200)
		if err != nil {
			t.Fatal(err)
		}
		scan := mustExtract(t, pool, document.Request{Data: png, Name: "scan.png"})
		f1 := wordF1(words(scan.Text), words(x.Text[x.PageAt[test.page-1]:end]))
		t.Logf("%s, page %d: word F1 %.3f", test.file, test.page, f1)
		if f1 < test.floor {
			t.Errorf("%s, page %d: word F1 %.3f, want %.2f\n%s", test.file, test.page, f1, test.floor, scan.Text)
		}
	}
}
