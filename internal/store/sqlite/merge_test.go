package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Each document that is added leaves a part of its own in the index of names, and
// merging leaves one, with the same names in it.
func TestMergeNames(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 60 {
		now := ibid.At(time.UnixMilli(int64(i)))
		d := ibid.Document{Principal: ibid.Owner, ID: fmt.Sprint("d", i), Name: fmt.Sprintf("note-%02d.md", i), Source: fmt.Sprint("/x/", i), AddedAt: now, ChangeAt: now}
		if _, _, err := db.PutDocument(t.Context(), d, fmt.Sprintf("%032d", i)); err != nil {
			t.Fatal(err)
		}
	}
	parts := func() (n int) {
		t.Helper()
		if err := db.readOnly.QueryRowContext(t.Context(), `SELECT count(DISTINCT segid) FROM document_parts_idx`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := parts(); n < 2 {
		t.Fatalf("there are %d parts to merge", n)
	}
	for range 2 { // the second time there is nothing to do
		if err := db.MergeNames(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := parts(); n != 1 {
			t.Errorf("merged, there are %d parts", n)
		}
	}
	docs, _, err := db.Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{Called: "ote-4"}, ibid.Page{})
	if err != nil || len(docs) != 10 {
		t.Errorf("found %d documents, %v", len(docs), err)
	}
}
