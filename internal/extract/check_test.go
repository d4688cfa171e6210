package extract_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid"
)

// checkExtract checks what every extract promises, whatever it was made of.
func checkExtract(t testing.TB, x ibid.Extract) {
	t.Helper()
	if !utf8.ValidString(x.Text) || strings.ContainsRune(x.Text, 0) {
		t.Error("the text is not valid UTF-8 without NUL")
	}
	if x.Format == "" {
		t.Error("no format")
	}
	if x.Pages != len(x.PageAt) || !slices.IsSorted(x.PageAt) {
		t.Errorf("%d pages that start at %v", x.Pages, x.PageAt)
	}
	at := 0
	for i, b := range x.Blocks {
		if b.Start < at || b.End < b.Start || b.End > len(x.Text) {
			t.Fatalf("block %d covers %d to %d, after %d", i, b.Start, b.End, at)
		}
		if s := x.Text[b.Start:b.End]; b.Kind != ibid.BlockImage && strings.TrimSpace(s) == "" || !utf8.ValidString(s) {
			t.Errorf("block %d is blank or cuts a character: %q", i, s)
		}
		if gap := x.Text[at:b.Start]; strings.TrimSpace(gap) != "" {
			t.Errorf("text in no block: %q", gap)
		}
		if x.Pages > 0 && b.End > b.Start {
			if first, last := ibid.PageOf(x.PageAt, b.Start), ibid.PageOf(x.PageAt, b.End-1); first != b.Page || last != b.Page {
				t.Errorf("block %d of page %d lies on pages %d to %d", i, b.Page, first, last)
			}
		}
		at = b.End
	}
	if rest := x.Text[at:]; strings.TrimSpace(rest) != "" {
		t.Errorf("text in no block: %q", rest)
	}
}
