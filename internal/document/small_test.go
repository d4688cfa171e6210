package document_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// shownBytes is how much of each small file's dump the golden file has.
const shownBytes = 1500

// passwords of the small files that need one.
var passwords = map[string]string{"pdf/libreoffice-writer-password.pdf": "openpassword"}

// TestSmallDocuments reads the real files of the repository, in any clone: each is read
// as promised, and as it was read before.
func TestSmallDocuments(t *testing.T) {
	needPDFium(t)
	dir, pool := ibidtest.Documents(t), newPool(t, document.Limits{})
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		if err != nil || d.IsDir() || !strings.Contains(rel, "/") {
			return err
		}
		fmt.Fprintf(&b, "== %s\n", rel)
		x, err := pool.Extract(t.Context(), document.Request{Path: path, Password: passwords[rel]}, nil)
		if err != nil {
			fmt.Fprintf(&b, "refused: %v\n\n", err)
			return nil
		}
		document.CheckExtract(t, x)
		dump := document.Dump(x)
		fmt.Fprintf(&b, "%d pages, %d blocks, %d bytes\n%s\n", x.Pages, len(x.Blocks), len(x.Text), strings.ToValidUTF8(dump[:min(len(dump), shownBytes)], ""))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/small.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("files are read otherwise than before; if they should: go test ./internal/document -run Small -update\n%s", diff)
	}
}

// TestSmallPDFsAgreeWithPdftotext compares the words of the small PDFs that have text
// with those that poppler reads.
func TestSmallPDFsAgreeWithPdftotext(t *testing.T) {
	needPDFium(t)
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed")
	}
	pool := newPool(t, document.Limits{})
	for _, name := range []string{"002-trivial-libre-office-writer.pdf", "multicolumn.pdf", "pdflatex-4-pages.pdf", "with-attachment.pdf", "crazyones-pdfa.pdf"} {
		path := filepath.Join(ibidtest.Documents(t), "pdf", name)
		x := mustExtract(t, pool, document.Request{Path: path})
		pages := pdftotext(t, path)
		asked, found := onTheirPages(t, x, pages)
		if f1 := wordF1(words(x.Text), words(strings.Join(pages, "\n"))); f1 < 0.98 || found < asked {
			t.Errorf("%s: word F1 %.4f, %d of %d paragraphs on their page", name, f1, found, asked)
		}
	}
}

// TestSmallPDFs: what PDFs need, and what is said of them, where the test data with
// larger ones may be absent.
func TestSmallPDFs(t *testing.T) {
	needPDFium(t)
	pool := newPool(t, document.Limits{})
	for _, test := range []struct{ name, password, err, notice, text string }{
		{name: "libreoffice-writer-password.pdf", err: "this PDF needs a password"},
		{name: "libreoffice-writer-password.pdf", password: "wrong", err: "the password does not open this PDF"},
		{name: "libreoffice-writer-password.pdf", password: "openpassword", text: "Lorem ipsum"},
		{name: "imagemagick-images.pdf", notice: "pages 1–6 are scanned images", text: "Background"},
		{name: "habibi.pdf", text: "habibi"},
		{name: "multicolumn.pdf", text: "Two-Column Document with Lorem Ipsum"},
	} {
		t.Run(test.name+" "+test.password, func(t *testing.T) {
			path := filepath.Join(ibidtest.Documents(t), "pdf", test.name)
			x, err := pool.Extract(t.Context(), document.Request{Path: path, Password: test.password}, nil)
			switch {
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v, want %q", err, test.err)
			case test.err == "" && err != nil:
				t.Error(err)
			case !strings.Contains(x.Text, test.text):
				t.Errorf("the text lacks %q", test.text)
			case !strings.HasPrefix(x.Notice, test.notice):
				t.Errorf("notice %q, want %q", x.Notice, test.notice)
			}
		})
	}
}

// TestSmallPDFsCutOff: what is left of a file that was cut off is read, or refused in
// one clear line.
func TestSmallPDFsCutOff(t *testing.T) {
	needPDFium(t)
	pool := newPool(t, document.Limits{})
	read := 0
	for _, name := range []string{"multicolumn.pdf", "pdflatex-4-pages.pdf", "with-attachment.pdf"} {
		data, err := os.ReadFile(filepath.Join(ibidtest.Documents(t), "pdf", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, percent := range []int{50, 80, 95} {
			x, err := pool.Extract(t.Context(), document.Request{Data: data[:len(data)/100*percent], Name: "a.pdf"}, nil)
			said := x.Notice
			if err != nil {
				said = err.Error()
			} else {
				document.CheckExtract(t, x)
				read++
			}
			if said != "" && !cutOff.MatchString(said) {
				t.Errorf("%s cut at %d %%: %q", name, percent, said)
			}
		}
	}
	if read == 0 {
		t.Error("nothing that was cut off could be read")
	}
}
