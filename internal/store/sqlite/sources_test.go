package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// TestDocumentsBySource looks documents up by where they were added from.
func TestDocumentsBySource(t *testing.T) {
	db := open(t)
	at := time.UnixMilli(1_700_000_000_000).UTC()
	sources := []string{"/a", "/a/1", "/a/2", "/a/b/3", "/a/ü\U0010FFFD", "/a0", "/ab", "https://a/", "/a/gone", ""}
	for i, source := range sources {
		d := ibid.Document{Principal: ibid.Owner, ID: fmt.Sprintf("d%d", i), Name: "n", Source: source, AddedAt: ibid.At(at), ChangeAt: ibid.At(at)}
		if _, _, err := db.PutDocument(t.Context(), d, "v"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := db.RemoveDocument(t.Context(), access.For(ibid.Owner), "d8", at); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]string{
		"/a/":   "/a/1 /a/2 /a/b/3 /a/ü\U0010FFFD",
		"/a/b/": "/a/b/3",
		"/x":    "",
		"/a/1":  "/a/1",
		"http":  "https://a/",
	} {
		var got []string
		for page := (ibid.Page{Limit: 2}); ; {
			documents, next, err := db.DocumentsFrom(t.Context(), access.For(ibid.Owner), prefix, page)
			if err != nil || len(documents) > 2 {
				t.Fatal(documents, err)
			}
			for _, d := range documents {
				got = append(got, d.Source)
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("below %s: %v, want %s", prefix, got, want)
		}
	}
	for _, cursor := range []string{"x", ibid.EncodeCursor("/b"), ibid.EncodeCursor("/a/1", 2)} {
		if _, _, err := db.DocumentsFrom(t.Context(), access.For(ibid.Owner), "/a/", ibid.Page{Cursor: cursor}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("cursor %s: %v", cursor, err)
		}
	}
	found, err := db.DocumentsBySource(t.Context(), access.For(ibid.Owner), []string{"/a/2", "/a/gone", "", "/never", "/ab"})
	if err != nil || len(found) != 2 || found[0].Source != "/a/2" || found[1].Source != "/ab" {
		t.Errorf("found %+v, %v", found, err)
	}
}
