package document_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// A PDF without the end that says where its objects are is read by looking for
// them. Of one that was cut off before, the pages that are there are read.
func TestTruncatedPDF(t *testing.T) {
	needPDFium(t)
	var p testPDF
	for n := range 20 {
		p.page()
		p.lines(72, 700, fmt.Sprintf("These words are on page %d of the file.", n+1))
	}
	whole := p.bytes()
	pool := newPool(t, document.Limits{})
	x := mustExtract(t, pool, document.Request{Data: whole[:bytes.Index(whole, []byte("startxref"))], Name: "a.pdf"})
	if x.Pages != 20 || !strings.Contains(x.Text, "on page 20 of the file") {
		t.Errorf("%d pages: %q", x.Pages, x.Text)
	}
	x = mustExtract(t, pool, document.Request{Data: whole[:len(whole)/2], Name: "a.pdf"})
	want := fmt.Sprintf("the file is cut off: pages 1–%d read, page %d failed", x.Pages, x.Pages+1)
	if x.Pages < 5 || x.Pages > 12 || !strings.Contains(x.Text, "on page 5 of the file") || x.Notice != want {
		t.Errorf("%d pages, notice %q: %q", x.Pages, x.Notice, x.Text)
	}
	_, err := pool.Extract(t.Context(), document.Request{Data: whole[:40], Name: "a.pdf"}, nil)
	if want := "this PDF is damaged and cannot be opened"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// cutOff is what is said of files that were cut off.
var cutOff = regexp.MustCompile(`^the file is cut off: pages? 1(–\d+)? read, |^this PDF is damaged and cannot be opened$|^nothing could be read: the file is cut off$`)

// Real files that were cut off give the pages that are there, or one clear line.
func TestTruncatedPDFs(t *testing.T) {
	ibidtest.WithoutRace(t, "reads large files; TestSmallPDFsCutOff reads small ones under it")
	t.Parallel()
	needPDFium(t)
	files, err := filepath.Glob(filepath.Join(ibidtest.Data(t, "documents/pdf"), "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	pool := newPool(t, document.Limits{})
	cuts, read := 0, 0
	for _, path := range files {
		if strings.Contains(path, "huge") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, percent := range []int{50, 80, 95} {
			cuts++
			x, err := pool.Extract(t.Context(), document.Request{Data: data[:len(data)/100*percent], Name: "a.pdf"}, nil)
			said := x.Notice
			if err != nil {
				said = err.Error()
			} else {
				document.CheckExtract(t, x)
				read++
			}
			t.Logf("%-36s %d %%: %d bytes of text; %s", filepath.Base(path), percent, len(x.Text), said)
			if said != "" && !cutOff.MatchString(said) {
				t.Errorf("%s cut at %d %%: %q", filepath.Base(path), percent, said)
			}
		}
	}
	if read*2 < cuts {
		t.Errorf("of %d files that were cut off %d could be read", cuts, read)
	}
}
