package ibidtest

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// testRemovedThread: a removed thread is gone from everywhere at once, takes no
// question, and comes back whole, until it is swept.
func testRemovedThread(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	s.accept(t, "t1", "r1", "")
	s.finish(t, s.claim(t, "p"), 2)
	s.accept(t, "t2", "r2", "")
	s.finish(t, s.claim(t, "p"), 2)
	before, err := s.all(ctx, "t1")
	if err != nil || len(before) != 2 {
		t.Fatalf("messages %+v, %v", before, err)
	}
	at := s.now
	if err := s.RemoveThread(ctx, access.For(ibid.Owner), "t1", at); err != nil {
		t.Fatal(err)
	}
	gone := func(what string, err error) {
		t.Helper()
		if ibid.CodeOf(err) != ibid.CodeNotFound || err == nil {
			t.Errorf("%s of a removed thread: %v", what, err)
		}
	}
	_, err = s.Thread(ctx, access.For(ibid.Owner), "t1")
	gone("the thread", err)
	_, err = s.Message(ctx, access.For(ibid.Owner), "r1")
	gone("a message", err)
	_, err = s.Run(ctx, access.For(ibid.Owner), "r1")
	gone("the run", err)
	gone("a new title", s.SetThread(ctx, access.For(ibid.Owner), "t1", "renamed", ""))
	gone("deleting a message", s.DeleteMessage(ctx, access.For(ibid.Owner), "r1"))
	gone("removing it again", s.RemoveThread(ctx, access.For(ibid.Owner), "t1", s.now))
	gone("showing a branch", s.ShowBranch(ctx, access.For(ibid.Owner), "t1", "u-r1"))
	_, _, _, err = s.BranchAround(ctx, access.For(ibid.Owner), "t1", "r1", "u-r1", 5)
	gone("a part", err)
	if branch, _, err := s.Branch(ctx, access.For(ibid.Owner), "t1", "r1", ibid.Page{}); err != nil || len(branch) != 0 {
		t.Errorf("branch %+v, %v", branch, err)
	}
	if found, _, err := s.Threads(ctx, access.For(ibid.Owner), ibid.ThreadQuery{Text: "title"}, ibid.Page{}); err != nil || len(found) != 1 || found[0].ID != "t2" {
		t.Errorf("found %+v, %v", found, err)
	}
	if all, _, err := s.Threads(ctx, access.For(ibid.Owner), ibid.ThreadQuery{}, ibid.Page{}); err != nil || len(all) != 1 || all[0].ID != "t2" {
		t.Errorf("listed %+v, %v", all, err)
	}
	if all, err := s.all(ctx, "t1"); err != nil || len(all) != 0 {
		t.Errorf("messages %+v, %v", all, err)
	}
	if latest, err := s.LatestRun(ctx, access.For(ibid.Owner), "t1"); err != nil || latest != nil {
		t.Errorf("the latest run %+v, %v", latest, err)
	}
	if err := s.tryAccept(ctx, "t1", "r3", ""); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Errorf("a question to a removed thread: %v", err)
	}

	// Who removed it longer ago than is kept cannot take it back.
	gone("taking it back too late", s.RestoreThread(ctx, access.For(ibid.Owner), "t1", at.Add(time.Millisecond)))
	if err := s.RestoreThread(ctx, access.For(ibid.Owner), "t1", at); err != nil {
		t.Fatal(err)
	}
	if err := s.RestoreThread(ctx, access.For(ibid.Owner), "t1", at.Add(time.Hour)); err != nil {
		t.Errorf("restoring what is there: %v", err)
	}
	thread, err := s.Thread(ctx, access.For(ibid.Owner), "t1")
	if err != nil || thread.HeadID != "r1" || thread.Title != "title" {
		t.Errorf("restored %+v, %v", thread, err)
	}
	after, err := s.all(ctx, "t1")
	if err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("restored messages %+v, %v", after, err)
	}
	s.accept(t, "t1", "r3", "r1")
	s.finish(t, s.claim(t, "p"), 2)

	// A sweep takes what was removed before its time, and nothing else.
	for _, id := range []string{"t1", "t2"} {
		if err := s.RemoveThread(ctx, access.For(ibid.Owner), id, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RestoreThread(ctx, access.For(ibid.Owner), "t2", at); err != nil {
		t.Fatal(err)
	}
	if n, err := s.SweepThreads(ctx, at); n != 0 || err != nil {
		t.Errorf("swept %d too early, %v", n, err)
	}
	if n, err := s.SweepThreads(ctx, at.Add(time.Millisecond)); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	gone("taking it back once it is swept", s.RestoreThread(ctx, access.For(ibid.Owner), "t1", at))
	if events, err := s.Events(ctx, access.For(ibid.Owner), "r1", 0, 10); err != nil || len(events) != 0 {
		t.Errorf("a swept thread's log %+v, %v", events, err)
	}
	s.accept(t, "t1", "r1", "") // its ids are free again
}

// testRemovedPages: the latest removal comes first, and pages neither repeat nor
// miss one, also where several were removed in the same millisecond.
func testRemovedPages(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	want := []string{}
	start := s.now
	for i := range 7 {
		thread, run := fmt.Sprintf("t%d", i), fmt.Sprintf("r%d", i)
		s.accept(t, thread, run, "")
		s.finish(t, s.claim(t, "p"), 2)
		if err := s.RemoveThread(ctx, access.For(ibid.Owner), thread, start.Add(time.Duration(i/3)*time.Second)); err != nil {
			t.Fatal(err)
		}
		want = append([]string{thread}, want...)
	}
	var got []string
	page := ibid.Page{Limit: 2}
	for n := 0; n < len(want) && (n == 0 || page.Cursor != ""); n++ {
		removed, next, err := s.Removed(ctx, access.For(ibid.Owner), start, page)
		if err != nil || len(removed) == 0 || len(removed) > 2 {
			t.Fatalf("page %+v, %v", removed, err)
		}
		for _, r := range removed {
			got = append(got, r.ID)
			if r.Kind != ibid.RemovedThread || r.Name != "title" || r.RemovedAt.Before(start) {
				t.Errorf("listed %+v", r)
			}
		}
		page.Cursor = next
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if late, _, err := s.Removed(ctx, access.For(ibid.Owner), start.Add(2*time.Second), ibid.Page{}); err != nil || len(late) != 1 || late[0].ID != "t6" {
		t.Errorf("since the last removal: %+v, %v", late, err)
	}
	if _, _, err := s.Removed(ctx, access.For(ibid.Owner), start, ibid.Page{Cursor: "x"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a bad cursor: %v", err)
	}
}
