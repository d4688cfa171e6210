package extract_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ibid"
	"ibid/internal/extract"
	"ibid/internal/extract/pdfium"
	"ibid/internal/ibidtest"
)

// newPool returns a pool of this test's own; compiled PDFium is shared by all.
func newPool(t testing.TB, limits extract.Limits) *extract.Pool {
	t.Helper()
	p, err := extract.New(extract.Config{CacheDir: sharedCache, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func needPDFium(t testing.TB) {
	t.Helper()
	if !pdfium.Available() {
		t.Skip(pdfium.ErrNotBuilt)
	}
}

func mustExtract(t testing.TB, p *extract.Pool, req extract.Request) ibid.Extract {
	t.Helper()
	x, err := p.Extract(context.Background(), req, nil)
	if err != nil {
		t.Fatalf("%s%s: %v", req.Path, req.Name, err)
	}
	checkExtract(t, x)
	return x
}

// words counts the words of s: runs of letters and digits, without case.
func words(s string) map[string]int {
	count := make(map[string]int)
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		count[w]++
	}
	return count
}

// wordF1 compares two texts as bags of words.
func wordF1(a, b map[string]int) float64 {
	both, inA, inB := 0, 0, 0
	for w, n := range a {
		both += min(n, b[w])
		inA += n
	}
	for _, n := range b {
		inB += n
	}
	if inA+inB == 0 {
		return 1
	}
	return 2 * float64(both) / float64(inA+inB)
}

// ordinaryPDFs are those that people have: text, no garbled fonts, no scans.
var ordinaryPDFs = []string{
	"p01-twocol-tracemonkey.pdf", "p04-threecol-federal-register.pdf", "p05-10k-amazon2019.pdf", "p10-manual-r-intro.pdf",
	"p11-manual-gnuplot.pdf", "p14-redbook-ibm.pdf", "p15-handbook-faa.pdf", "p18-googledoc.pdf", "p19-word365-tagged.pdf",
	"p21-table-warn-report.pdf", "p22-table-nics.pdf", "p25-scotus-transcript.pdf", "p90-huge-r-refman.pdf",
}

func TestPDFWordsAreThoseOfPdftotext(t *testing.T) {
	needPDFium(t)
	dir := ibidtest.Data(t, "documents/pdf")
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed")
	}
	pool := newPool(t, extract.Limits{})
	sum, pages := 0.0, 0
	for _, name := range ordinaryPDFs {
		path := filepath.Join(dir, name)
		x := mustExtract(t, pool, extract.Request{Path: path})
		out, err := exec.Command("pdftotext", path, "-").Output()
		if err != nil {
			t.Fatalf("pdftotext %s: %v", name, err)
		}
		f1 := wordF1(words(x.Text), words(string(out)))
		t.Logf("%-36s %5d pages, word F1 %.4f", name, x.Pages, f1)
		sum += f1
		pages += x.Pages
	}
	mean := sum / float64(len(ordinaryPDFs))
	t.Logf("%d pages, mean word F1 %.4f", pages, mean)
	if mean < 0.99 {
		t.Errorf("mean word F1 %.4f, want at least 0.99", mean)
	}
}
