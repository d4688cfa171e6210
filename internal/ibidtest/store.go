package ibidtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// RunStore is what every store of runs and conversations can do.
type RunStore interface {
	StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error
	Run(ctx context.Context, view access.View, id string) (*ibid.Run, error)
	LiveRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
	LatestRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
	Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error)
	WaitingRuns(ctx context.Context, page ibid.Page) (runIDs []string, next string, err error)
	NoteQueued(ctx context.Context, runID string, data ibid.RunQueued, at time.Time) (*ibid.Event, error)
	ClaimRun(ctx context.Context, owner string, lease time.Duration) (*ibid.Run, error)
	ClaimQueued(ctx context.Context, runID, owner string, lease time.Duration) (*ibid.Run, error)
	RenewLease(ctx context.Context, l ibid.Lease, lease time.Duration) (stop bool, err error)
	ReleaseLostRuns(ctx context.Context) (int, error)
	ReleaseRun(ctx context.Context, l ibid.Lease) error
	AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error
	FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error
	Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error)
	Threads(ctx context.Context, view access.View, q ibid.ThreadQuery, page ibid.Page) (threads []ibid.Thread, next string, err error)
	SetThread(ctx context.Context, view access.View, id, title, headID string) error
	RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error
	RestoreThread(ctx context.Context, view access.View, id string, since time.Time) error
	SweepThreads(ctx context.Context, before time.Time) (int, error)
	Removed(ctx context.Context, view access.View, since time.Time, page ibid.Page) (removed []ibid.Removed, next string, err error)
	Message(ctx context.Context, view access.View, id string) (ibid.Message, error)
	DeleteMessage(ctx context.Context, view access.View, id string) error
	BranchStore
	FileStore
}

// RunStoreSuite is what every RunStore must pass. open returns an empty store,
// closed when the test ends.
func RunStoreSuite(t *testing.T, open func(t *testing.T) RunStore) {
	for name, test := range map[string]func(*testing.T, *runStoreTest){
		"a question is accepted whole":             testAccept,
		"one active run in a thread":               testOneActive,
		"claims go oldest first, each run once":    testClaims,
		"an older holder can write nothing":        testFencing,
		"the log has no gaps":                      testNoGaps,
		"finishing is one step":                    testFinish,
		"a run that waits can be told its place":   testQueued,
		"branches, heads and deleting messages":    testBranches,
		"a question asked ever again":              testManyVersions,
		"only so many runs may wait":               testMaxQueued,
		"threads are listed, renamed and deleted":  testThreads,
		"many runs append at once":                 testConcurrentAppends,
		"events come back as they were written":    testEventRoundTrip,
		"a run keeps its kind of work":             testKindOfWork,
		"what does not exist is said not to exist": testMissing,
		"files lie beside their messages":          testFiles,
		"messages are read in parts":               testParts,
		"branches of random threads":               testRandomBranches,
		"threads are found by title and id":        testFindThreads,
		"a removed thread can be taken back":       testRemovedThread,
		"removed threads are listed by pages":      testRemovedPages,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, &runStoreTest{RunStore: open(t), now: time.UnixMilli(1_700_000_000_000).UTC()})
		})
	}
}

type runStoreTest struct {
	RunStore
	now time.Time
}

// accept starts a run with the given ids and fails the test when it can't.
func (s *runStoreTest) accept(t *testing.T, threadID, runID, parent string) {
	t.Helper()
	if err := s.tryAccept(t.Context(), threadID, runID, parent); err != nil {
		t.Fatal(err)
	}
}

// maxQueued is how many runs may wait in these tests.
const maxQueued = 50

func (s *runStoreTest) tryAccept(ctx context.Context, threadID, runID, parent string) error {
	s.now = s.now.Add(time.Second)
	request := ibid.Request{Text: "why " + runID}
	user := ibid.Message{ID: "u-" + runID, ThreadID: threadID, ParentID: parent, Role: ibid.RoleUser, Text: request.Text,
		Status: ibid.StatusCompleted, Request: &request, CreatedAt: ibid.At(s.now)}
	answer := ibid.Message{ID: runID, ThreadID: threadID, ParentID: user.ID, Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: ibid.At(s.now)}
	return s.StartRun(ctx, ibid.Thread{Principal: ibid.Owner, ID: threadID, Title: "title", CreatedAt: ibid.At(s.now), UpdatedAt: ibid.At(s.now)}, user, answer,
		ibid.Run{Principal: ibid.Owner, ID: runID, ThreadID: threadID, UserMessageID: user.ID, Request: request, Status: ibid.StatusQueued, AcceptedAt: s.now},
		[]ibid.Event{{Seq: 1, Run: runID, At: s.now, Data: ibid.RunStarted{ThreadID: threadID, UserMessageID: user.ID, MessageID: runID, Attempt: 1}}}, maxQueued)
}

func (s *runStoreTest) claim(t *testing.T, owner string) ibid.Lease {
	t.Helper()
	run, err := s.ClaimRun(t.Context(), owner, time.Minute)
	if err != nil || run == nil {
		t.Fatalf("claim: %v, %v", run, err)
	}
	return ibid.Lease{RunID: run.ID, Owner: owner, Fence: run.Fence}
}

func (s *runStoreTest) delta(l ibid.Lease, seq int64, text string) []ibid.Event {
	return []ibid.Event{{Seq: seq, Run: l.RunID, At: s.now, Data: ibid.AnswerDelta{Text: text}}}
}

func (s *runStoreTest) finish(t *testing.T, l ibid.Lease, seq int64) {
	t.Helper()
	m, err := s.Message(t.Context(), access.For(ibid.Owner), l.RunID)
	if err != nil {
		t.Fatal(err)
	}
	m.Status, m.Text = ibid.StatusCompleted, "because"
	end := []ibid.Event{{Seq: seq, Run: l.RunID, At: s.now, Data: ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}}}}
	if err := s.FinishRun(t.Context(), l, end, m, s.now); err != nil {
		t.Fatal(err)
	}
}

func testAccept(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	thread, err := s.Thread(t.Context(), access.For(ibid.Owner), "t1")
	if err != nil || thread.HeadID != "r1" || thread.RunID != "r1" || thread.Title != "title" {
		t.Fatalf("thread %+v, %v", thread, err)
	}
	messages, err := s.all(t.Context(), "t1")
	if err != nil || len(messages) != 2 || messages[0].ID != "u-r1" || messages[1].ID != "r1" {
		t.Fatalf("messages %+v, %v", messages, err)
	}
	run, err := s.Run(t.Context(), access.For(ibid.Owner), "r1")
	if err != nil || run.Status != ibid.StatusQueued || run.LastSeq != 1 || run.Request.Text != "why r1" || !run.AcceptedAt.Equal(s.now) {
		t.Fatalf("run %+v, %v", run, err)
	}
	events, err := s.Events(t.Context(), access.For(ibid.Owner), "r1", 0, 10)
	if err != nil || len(events) != 1 {
		t.Fatalf("events %+v, %v", events, err)
	}
}

func testOneActive(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	err := s.tryAccept(t.Context(), "t1", "r2", "r1")
	var live *ibid.LiveRunError
	if !errors.As(err, &live) || live.RunID != "r1" || live.LastSeq != 1 || ibid.CodeOf(err) != ibid.CodeConflict {
		t.Fatalf("a second question gave %v", err)
	}
	if _, err := s.Message(t.Context(), access.For(ibid.Owner), "u-r2"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Fatalf("the refused question was saved: %v", err)
	}
	s.accept(t, "t2", "r3", "")
	l := s.claim(t, "p")
	if err := s.tryAccept(t.Context(), "t1", "r2", "r1"); !errors.As(err, &live) {
		t.Fatalf("a question while the run is worked on gave %v", err)
	}
	s.finish(t, l, 2)
	s.accept(t, "t1", "r2", "r1")
}

func testClaims(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	s.accept(t, "t2", "r2", "")
	a, b := s.claim(t, "p"), s.claim(t, "q")
	if a.RunID != "r1" || b.RunID != "r2" {
		t.Fatalf("claimed %s, then %s", a.RunID, b.RunID)
	}
	none, err := s.ClaimRun(t.Context(), "p", time.Minute)
	if none != nil || err != nil {
		t.Fatalf("claimed %v, %v where nothing waits", none, err)
	}
	if run, err := s.ClaimQueued(t.Context(), "r1", "q", time.Minute); run != nil || err != nil {
		t.Fatalf("claimed %v, %v which does not wait", run, err)
	}
	if err := s.ReleaseRun(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	run, err := s.ClaimQueued(t.Context(), "r1", "q", time.Minute)
	if err != nil || run == nil || run.Attempt != 2 || run.Fence <= a.Fence {
		t.Fatalf("claimed again as %+v, %v", run, err)
	}
}

func testFencing(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	old := s.claim(t, "p")
	if err := s.AppendEvents(t.Context(), old, s.delta(old, 2, "a")); err != nil {
		t.Fatal(err)
	}
	if n, err := s.ReleaseLostRuns(t.Context()); n != 1 || err != nil { // there is no process p
		t.Fatalf("released %d runs, %v", n, err)
	}
	fresh := s.claim(t, "q")
	m, _ := s.Message(t.Context(), access.For(ibid.Owner), "r1")
	_, renewed := s.RenewLease(t.Context(), old, time.Hour)
	for what, err := range map[string]error{
		"append":  s.AppendEvents(t.Context(), old, s.delta(old, 3, "b")),
		"renew":   renewed,
		"release": s.ReleaseRun(t.Context(), old),
		"finish":  s.FinishRun(t.Context(), old, s.delta(old, 3, "b"), m, s.now),
	} {
		if !errors.Is(err, ibid.ErrLeaseLost) {
			t.Errorf("%s with an old lease gave %v", what, err)
		}
	}
	if err := s.AppendEvents(t.Context(), fresh, s.delta(fresh, 3, "c")); err != nil {
		t.Fatal(err)
	}
	events, _ := s.Events(t.Context(), access.For(ibid.Owner), "r1", 1, 10)
	if len(events) != 2 || events[1].Data != (ibid.AnswerDelta{Text: "c"}) {
		t.Fatalf("log %+v", events)
	}
}

func testNoGaps(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	l := s.claim(t, "p")
	for _, seq := range []int64{1, 3, 0} {
		if err := s.AppendEvents(t.Context(), l, s.delta(l, seq, "x")); err == nil {
			t.Errorf("event %d was taken after event 1", seq)
		}
	}
	if err := s.AppendEvents(t.Context(), l, s.delta(l, 2, "x")); err != nil {
		t.Fatal(err)
	}
	if run, _ := s.Run(t.Context(), access.For(ibid.Owner), "r1"); run.LastSeq != 2 {
		t.Fatalf("last_seq %d", run.LastSeq)
	}
}

func testFinish(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	l := s.claim(t, "p")
	s.finish(t, l, 2)
	m, err := s.Message(t.Context(), access.For(ibid.Owner), "r1")
	if err != nil || m.Status != ibid.StatusCompleted || m.Text != "because" {
		t.Fatalf("message %+v, %v", m, err)
	}
	if live, err := s.LiveRun(t.Context(), access.For(ibid.Owner), "t1"); live != nil || err != nil {
		t.Fatalf("still live: %+v, %v", live, err)
	}
	latest, err := s.LatestRun(t.Context(), access.For(ibid.Owner), "t1")
	if err != nil || latest.ID != "r1" || latest.Status != ibid.StatusCompleted {
		t.Fatalf("latest %+v, %v", latest, err)
	}
	if err := s.AppendEvents(t.Context(), l, s.delta(l, 3, "late")); !errors.Is(err, ibid.ErrLeaseLost) {
		t.Fatalf("an event after the end gave %v", err)
	}
}

func testQueued(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	s.accept(t, "t2", "r2", "")
	waiting, err := Whole(s.WaitingRuns(t.Context(), Everything))
	if err != nil || len(waiting) != 2 || waiting[0] != "r1" {
		t.Fatalf("waiting %v, %v", waiting, err)
	}
	event, err := s.NoteQueued(t.Context(), "r2", ibid.RunQueued{Position: 2}, s.now)
	if err != nil || event == nil || event.Seq != 2 {
		t.Fatalf("noted %+v, %v", event, err)
	}
	s.claim(t, "p")
	if event, err := s.NoteQueued(t.Context(), "r1", ibid.RunQueued{Position: 1}, s.now); event != nil || err != nil {
		t.Fatalf("a claimed run was told its place: %+v, %v", event, err)
	}
}

func testBranches(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	s.finish(t, s.claim(t, "p"), 2)
	s.accept(t, "t1", "r2", "r1")
	s.finish(t, s.claim(t, "p"), 2)
	s.accept(t, "t1", "r3", "r1") // an edit of u-r2: a sibling of it
	l := s.claim(t, "p")
	if err := s.DeleteMessage(t.Context(), access.For(ibid.Owner), "u-r3"); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Fatalf("a message that is being answered was deleted: %v", err)
	}
	s.finish(t, l, 2)
	if all, _ := s.all(t.Context(), "t1"); len(all) != 6 {
		t.Fatalf("%d messages", len(all))
	}
	if err := s.SetThread(t.Context(), access.For(ibid.Owner), "t1", "", "r2"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetThread(t.Context(), access.For(ibid.Owner), "t1", "", "elsewhere"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Fatalf("a head that is not there: %v", err)
	}
	if err := s.DeleteMessage(t.Context(), access.For(ibid.Owner), "u-r2"); err != nil {
		t.Fatal(err)
	}
	thread, _ := s.Thread(t.Context(), access.For(ibid.Owner), "t1")
	all, _ := s.all(t.Context(), "t1")
	if thread.HeadID != "r1" || len(all) != 4 {
		t.Fatalf("head %s, %d messages", thread.HeadID, len(all))
	}
	if events, _ := s.Events(t.Context(), access.For(ibid.Owner), "r2", 0, 10); len(events) != 0 {
		t.Fatalf("the log of a deleted answer is still there: %+v", events)
	}
	if err := s.DeleteMessage(t.Context(), access.For(ibid.Owner), "u-r1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Thread(t.Context(), access.For(ibid.Owner), "t1"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Fatalf("a thread without messages: %v", err)
	}
}

// A run that is refused because too many wait leaves nothing behind.
func testMaxQueued(t *testing.T, s *runStoreTest) {
	for i := range maxQueued + 1 {
		s.accept(t, fmt.Sprintf("t%d", i), fmt.Sprintf("r%d", i), "")
		if i == 0 {
			s.claim(t, "p") // it does not wait any more
		}
	}
	err := s.tryAccept(t.Context(), "refused", "r", "")
	var busy *ibid.Error
	if !errors.As(err, &busy) || busy.Code != ibid.CodeBusy || !busy.Retryable || busy.RetryAfter <= 0 {
		t.Fatalf("one more: %v", err)
	}
	if _, err := s.Thread(t.Context(), access.For(ibid.Owner), "refused"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("its thread is there: %v", err)
	}
	if _, err := s.Message(t.Context(), access.For(ibid.Owner), "u-r"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("its question is there: %v", err)
	}
	s.claim(t, "p")
	s.accept(t, "refused", "r", "")
}

func testThreads(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	s.accept(t, "t2", "r2", "")
	threads, _, err := s.Threads(t.Context(), access.For(ibid.Owner), ibid.ThreadQuery{}, ibid.Page{})
	if err != nil || len(threads) != 2 || threads[0].ID != "t2" {
		t.Fatalf("threads %+v, %v", threads, err)
	}
	if err := s.SetThread(t.Context(), access.For(ibid.Owner), "t1", "renamed", ""); err != nil {
		t.Fatal(err)
	}
	if thread, _ := s.Thread(t.Context(), access.For(ibid.Owner), "t1"); thread.Title != "renamed" || thread.HeadID != "r1" {
		t.Fatalf("thread %+v", thread)
	}
	if err := s.RemoveThread(t.Context(), access.For(ibid.Owner), "t1", s.now); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Fatalf("a thread that is being answered was deleted: %v", err)
	}
	s.finish(t, s.claim(t, "p"), 2)
	if err := s.RemoveThread(t.Context(), access.For(ibid.Owner), "t1", s.now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Message(t.Context(), access.For(ibid.Owner), "r1"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Fatalf("a message of a deleted thread: %v", err)
	}
}

func testConcurrentAppends(t *testing.T, s *runStoreTest) {
	const runs, events = 8, 50
	leases := make([]ibid.Lease, runs)
	for i := range leases {
		s.accept(t, fmt.Sprintf("t%d", i), fmt.Sprintf("r%d", i), "")
		leases[i] = s.claim(t, "p")
	}
	var group sync.WaitGroup
	for _, l := range leases {
		group.Go(func() {
			for seq := int64(2); seq < 2+events; seq++ {
				if err := s.AppendEvents(t.Context(), l, s.delta(l, seq, "x")); err != nil {
					t.Error(err)
					return
				}
				if seq == 10 { // a refused write takes no other with it
					if err := s.AppendEvents(t.Context(), l, s.delta(l, 5, "x")); err == nil {
						t.Error("an event out of order was taken")
					}
				}
			}
		})
	}
	group.Wait()
	for _, l := range leases {
		log, err := s.Events(t.Context(), access.For(ibid.Owner), l.RunID, 0, 1000)
		if err != nil || len(log) != 1+events {
			t.Fatalf("%d events, %v", len(log), err)
		}
		for i, e := range log {
			if e.Seq != int64(i)+1 {
				t.Fatalf("event %d has number %d", i, e.Seq)
			}
		}
	}
}

func testEventRoundTrip(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	l := s.claim(t, "p")
	var events []ibid.Event
	for i, d := range []ibid.EventData{
		ibid.ReasoningDelta{Text: "über \u2028 <b>"},
		ibid.ToolStarted{CallID: "a", Tool: "calculator", Input: []byte(`{"expression":"1+1"}`), Detail: "1+1", Iteration: 1},
		ibid.ToolFinished{CallID: "a", Tool: "calculator", OK: true, Output: "2", DurationMS: 3},
		ibid.CitationAdded{Citation: ibid.Citation{N: 1, ChunkID: "c_1", Pages: []int{4}, Path: []string{"a", "b.pdf"}}},
		ibid.AnswerDelta{Text: "2 [c_1]"},
		ibid.UnknownEvent{Type: "future.event", Raw: []byte(`{"x":1}`)},
	} {
		events = append(events, ibid.Event{Seq: int64(i) + 2, Run: "r1", At: s.now, Data: d})
	}
	if err := s.AppendEvents(t.Context(), l, events); err != nil {
		t.Fatal(err)
	}
	got, err := s.Events(t.Context(), access.For(ibid.Owner), "r1", 1, 3)
	if err != nil || len(got) != 3 {
		t.Fatalf("a page of 3 gave %d, %v", len(got), err)
	}
	rest, _ := s.Events(t.Context(), access.For(ibid.Owner), "r1", got[2].Seq, 100)
	got = append(got, rest...)
	if len(got) != len(events) {
		t.Fatalf("%d events of %d", len(got), len(events))
	}
	for i := range got {
		want, _ := events[i].MarshalJSON()
		have, _ := got[i].MarshalJSON()
		if string(want) != string(have) {
			t.Errorf("wrote %s\nread  %s", want, have)
		}
	}
}

// testKindOfWork: a run that says no kind answers a question.
func testKindOfWork(t *testing.T, s *runStoreTest) {
	s.accept(t, "t1", "r1", "")
	options := `{"count":5}`
	request := ibid.Request{Text: "make it", Options: []byte(options)}
	at := ibid.At(s.now.Add(time.Second))
	user := ibid.Message{ID: "u-r2", ThreadID: "t2", Role: ibid.RoleUser, Status: ibid.StatusCompleted, Request: &request, CreatedAt: at}
	made := ibid.Message{ID: "r2", ThreadID: "t2", ParentID: user.ID, Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: at}
	err := s.StartRun(t.Context(), ibid.Thread{Principal: ibid.Owner, ID: "t2", CreatedAt: at, UpdatedAt: at}, user, made,
		ibid.Run{Principal: ibid.Owner, ID: "r2", Kind: "quiz", ThreadID: "t2", UserMessageID: user.ID, Request: request, Status: ibid.StatusQueued, AcceptedAt: at.Time},
		[]ibid.Event{{Seq: 1, Run: "r2", At: at.Time, Data: ibid.RunStarted{ThreadID: "t2", UserMessageID: user.ID, MessageID: "r2", Attempt: 1, Kind: "quiz"}}}, maxQueued)
	if err != nil {
		t.Fatal(err)
	}
	for id, kind := range map[string]string{"r1": ibid.KindAnswer, "r2": "quiz"} {
		read, err := s.Run(t.Context(), access.For(ibid.Owner), id)
		if err != nil || read.Kind != kind {
			t.Errorf("%s is read as %+v, %v", id, read, err)
		}
	}
	for _, want := range []string{ibid.KindAnswer, "quiz"} {
		claimed, err := s.ClaimRun(t.Context(), "p", time.Minute)
		if err != nil || claimed == nil || claimed.Kind != want {
			t.Fatalf("claimed is %+v, %v", claimed, err)
		}
		if want == "quiz" && string(claimed.Request.Options) != options {
			t.Errorf("its options are %s", claimed.Request.Options)
		}
	}
	m := ibid.Message{ID: "r2", ThreadID: "t2", ParentID: user.ID, Role: ibid.RoleAssistant, Kind: "quiz", Status: ibid.StatusCompleted, Work: []byte(`[{"front":"a"}]`), CreatedAt: at}
	end := []ibid.Event{{Seq: 2, Run: "r2", At: at.Time, Data: ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}}}}
	if err := s.FinishRun(t.Context(), ibid.Lease{RunID: "r2", Owner: "p", Fence: 1}, end, m, at.Time); err != nil {
		t.Fatal(err)
	}
	if saved, err := s.Message(t.Context(), access.For(ibid.Owner), "r2"); err != nil || saved.Kind != "quiz" || string(saved.Work) != string(m.Work) {
		t.Errorf("saved is %+v, %v", saved, err)
	}
}

func testMissing(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	_, runErr := s.Run(ctx, access.For(ibid.Owner), "x")
	_, messageErr := s.Message(ctx, access.For(ibid.Owner), "x")
	_, threadErr := s.Thread(ctx, access.For(ibid.Owner), "x")
	for what, err := range map[string]error{"run": runErr, "message": messageErr, "thread": threadErr,
		"rename": s.SetThread(ctx, access.For(ibid.Owner), "x", "y", ""), "delete": s.RemoveThread(ctx, access.For(ibid.Owner), "x", s.now), "restore": s.RestoreThread(ctx, access.For(ibid.Owner), "x", s.now), "delete message": s.DeleteMessage(ctx, access.For(ibid.Owner), "x")} {
		if ibid.CodeOf(err) != ibid.CodeNotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
}
