package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ibid"
	"ibid/internal/access"
	dirblob "ibid/internal/blob/dir"
	"ibid/internal/disk"
)

// unplugged is a directory of originals whose disk comes and goes.
type unplugged struct{ root string }

// use lets a pipeline keep its originals there.
func (u *unplugged) use(t *testing.T) func(*Config) {
	return func(c *Config) {
		u.root = filepath.Join(c.Dir, "files")
		s, err := dirblob.Open(disk.OS{}, u.root)
		if err != nil {
			t.Fatal(err)
		}
		c.Blobs = s
	}
}

func (u *unplugged) away() error { return os.Rename(u.root, u.root+".away") }
func (u *unplugged) back() error { return os.Rename(u.root+".away", u.root) }

// waits waits until a document is in the stage in which it waits for its original.
func (s *shop) waits(id string) {
	s.t.Helper()
	s.eventually("the document waits", func() bool {
		d, err := s.db.Document(s.t.Context(), access.For(ibid.Owner), id)
		if err != nil || d.Status == ibid.DocumentFailed || d.Status == ibid.DocumentReady {
			s.t.Fatalf("it is %s: %s, %v", d.Status, d.Error, err)
		}
		return d.Status == ibid.DocumentProcessing && d.Stage == ibid.StageWait
	})
}

// cutOff reads as paragraphs does, but its first reading breaks off as the disk goes.
type cutOff struct {
	*paragraphs
	pull func() error
	done atomic.Bool
}

func (c *cutOff) Extract(ctx context.Context, o Original, progress func(page, pages int)) (ibid.Extract, error) {
	if c.done.CompareAndSwap(false, true) {
		return ibid.Extract{}, errors.Join(errors.New("read: input/output error"), c.pull())
	}
	return c.paragraphs.Extract(ctx, o, progress)
}

// A document whose original cannot be reached waits, is tried again, and is read when
// it can: before it is begun, and in the middle of it.
func TestADocumentWaitsForItsOriginal(t *testing.T) {
	var drive unplugged
	files := &cutOff{paragraphs: newParagraphs(), pull: func() error { return drive.away() }}
	s := openShop(t, t.TempDir(), files, drive.use(t))
	inMiddle := s.add("a.txt", "The walrus sleeps.") // its reading unplugs the drive
	s.waits(inMiddle.ID)
	if _, err := s.Add(t.Context(), access.For(ibid.Owner), File{Name: "b.txt", Source: "/x/b.txt"}, strings.NewReader("The otter swims.")); err == nil || ibid.CodeOf(err) != ibid.CodeAway {
		t.Errorf("added while the originals are away: %v", err)
	}
	if _, err := s.Original(t.Context(), access.For(ibid.Owner), inMiddle.ID, inMiddle.Version); err == nil {
		t.Error("an original is opened that is away")
	}
	if err := drive.back(); err != nil {
		t.Fatal(err)
	}
	if d := s.settled(inMiddle.ID); d.Status != ibid.DocumentReady || d.Stage != "" || s.finds("walrus") == "" {
		t.Errorf("back, it is %s in the stage %q: %s", d.Status, d.Stage, d.Error)
	}
	// One that waits to be begun, and another that is cancelled meanwhile.
	blocked := s.add("wait.txt", "wait for the walrus.")
	<-files.waiting
	other := s.add("wait too.txt", "wait for the walrus, too.")
	<-files.waiting // both workers are busy
	before, cancelled := s.add("c.txt", "The giraffe chews."), s.add("d.txt", "The lion roars.")
	if err := drive.away(); err != nil {
		t.Fatal(err)
	}
	close(files.block)
	s.settled(blocked.ID) // what was read before stays read
	s.settled(other.ID)
	s.waits(before.ID)
	s.waits(cancelled.ID)
	if d, err := s.Cancel(t.Context(), access.For(ibid.Owner), cancelled.ID); err != nil || d.Status != ibid.DocumentFailed {
		t.Errorf("cancelled: %+v, %v", d, err)
	}
	if err := drive.back(); err != nil {
		t.Fatal(err)
	}
	if d := s.settled(before.ID); d.Status != ibid.DocumentReady {
		t.Errorf("back, it is %s: %s", d.Status, d.Error)
	}
}

// A sweep that cannot reach the originals forgets none of those that it was to delete.
func TestASweepWaitsForOriginals(t *testing.T) {
	var drive unplugged
	var clock later
	s := openShop(t, t.TempDir(), newParagraphs(), drive.use(t), clock.use)
	d := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	if err := s.Remove(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
		t.Fatal(err)
	}
	clock.pass(week(2))
	if err := drive.away(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sweep(t.Context()); err == nil || ibid.CodeOf(err) != ibid.CodeAway {
		t.Errorf("swept what is away: %v", err)
	}
	if err := drive.back(); err != nil {
		t.Fatal(err)
	}
	if len(s.kept()) != 1 {
		t.Errorf("there are %v", s.kept())
	}
	if swept := s.sweep(); swept.Files != 1 || len(s.kept()) != 0 {
		t.Errorf("swept %+v, %v stay", swept, s.kept())
	}
}
