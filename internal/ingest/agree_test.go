package ingest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/ibidtest"
)

// agrees holds that index and database are the same.
func (s *shop) agrees(documents int) {
	s.t.Helper()
	a, err := s.Compare(s.t.Context())
	if err != nil || len(a.Differ) > 0 || a.Documents != documents || a.Chunks != s.chunks() {
		s.t.Fatalf("agreement %+v with %d chunks in the index, %v", a, s.chunks(), err)
	}
}

func TestCompareAndRebuild(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	var docs []ibid.Document
	for _, animal := range []string{"walrus", "giraffe", "octopus"} {
		docs = append(docs, s.settled(s.add(animal+".txt", long(animal)+long("pond")).ID))
	}
	s.agrees(3)

	// Whatever the index has lost, kept or mixed up is found, and mended.
	chunks, err := ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), docs[1].ID, ibidtest.Everything))
	if err != nil || len(chunks) < 2 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	chunks[0].ID = "c_other" // as many as before, but not the same
	s.misinform(engine.Remove{Number: 1, DocumentID: docs[0].ID}, engine.Put{Number: 2, Document: docs[1], Passages: chunks},
		engine.Put{Document: ibid.Document{ID: "ghost"}, Passages: []ibid.Chunk{{ID: "c_ghost", DocumentID: "ghost", Text: "The ghost."}}})
	a, err := s.Compare(t.Context())
	if err != nil || len(a.Differ) != 3 || a.Documents != 3 {
		t.Fatalf("found %+v, %v", a, err)
	}
	before, err := s.Rebuild(t.Context())
	if err != nil || len(before.Differ) != 3 {
		t.Fatalf("rebuilt after %+v, %v", before, err)
	}
	s.agrees(3)
	for query, found := range map[string]bool{"walrus": true, "giraffe": true, "octopus": true, "ghost": false} {
		if (s.finds(query) != "") != found {
			t.Errorf("%s: found %v", query, !found)
		}
	}
}

func TestRebuildMakesVectorsAnew(t *testing.T) {
	e := &hashEmbedder{}
	s := openShop(t, t.TempDir(), newParagraphs(), func(c *Config) { c.Embedder = e })
	s.settled(s.add("a.txt", long("walrus")+long("giraffe")).ID)
	texts := e.texts
	if _, err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.eventually("vectors come back", func() bool { return s.lacking(e.Name()) == 0 })
	if e.texts != texts {
		t.Errorf("%d stored vectors were made again", e.texts-texts)
	}
}

// A snapshot that has lost a document is noticed when the shop opens.
func TestOpenMendsASnapshotThatLies(t *testing.T) {
	dir := t.TempDir()
	files := newParagraphs()
	s := openShop(t, dir, files)
	d := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	s.settled(s.add("b.txt", "The giraffe eats.").ID)
	s.misinform(engine.Remove{Number: 1, DocumentID: d.ID})
	s.stop() // writes the snapshot without it

	s = openShop(t, dir, files)
	s.agrees(2)
	if s.finds("walrus") == "" {
		t.Fatal("the document is not found")
	}
}

// eventually waits for the background.
func (s *shop) eventually(what string, done func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(hang)
	for !done() {
		if time.Now().After(deadline) {
			s.t.Fatalf("never: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// A version that is slow to read never takes the place of the newer one, and
// the newer one does not wait for it.
func TestASlowVersionIsGivenUp(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, func(c *Config) { c.Workers = 3 })
	d := s.add("a.txt", "wait for the walrus.") // until its job is cancelled
	<-files.waiting
	s.add("a.txt", "The giraffe eats.")
	if now := s.settled(d.ID); now.Status != ibid.DocumentReady || now.Bytes != int64(len("The giraffe eats.")) {
		t.Fatalf("document %+v", now)
	}
	if s.finds("giraffe") == "" || s.finds("walrus") != "" {
		t.Fatal("the newer version is not what is searched")
	}
	s.agrees(1)
}

// A client that has not got its answer sends the same file again.
func TestTheSameBytesTwiceAreReadOnce(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files)
	first := s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	if again := s.add("a.txt", "wait for the walrus."); again.ID != first.ID || again.Status != ibid.DocumentProcessing {
		t.Fatalf("again: %+v", again)
	}
	close(files.block)
	if d := s.settled(first.ID); d.Status != ibid.DocumentReady {
		t.Fatalf("document %+v", d)
	}
	s.settled(s.add("b.txt", "The giraffe eats.").ID)
	files.mu.Lock()
	defer files.mu.Unlock()
	if files.read["a.txt"] != 1 {
		t.Errorf("read %d times", files.read["a.txt"])
	}
}

// TestStaleWorkChangesNothing goes to the database directly: whatever order
// things happen in, work on a version that is not wanted any more is refused.
func TestStaleWorkChangesNothing(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	d := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	old := d
	old.Version = strings.Repeat("0", 32)
	chunk := ibid.Chunk{ID: "c_old", DocumentID: d.ID, Version: old.Version, Text: "The giraffe eats."}
	lease := ibid.DocumentLease{DocumentID: d.ID, Version: old.Version, Fence: 1} // it was the first one
	if _, _, err := s.db.FinishDocument(t.Context(), lease, old, ibid.Extract{Text: chunk.Text}, []ibid.Chunk{chunk}, nil, time.Now()); !errors.Is(err, ibid.ErrLeaseLost) {
		t.Errorf("an old version is published: %v", err)
	}
	old.Status = ibid.DocumentFailed
	if err := s.db.SettleDocument(t.Context(), lease, old); !errors.Is(err, ibid.ErrLeaseLost) {
		t.Errorf("an old version's failure is written down: %v", err)
	}
	if now := s.settled(d.ID); fmt.Sprint(now) != fmt.Sprint(d) {
		t.Errorf("the document changed: %+v", now)
	}
	s.agrees(1)
}
