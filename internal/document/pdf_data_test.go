package document_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ibid"
	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// ordinaryPDFs are such as people have: with text, in fonts that say what their
// letters are.
var ordinaryPDFs = []string{
	"p01-twocol-tracemonkey.pdf", "p04-threecol-federal-register.pdf", "p05-10k-amazon2019.pdf", "p10-manual-r-intro.pdf",
	"p11-manual-gnuplot.pdf", "p14-redbook-ibm.pdf", "p15-handbook-faa.pdf", "p18-googledoc.pdf", "p19-word365-tagged.pdf",
	"p21-table-warn-report.pdf", "p22-table-nics.pdf", "p25-scotus-transcript.pdf", "p90-huge-r-refman.pdf",
}

// pdftotext returns the pages of a PDF as poppler reads them.
func pdftotext(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.Command("pdftotext", path, "-").Output()
	if err != nil {
		t.Fatalf("pdftotext %s: %v", filepath.Base(path), err)
	}
	return strings.Split(string(out), "\f")
}

// TestPDFsAgreeWithPdftotext reads ordinary PDFs and compares their words with
// those of poppler, and the page of every third paragraph with where poppler
// finds it.
func TestPDFsAgreeWithPdftotext(t *testing.T) {
	ibidtest.WithoutRace(t, "reads large files; TestSmallPDFsAgreeWithPdftotext reads small ones under it")
	t.Parallel()
	needPDFium(t)
	dir := ibidtest.Data(t, "documents/pdf")
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed")
	}
	pool := newPool(t, document.Limits{})
	sum, read, asked, found := 0.0, 0, 0, 0
	for _, name := range ordinaryPDFs {
		if testing.Short() && strings.Contains(name, "huge") {
			continue
		}
		path := filepath.Join(dir, name)
		x, err := readOnce(t, pool, path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		document.CheckExtract(t, x)
		pages := pdftotext(t, path)
		f1 := wordF1(words(x.Text), words(strings.Join(pages, "\n")))
		a, n := onTheirPages(t, x, pages)
		t.Logf("%-36s %5d pages, word F1 %.4f, %d of %d paragraphs on their page", name, x.Pages, f1, n, a)
		sum, read, asked, found = sum+f1, read+1, asked+a, found+n
	}
	mean := sum / float64(read)
	t.Logf("mean word F1 %.4f, %d of %d paragraphs on their page", mean, found, asked)
	if mean < 0.99 {
		t.Errorf("mean word F1 %.4f, want at least 0.99", mean)
	}
	if found*1000 < asked*995 {
		t.Errorf("%d of %d paragraphs are on their page", found, asked)
	}
}

// onTheirPages looks up the beginnings of paragraphs. Those that poppler reads
// otherwise, wherever, are not counted.
func onTheirPages(t *testing.T, x ibid.Extract, pages []string) (asked, found int) {
	const beginning, every = 30, 3
	letters := make([]string, len(pages))
	for i, p := range pages {
		letters[i] = onlyLetters(p)
	}
	all := strings.Join(letters, "")
	for i, b := range x.Blocks {
		s := onlyLetters(x.Text[b.Start:b.End])
		if i%every != 0 || len(s) < 2*beginning || !strings.Contains(all, s[:beginning]) {
			continue
		}
		asked++
		if page := ibid.PageOf(x.PageAt, b.Start); strings.Contains(letters[page-1], s[:beginning]) {
			found++
		} else {
			t.Logf("page %d lacks %q", page, s[:beginning])
		}
	}
	return asked, found
}

func onlyLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(s))
}

// words counts the words of s: runs of letters and digits, without case.
func words(s string) map[string]int {
	count := make(map[string]int)
	isBetween := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(s)), isBetween) {
		count[w]++
	}
	return count
}

// wordF1 compares two texts as bags of words.
func wordF1(a, b map[string]int) float64 {
	both, total := 0, 0
	for w, n := range a {
		both += min(n, b[w])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 1
	}
	return 2 * float64(both) / float64(total)
}

func TestPDFsOfAllKinds(t *testing.T) {
	needPDFium(t)
	pool := newPool(t, document.Limits{})
	const needsPassword = "this PDF needs a password"
	tests := []struct {
		path, password string
		err, notice    string
		heading, text  string // that must be there
	}{
		{path: "pdf/p01-twocol-tracemonkey.pdf", heading: "4.1 Nesting Algorithm", text: "more difficult to compile than statically typed ones"},
		{path: "pdf/p04-threecol-federal-register.pdf", heading: "Comments Invited", text: "resulting in 189 fatalities. Investigation of the accident has been completed"},
		{path: "pdf/p10-manual-r-intro.pdf", heading: "5.4.1 Mixed vector and array arithmetic. The recycling rule"},
		{path: "pdf/p21-table-warn-report.pdf", text: "Maxim Integrated Product | San Jose | 150 | Closure Permanent"},
		{path: "pdf/p29-encrypted-emptyuser-twocol.pdf", err: needsPassword},
		{path: "pdf/p29-encrypted-emptyuser-twocol.pdf", password: "1234", text: "annotation"},
		{path: "pdf/p30-tamreview.pdf", notice: "pages 2–22 are written in fonts that do not say what their letters are"},
		{path: "pdf/p23-rtl-arabic.pdf", text: "ال"},
		{path: "enc/aes256-user-secret.pdf", err: needsPassword},
		{path: "enc/aes256-user-secret.pdf", password: "wrong", err: "the password does not open this PDF"},
		{path: "enc/aes256-user-secret.pdf", password: "secret", text: "Microrobots"},
		{path: "enc/aes256-empty.pdf", text: "Microrobots"},
		{path: "enc/aes128-empty.pdf", text: "Microrobots"},
		{path: "enc/rc4-40-empty.pdf", text: "Microrobots"},
		{path: "enc/linearized-objstm.pdf", text: "Microrobots"},
		{path: "scan/s02-linn.pdf", err: "page 1 is a scanned image"},
		{path: "scan/s04-cardinal-rotated.pdf", err: "pages 1–4 are scanned images"},
		{path: "scan/s11-graph-ocred.pdf", text: "Percentage"},
	}
	for _, test := range tests {
		t.Run(test.path+" "+test.password, func(t *testing.T) {
			path := ibidtest.Data(t, "documents/"+test.path)
			x, err := pool.Extract(t.Context(), document.Request{Path: path, Password: test.password}, nil)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			document.CheckExtract(t, x)
			if !strings.HasPrefix(x.Notice, test.notice) || test.notice == "" && x.Notice != "" {
				t.Errorf("notice %q, want %q", x.Notice, test.notice)
			}
			if !strings.Contains(x.Text, test.text) {
				t.Errorf("the text lacks %q", test.text)
			}
			if test.heading != "" && !hasHeading(x, test.heading) {
				t.Errorf("no heading %q", test.heading)
			}
		})
	}
}

func hasHeading(x ibid.Extract, want string) bool {
	for _, b := range x.Blocks {
		if b.Kind == ibid.BlockHeading && x.Text[b.Start:b.End] == want {
			return true
		}
	}
	return false
}

// TestPDFTitles reads titles from the metadata or the first page, and none where
// what stands there is on the first page of every such document.
func TestPDFTitles(t *testing.T) {
	ibidtest.WithoutRace(t, "reads large files; TestPDFsOfAllKinds reads some of them under it")
	needPDFium(t)
	pool := newPool(t, document.Limits{})
	for name, want := range map[string]string{
		"p01-twocol-tracemonkey.pdf":        "Trace-based Just-in-Time Type Specialization for Dynamic Languages",
		"p04-threecol-federal-register.pdf": "", // "Proposed Rules"
		"p05-10k-amazon2019.pdf":            "", // "UNITED STATES SECURITIES AND EXCHANGE COMMISSION"
		"p10-manual-r-intro.pdf":            "An Introduction to R",
		"p11-manual-gnuplot.pdf":            "gnuplot documentation",
		"p14-redbook-ibm.pdf":               "Row and Column Access Control Support in IBM DB2 for i",
		"p22-table-nics.pdf":                "", // "NOTES:"
		"p30-tamreview.pdf":                 "Overview of the Technology Acceptance Model: Origins, Developments and Future Directions",
	} {
		x := mustExtract(t, pool, document.Request{Path: ibidtest.Data(t, "documents/pdf/"+name)})
		if x.Title != want {
			t.Errorf("%s: title %q, want %q", name, x.Title, want)
		}
	}
}
