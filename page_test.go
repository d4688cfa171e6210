package ibid_test

import (
	"math"
	"strings"
	"testing"

	"ibid"
)

func TestCursorKeepsItsKeys(t *testing.T) {
	for _, name := range []string{"", "a", "Überblick \u0000 \"x\"", "漢字", strings.Repeat("x", 5000)} {
		for _, n := range []int64{0, -1, math.MaxInt64, math.MinInt64} {
			p := ibid.Page{Cursor: ibid.EncodeCursor(name, n, "d_1")}
			var gotName, gotID string
			var gotN int64
			if ok, err := p.DecodeCursor(&gotName, &gotN, &gotID); !ok || err != nil || gotName != name || gotN != n || gotID != "d_1" {
				t.Errorf("keys (%q, %d, d_1) came back as (%q, %d, %s), %v, %v", name, n, gotName, gotN, gotID, ok, err)
			}
		}
	}
}

func TestBadCursorIsRefused(t *testing.T) {
	for _, cursor := range []string{
		"x", "äö", "!!!!", "bnVsbA", // null
		ibid.EncodeCursor(), ibid.EncodeCursor("a"), ibid.EncodeCursor("a", "b"), ibid.EncodeCursor(1, 2),
		ibid.EncodeCursor("a", 1, 2), ibid.EncodeCursor("a", nil), ibid.EncodeCursor("a", 1.5),
	} {
		var name string
		var n int64
		if ok, err := (ibid.Page{Cursor: cursor}).DecodeCursor(&name, &n); ok || ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("cursor %q: %v, %v, want a BAD_REQUEST", cursor, ok, err)
		}
	}
	var name string
	if ok, err := (ibid.Page{}).DecodeCursor(&name); ok || err != nil {
		t.Errorf("no cursor: %v, %v, want the beginning", ok, err)
	}
}

func TestPageSizeIsBounded(t *testing.T) {
	for limit, want := range map[int]int{0: 50, -3: 50, 1: 1, 500: 500, 501: 500, math.MaxInt: 500} {
		if got := (ibid.Page{Limit: limit}).Size(); got != want {
			t.Errorf("limit %d: %d items, want %d", limit, got, want)
		}
	}
}
