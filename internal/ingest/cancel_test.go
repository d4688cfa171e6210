package ingest

import (
	"slices"
	"testing"

	"ibid"
	"ibid/internal/access"
)

func TestCancelStopsAtOnce(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files)
	first := s.add("a.txt", "wait for the walrus.") // for ever, but for the cancel
	<-files.waiting
	d, err := s.Cancel(t.Context(), access.For(ibid.Owner), first.ID)
	if err != nil || d.Status != ibid.DocumentFailed || d.Error == "" || s.finds("walrus") != "" {
		t.Fatalf("cancelled: %+v, %v", d, err)
	}
	if now := s.settled(first.ID); now.Status != ibid.DocumentFailed {
		t.Fatalf("afterwards: %+v", now)
	}
	if _, err := s.Cancel(t.Context(), access.For(ibid.Owner), first.ID); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Errorf("cancelled twice: %v", err)
	}
	if _, err := s.Cancel(t.Context(), access.For(ibid.Owner), "none"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a document that is not there: %v", err)
	}
	// It may be added again.
	close(files.block)
	if now := s.settled(s.add("a.txt", "wait for the walrus.").ID); now.ID != first.ID || now.Status != ibid.DocumentReady {
		t.Errorf("added again: %+v", now)
	}
	s.agrees(1)
}

func TestCancelLeavesTheOlderVersion(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files)
	good := s.settled(s.add("a.txt", "The giraffe eats.").ID)
	s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	d, err := s.Cancel(t.Context(), access.For(ibid.Owner), good.ID)
	if err != nil || d.Status != ibid.DocumentReady || d.Version != good.Version || d.Pages != good.Pages || d.Chunks != good.Chunks {
		t.Fatalf("cancelled: %+v, %v", d, err)
	}
	if s.finds("giraffe") == "" || s.finds("walrus") != "" {
		t.Error("the older version is not what is searched")
	}
	s.agrees(1)
}

func TestActivity(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	_, at, wake, complete := s.Activity(-1)
	if !complete {
		t.Fatal("a new reader is told that something is missing")
	}
	d := s.settled(s.add("a.txt", "The giraffe eats.").ID)
	<-wake
	ids, last, _, complete := s.Activity(at)
	if !complete || !slices.Equal(ids, []string{d.ID}) || last <= at {
		t.Errorf("told of %v up to %d, complete %v", ids, last, complete)
	}
	for range 3 * activityKept {
		s.activity.tell("x")
	}
	if _, _, _, complete := s.Activity(at); complete {
		t.Error("a reader that is far behind is not told so")
	}
	if ids, _, _, complete := s.Activity(s.activity.last - 10); !complete || !slices.Equal(ids, []string{"x"}) {
		t.Errorf("a reader that is a little behind is told of %v, complete %v", ids, complete)
	}
}
