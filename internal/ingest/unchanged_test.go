package ingest

import (
	"testing"

	"ibid"
	"ibid/internal/access"
)

// A file is unchanged only once its document is ready: what waits, is read or has
// failed is sent again.
func TestOnlyReadyDocumentsAreUnchanged(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, func(c *Config) { c.Workers = 1 })
	const text = "wait for the giraffe."
	known := []Known{{File: File{Name: "a.txt", Source: "/x/a.txt"}, Hash: ibid.VersionOf([]byte(text)), Bytes: int64(len(text))}}
	unchanged := func() bool {
		t.Helper()
		got, err := s.Unchanged(t.Context(), access.For(ibid.Owner), known)
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		return got[0] != nil
	}
	id := s.add("a.txt", text).ID
	<-files.waiting
	if unchanged() {
		t.Error("what is being read is called unchanged")
	}
	close(files.block)
	s.settled(id)
	if !unchanged() {
		t.Error("what is ready is not called unchanged")
	}
	known[0].Bytes++
	if unchanged() {
		t.Error("a file of another size is called unchanged")
	}
}
