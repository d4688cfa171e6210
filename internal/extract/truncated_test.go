package extract_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ibid/internal/extract"
)

// A PDF without the end that says where its objects are is read by looking for
// them. One that was cut off before its trailer is refused in one line.
func TestTruncatedPDF(t *testing.T) {
	needPDFium(t)
	var p testPDF
	for n := range 20 {
		p.page()
		p.lines(72, 700, fmt.Sprintf("These words are on page %d of the file.", n+1))
	}
	whole := p.bytes()
	pool := newPool(t, extract.Limits{})
	x := mustExtract(t, pool, extract.Request{Data: whole[:bytes.Index(whole, []byte("startxref"))], Name: "a.pdf"})
	if x.Pages != 20 || !strings.Contains(x.Text, "on page 20 of the file") {
		t.Errorf("%d pages: %q", x.Pages, x.Text)
	}
	_, err := pool.Extract(t.Context(), extract.Request{Data: whole[:len(whole)/2], Name: "a.pdf"}, nil)
	if want := "this PDF is damaged and cannot be opened"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
