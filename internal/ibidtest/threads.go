package ibidtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// ThreadStore is what every store of conversations can do, and what it takes to have
// some.
type ThreadStore interface {
	StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error
	ClaimQueued(ctx context.Context, runID, owner string, lease time.Duration) (*ibid.Run, error)
	FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error
	Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error)
	Threads(ctx context.Context, view access.View, q ibid.ThreadQuery, page ibid.Page) (threads []ibid.Thread, next string, err error)
	SetThread(ctx context.Context, view access.View, id, title, headID string) error
	RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error
	RestoreThread(ctx context.Context, view access.View, id string, since time.Time) error
	SweepThreads(ctx context.Context, before time.Time) (int, error)
	Message(ctx context.Context, view access.View, id string) (ibid.Message, error)
	DeleteMessage(ctx context.Context, view access.View, id string) error
	Messages(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, next string, err error)
}

// ThreadCases is what every ThreadStore must do for two openings of it. What one opening
// alone must do is among the cases of RunStoreSuite.
var ThreadCases = []Case[ThreadStore]{
	{"either opening sees what the other did to a thread", testThreadSeen},
	{"pages hold while the other opening adds and removes", testThreadPages},
	{"a thread is removed once", testThreadRemovedOnce},
	{"a thread that is being answered stays", testThreadInWork},
	{"sweeping and restoring at once leave no half thread", testThreadSweptAtOnce},
	{"renaming and moving the head at once both count", testThreadSetAtOnce},
	{"deleting messages at once leaves a head that is there", testMessagesDeletedAtOnce},
}

// threadTest is a store that is open twice.
type threadTest struct {
	a, b   ThreadStore
	t      testing.TB
	now    time.Time
	citing string // the document that answers cite, "" for none
}

func newThreadTest(t testing.TB, a, b ThreadStore) *threadTest {
	return &threadTest{a: a, b: b, t: t, now: time.UnixMilli(1_700_000_000_000).UTC()}
}

func openThreads(t testing.TB, open Opener[ThreadStore]) *threadTest {
	return newThreadTest(t, open(t), open(t))
}

// asked puts a question into a thread, behind a message.
func (s *threadTest) asked(threadID, runID, parent string) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	at := ibid.At(s.now)
	request := ibid.Request{Text: "why " + runID}
	user := ibid.Message{ID: "u-" + runID, ThreadID: threadID, ParentID: parent, Role: ibid.RoleUser, Text: request.Text,
		Status: ibid.StatusCompleted, Request: &request, CreatedAt: at}
	answer := ibid.Message{ID: runID, ThreadID: threadID, ParentID: user.ID, Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: at}
	err := s.a.StartRun(s.t.Context(), ibid.Thread{Principal: ibid.Owner, ID: threadID, Title: "title " + threadID, CreatedAt: at, UpdatedAt: at}, user, answer,
		ibid.Run{Principal: ibid.Owner, ID: runID, ThreadID: threadID, UserMessageID: user.ID, Request: request, Status: ibid.StatusQueued, AcceptedAt: s.now},
		[]ibid.Event{{Seq: 1, Run: runID, At: s.now, Data: ibid.RunStarted{ThreadID: threadID, UserMessageID: user.ID, MessageID: runID, Attempt: 1}}}, 1000)
	if err != nil {
		s.t.Fatal(err)
	}
}

// answered puts a question into a thread, and its answer.
func (s *threadTest) answered(threadID, runID, parent string) {
	s.t.Helper()
	s.asked(threadID, runID, parent)
	s.finish(runID)
}

func (s *threadTest) finish(runID string) {
	s.t.Helper()
	run, err := s.a.ClaimQueued(s.t.Context(), runID, "p", time.Hour)
	if err != nil || run == nil {
		s.t.Fatalf("claim %s: %v, %v", runID, run, err)
	}
	m, err := s.a.Message(s.t.Context(), access.For(ibid.Owner), runID)
	if err != nil {
		s.t.Fatal(err)
	}
	m.Status, m.Text = ibid.StatusCompleted, "because"
	if s.citing != "" {
		c := ibid.Citation{ChunkID: "c_" + s.citing + "00", DocumentID: s.citing, Version: "v-" + s.citing, Text: "Passage"}
		m.Text, m.Citations, m.Found = "because ["+c.ChunkID+"]", []ibid.Citation{c}, []ibid.Citation{c}
	}
	end := []ibid.Event{{Seq: run.LastSeq + 1, Run: runID, At: s.now, Data: ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}}}}
	if err := s.a.FinishRun(s.t.Context(), ibid.Lease{RunID: runID, Owner: "p", Fence: run.Fence}, end, m, s.now); err != nil {
		s.t.Fatal(err)
	}
}

// listed are the ids of all threads, from one opening, by pages of a size.
func listed(t testing.TB, s ThreadStore, size int, between func()) []string {
	t.Helper()
	var ids []string
	for page := (ibid.Page{Limit: size}); ; {
		threads, next, err := s.Threads(t.Context(), access.For(ibid.Owner), ibid.ThreadQuery{}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range threads {
			ids = append(ids, thread.ID)
		}
		if page.Cursor = next; next == "" {
			return ids
		}
		between()
	}
}

func testThreadSeen(t *testing.T, open Opener[ThreadStore]) {
	s := openThreads(t, open)
	view := access.For(ibid.Owner)
	s.answered("t1", "r1", "")
	s.answered("t2", "r2", "")
	look := func(what string, title string, ids ...string) {
		t.Helper()
		for _, store := range []ThreadStore{s.a, s.b} {
			if got := listed(t, store, 10, nil); !slices.Equal(got, ids) {
				t.Errorf("%s: listed %v, want %v", what, got, ids)
			}
			thread, err := store.Thread(t.Context(), view, "t1")
			if title == "" && ibid.CodeOf(err) != ibid.CodeNotFound || title != "" && (err != nil || thread.Title != title) {
				t.Errorf("%s: the thread is %+v, %v; want %q", what, thread, err, title)
			}
			messages, _, err := store.Messages(t.Context(), view, "t1", ibid.Page{})
			if want := 2 * min(1, len(title)); err != nil || len(messages) != want {
				t.Errorf("%s: %d messages, %v; want %d", what, len(messages), err, want)
			}
		}
	}
	look("at first", "title t1", "t2", "t1")
	if err := s.b.SetThread(t.Context(), view, "t1", "renamed", ""); err != nil {
		t.Fatal(err)
	}
	look("the other renamed it", "renamed", "t2", "t1")
	if err := s.a.RemoveThread(t.Context(), view, "t1", removedAt); err != nil {
		t.Fatal(err)
	}
	look("the one removed it", "", "t2")
	if err := s.b.RestoreThread(t.Context(), view, "t1", beforeRemoval); err != nil {
		t.Fatal(err)
	}
	look("the other took that back", "renamed", "t2", "t1")
	if err := s.b.RemoveThread(t.Context(), view, "t1", removedAt); err != nil {
		t.Fatal(err)
	}
	if n, err := s.a.SweepThreads(t.Context(), afterRemoval); err != nil || n != 1 {
		t.Errorf("swept %d, %v; want 1", n, err)
	}
	look("the one swept it", "", "t2")
	if err := s.b.RestoreThread(t.Context(), view, "t1", beforeRemoval); ibid.CodeOf(err) != ibid.CodeNotFound || err == nil {
		t.Errorf("what was swept can be restored: %v", err)
	}
}

func testThreadPages(t *testing.T, open Opener[ThreadStore]) {
	const threads = 30
	s := openThreads(t, open)
	for n := range threads {
		s.answered(fmt.Sprintf("t%02d", n), fmt.Sprintf("r%02d", n), "")
	}
	stays := map[string]bool{}
	for n := range threads {
		stays[fmt.Sprintf("t%02d", n)] = true
	}
	step := 0
	got := listed(t, s.b, 4, func() {
		s.answered(fmt.Sprintf("new%d", step), fmt.Sprintf("rn%d", step), "")
		gone := fmt.Sprintf("t%02d", step*3)
		if err := s.a.RemoveThread(t.Context(), access.For(ibid.Owner), gone, removedAt); err != nil {
			t.Fatal(err)
		}
		delete(stays, gone)
		step++
	})
	seen := map[string]int{}
	for _, id := range got {
		seen[id]++
	}
	for id := range stays {
		if seen[id] != 1 {
			t.Errorf("%s, which was there all the time, is listed %d times", id, seen[id])
		}
	}
}

func testThreadRemovedOnce(t *testing.T, open Opener[ThreadStore]) {
	const threads, each = 12, 4
	s := openThreads(t, open)
	for n := range threads {
		s.answered(fmt.Sprintf("t%02d", n), fmt.Sprintf("r%02d", n), "")
	}
	var mu sync.Mutex
	removals := map[string]int{}
	Contend(t, []ThreadStore{s.a, s.b}, 2, func(store ThreadStore, n int) bool {
		if n >= threads*each {
			return false
		}
		id := fmt.Sprintf("t%02d", n/each)
		err := store.RemoveThread(t.Context(), access.For(ibid.Owner), id, removedAt)
		if err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
			t.Errorf("remove %s: %v", id, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			removals[id]++
		}
		return true
	})
	for n := range threads {
		if id := fmt.Sprintf("t%02d", n); removals[id] != 1 {
			t.Errorf("%s was removed %d times", id, removals[id])
		}
	}
}

func testThreadInWork(t *testing.T, open Opener[ThreadStore]) {
	s := openThreads(t, open)
	s.answered("t1", "r1", "")
	s.asked("t1", "r2", "r1")
	for _, store := range []ThreadStore{s.a, s.b} {
		if err := store.RemoveThread(t.Context(), access.For(ibid.Owner), "t1", removedAt); ibid.CodeOf(err) != ibid.CodeConflict || err == nil {
			t.Errorf("a thread that is being answered was removed: %v", err)
		}
		if err := store.DeleteMessage(t.Context(), access.For(ibid.Owner), "u-r2"); ibid.CodeOf(err) != ibid.CodeConflict || err == nil {
			t.Errorf("a question that is being answered was deleted: %v", err)
		}
	}
	s.finish("r2")
	if err := s.b.RemoveThread(t.Context(), access.For(ibid.Owner), "t1", removedAt); err != nil {
		t.Error(err)
	}
}

func testThreadSweptAtOnce(t *testing.T, open Opener[ThreadStore]) {
	const threads = 24
	s := openThreads(t, open)
	view := access.For(ibid.Owner)
	for n := range threads {
		id := fmt.Sprintf("t%02d", n)
		s.answered(id, fmt.Sprintf("r%02d", n), "")
		if err := s.a.RemoveThread(t.Context(), view, id, removedAt); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	restored := map[string]bool{}
	swept := 0
	const sweeps, restores = 0, 1 // what each opening does
	Contend(t, []int{sweeps, restores}, 1, func(does, n int) bool {
		if does == sweeps {
			some, err := s.a.SweepThreads(t.Context(), afterRemoval)
			mu.Lock()
			defer mu.Unlock()
			swept += some
			if err != nil {
				t.Errorf("sweep: %v", err)
			}
			return err == nil && n < 2*threads
		}
		if n >= threads {
			return false
		}
		id := fmt.Sprintf("t%02d", n)
		err := s.b.RestoreThread(t.Context(), view, id, beforeRemoval)
		if err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
			t.Errorf("restore %s: %v", id, err)
		}
		mu.Lock()
		defer mu.Unlock()
		restored[id] = err == nil
		return true
	})
	kept := 0
	for n := range threads {
		id := fmt.Sprintf("t%02d", n)
		messages, _, err := s.b.Messages(t.Context(), view, id, ibid.Page{})
		_, threadErr := s.b.Thread(t.Context(), view, id)
		if restored[id] {
			kept++
		}
		if err != nil || (threadErr == nil) != restored[id] || len(messages) != 2*map[bool]int{true: 1}[restored[id]] {
			t.Errorf("%s, restored: %v, has %d messages, %v, %v", id, restored[id], len(messages), threadErr, err)
		}
	}
	if kept+swept != threads {
		t.Errorf("%d restored and %d swept of %d", kept, swept, threads)
	}
}

func testThreadSetAtOnce(t *testing.T, open Opener[ThreadStore]) {
	s := openThreads(t, open)
	view := access.For(ibid.Owner)
	s.answered("t1", "r1", "")
	s.answered("t1", "r2", "r1")
	for n := range 10 {
		head, title := []string{"r1", "r2"}[n%2], fmt.Sprint("name ", n)
		const renames, moves = 0, 1 // what each opening does
		Contend(t, []int{renames, moves}, 1, func(does, _ int) bool {
			var err error
			if does == renames {
				err = s.a.SetThread(t.Context(), view, "t1", title, "")
			} else {
				err = s.b.SetThread(t.Context(), view, "t1", "", head)
			}
			if err != nil {
				t.Error(err)
			}
			return false
		})
		if thread, err := s.a.Thread(t.Context(), view, "t1"); err != nil || thread.Title != title || thread.HeadID != head {
			t.Fatalf("the thread is %+v, %v; want %q and %s", thread, err, title, head)
		}
	}
}

func testMessagesDeletedAtOnce(t *testing.T, open Opener[ThreadStore]) {
	const branches = 10
	s := openThreads(t, open)
	view := access.For(ibid.Owner)
	s.answered("t1", "r", "")
	for n := range branches {
		s.answered("t1", fmt.Sprintf("r%02d", n), "r")
	}
	Contend(t, []ThreadStore{s.a, s.b}, 2, func(store ThreadStore, n int) bool {
		if n >= branches {
			return false
		}
		if err := store.DeleteMessage(t.Context(), view, fmt.Sprintf("u-r%02d", n)); err != nil {
			t.Errorf("delete %d: %v", n, err)
		}
		return true
	})
	for _, store := range []ThreadStore{s.a, s.b} {
		thread, err := store.Thread(t.Context(), view, "t1")
		messages, _, listErr := store.Messages(t.Context(), view, "t1", ibid.Page{})
		if err != nil || listErr != nil || thread.HeadID != "r" || len(messages) != 2 {
			t.Errorf("the head is %s of %d messages, %v, %v; want r of 2", thread.HeadID, len(messages), err, listErr)
		}
	}
}
