package document_test

import (
	"os/exec"
	"path/filepath"
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
	ibidtest.WithoutRace(t, "recognises a large page; TestScannedTextIsRecognised recognises one under it")
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
	ibidtest.WithoutRace(t, "recognises many pages; TestScannedTextIsRecognised recognises one under it")
	t.Parallel()
	needPDFium(t)
	needTesseract(t)
	if testing.Short() {
		t.Skip("recognising a page takes seconds")
	}
	pool := startPool(t, document.Config{})
	for _, test := range []struct {
		file  string
		page  int
		floor float64 // of the word F1
	}{
		{"multicolumn.pdf", 1, 0.95},
		{"documents/pdf/p10-manual-r-intro.pdf", 20, 0.95},
		{"documents/pdf/p01-twocol-tracemonkey.pdf", 2, 0.95},
		{"documents/pdf/p18-googledoc.pdf", 1, 0.90}, // has a small table with footnote marks: .93
	} {
		t.Run(test.file, func(t *testing.T) {
			path := filepath.Join(ibidtest.Documents(t), "pdf", test.file)
			if strings.Contains(test.file, "/") {
				path = ibidtest.Data(t, test.file)
			}
			f1, recognised := recognisedWords(t, pool, path, test.page)
			t.Logf("word F1 %.3f", f1)
			if f1 < test.floor {
				t.Errorf("word F1 %.3f, want %.2f\n%s", f1, test.floor, recognised)
			}
		})
	}
}

// recognisedWords draws a page, numbered from 1, and returns what is recognised of the
// drawing, and how well its words agree with those of the PDF.
func recognisedWords(t *testing.T, pool *document.Pool, path string, page int) (f1 float64, recognised string) {
	t.Helper()
	const a4At200 = 1654 // pixels: as wide as a page scanned at 200 dots per inch
	req := document.Request{Path: path}
	x := mustExtract(t, pool, req)
	end := len(x.Text)
	if page < len(x.PageAt) {
		end = x.PageAt[page]
	}
	png, err := pool.RenderPage(t.Context(), req, page, a4At200)
	if err != nil {
		t.Fatal(err)
	}
	scan := mustExtract(t, pool, document.Request{Data: png, Name: "scan.png"})
	return wordF1(words(scan.Text), words(x.Text[x.PageAt[page-1]:end])), scan.Text
}
