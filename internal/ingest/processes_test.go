package ingest

import (
	"testing"

	"ibid"
	"ibid/internal/access"
)

// Two pipelines over one library, as two processes have them: what one works on, the
// other's start and end leave alone, and a cancel at the other ends it.
func TestTwoPipelines(t *testing.T) {
	dir, files, others := t.TempDir(), newParagraphs(), newParagraphs()
	a := openShop(t, dir, files)
	first := a.add("a.txt", "wait for the walrus.") // for ever, but for the cancel
	<-files.waiting
	b := openShop(t, dir, others)
	b.stop()
	b = openShop(t, dir, others)
	_, at, wake, _ := b.Activity(-1)
	second := a.add("b.txt", "wait for the otter.")
	select { // whoever takes it, the other is told
	case <-files.waiting:
	case <-others.waiting:
	}
	<-wake
	if _, last, _, _ := b.Activity(at); last <= at {
		t.Error("nobody was told that a document changed")
	}
	for _, d := range []ibid.Document{first, second} {
		now, err := b.db.Document(t.Context(), access.For(ibid.Owner), d.ID)
		if err != nil || now.Status != ibid.DocumentProcessing {
			t.Fatalf("%s is %s, %v", d.ID, now.Status, err)
		}
	}
	if _, err := b.Cancel(t.Context(), access.For(ibid.Owner), first.ID); err != nil {
		t.Fatal(err)
	}
	a.eventually("the work at the other process has ended", func() bool {
		_, working := a.jobs.on(first.ID)
		return !working
	})
	if now := a.settled(first.ID); now.Status != ibid.DocumentFailed || now.Error == "" {
		t.Errorf("cancelled: %+v", now)
	}
	close(files.block)
	close(others.block)
	if now := a.settled(second.ID); now.Status != ibid.DocumentReady {
		t.Errorf("%s: %s", now.Status, now.Error)
	}
	files.mu.Lock()
	defer files.mu.Unlock()
	others.mu.Lock()
	defer others.mu.Unlock()
	if n := files.read["b.txt"] + others.read["b.txt"]; n != 1 || files.read["a.txt"]+others.read["a.txt"] > 1 {
		t.Errorf("read %v here and %v there", files.read, others.read)
	}
}
