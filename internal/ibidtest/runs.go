package ibidtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Process is one of those that work on a store.
type Process interface {
	Owner() string // its name in leases
	Notify(ctx context.Context, topic string)
	Listen(ctx context.Context) <-chan string
	Close() error // ends it: whatever it holds is given up
}

// LeaseStore is what processes that share a store of runs ask of it.
type LeaseStore interface {
	Join() (Process, error)
	StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error
	Run(ctx context.Context, view access.View, id string) (*ibid.Run, error)
	Message(ctx context.Context, view access.View, id string) (ibid.Message, error)
	Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error)
	WaitingRuns(ctx context.Context, page ibid.Page) (runIDs []string, next string, err error)
	NoteQueued(ctx context.Context, runID string, data ibid.RunQueued, at time.Time) (*ibid.Event, error)
	ClaimRun(ctx context.Context, owner string, lease time.Duration) (*ibid.Run, error)
	ClaimQueued(ctx context.Context, runID, owner string, lease time.Duration) (*ibid.Run, error)
	RenewLease(ctx context.Context, l ibid.Lease, lease time.Duration) (stop bool, err error)
	ReleaseRun(ctx context.Context, l ibid.Lease) error
	ReleaseLostRuns(ctx context.Context) (int, error)
	RequestStop(ctx context.Context, runID string) error
	AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error
	FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error
}

// LeaseCases is what every store of runs must do for several processes. A lease of no
// length is over as soon as it is given, so no case waits.
var LeaseCases = []Case[LeaseStore]{
	{"forty runs are handed out once each", testHandedOutOnce},
	{"a certain run is claimed by one", testCertainOnce},
	{"an older holder writes nothing", testOldHolder},
	{"a lease that is over can be taken, a renewed one not", testLeaseOver},
	{"nothing is taken from the living", testLiving},
	{"what the dead held is handed on at once", testDead},
	{"what is handed back waits again", testHandedBack},
	{"a stop reaches whoever holds the run", testStopRequest},
	{"a stop outlives its holder", testStopOutlives},
	{"a place in the queue is said once", testPlaceOnce},
	{"only so many runs wait, whoever accepts them", testMaxQueuedAtOnce},
	{"a thread has one active run, whoever accepts it", testOneActiveAtOnce},
	{"one log grows in order, whoever writes", testOneLog},
	{"a run ends once", testEndsOnce},
	{"hints reach the others", testHints},
	{"hints outlive one that reads none", testDeafProcess},
}

// processTest is a store that is open twice, for two processes.
type processTest struct {
	t      *testing.T
	a, b   LeaseStore
	pa, pb Process
	now    time.Time
	runs   int
}

func openTwice(t *testing.T, open Opener[LeaseStore]) *processTest {
	s := &processTest{t: t, a: open(t), b: open(t), now: time.UnixMilli(1_700_000_000_000).UTC()}
	s.pa, s.pb = join(t, s.a), join(t, s.b)
	if s.pa.Owner() == s.pb.Owner() || s.pa.Owner() == "" {
		t.Fatalf("owners %q and %q", s.pa.Owner(), s.pb.Owner())
	}
	return s
}

// join makes an opening of a store known to the others, until the test ends.
func join(t *testing.T, store interface{ Join() (Process, error) }) Process {
	t.Helper()
	p, err := store.Join()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func (s *processTest) ctx() context.Context { return s.t.Context() }

// tryAccept accepts a question in a thread.
func (s *processTest) tryAccept(by LeaseStore, threadID, runID string, limit int) error {
	request := ibid.Request{Text: "why " + runID}
	user := ibid.Message{ID: "u-" + runID, ThreadID: threadID, Role: ibid.RoleUser, Text: request.Text,
		Status: ibid.StatusCompleted, Request: &request, CreatedAt: ibid.At(s.now)}
	answer := ibid.Message{ID: runID, ThreadID: threadID, ParentID: user.ID, Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: ibid.At(s.now)}
	return by.StartRun(s.ctx(), ibid.Thread{Principal: ibid.Owner, ID: threadID, Title: "title", CreatedAt: ibid.At(s.now), UpdatedAt: ibid.At(s.now)}, user, answer,
		ibid.Run{Principal: ibid.Owner, ID: runID, ThreadID: threadID, UserMessageID: user.ID, Request: request, Status: ibid.StatusQueued, AcceptedAt: s.now},
		[]ibid.Event{{Seq: 1, Run: runID, At: s.now, Data: ibid.RunStarted{ThreadID: threadID, UserMessageID: user.ID, MessageID: runID, Attempt: 1}}}, limit)
}

// accept accepts a question in a thread of its own and returns the id of its run. Each
// is a second later than the one before.
func (s *processTest) accept() string {
	s.t.Helper()
	s.now, s.runs = s.now.Add(time.Second), s.runs+1
	id := fmt.Sprintf("r%02d", s.runs)
	if err := s.tryAccept(s.a, "t-"+id, id, 1000); err != nil {
		s.t.Fatal(err)
	}
	return id
}

func leaseOf(run *ibid.Run, p Process) ibid.Lease {
	return ibid.Lease{RunID: run.ID, Owner: p.Owner(), Fence: run.Fence}
}

func (s *processTest) claim(by LeaseStore, p Process, lease time.Duration) ibid.Lease {
	s.t.Helper()
	run, err := by.ClaimRun(s.ctx(), p.Owner(), lease)
	if err != nil || run == nil {
		s.t.Fatalf("claim: %v, %v", run, err)
	}
	return leaseOf(run, p)
}

// none fails the test when there is a run to claim.
func (s *processTest) none(by LeaseStore, p Process) {
	s.t.Helper()
	if run, err := by.ClaimRun(s.ctx(), p.Owner(), time.Minute); run != nil || err != nil {
		s.t.Fatalf("claimed %+v, %v", run, err)
	}
}

// release lets what is lost wait again, and fails the test when it is not so much.
func (s *processTest) release(by LeaseStore, want int) {
	s.t.Helper()
	if n, err := by.ReleaseLostRuns(s.ctx()); n != want || err != nil {
		s.t.Fatalf("released %d runs, want %d: %v", n, want, err)
	}
}

func (s *processTest) word(l ibid.Lease, seq int64, text string) []ibid.Event {
	return []ibid.Event{{Seq: seq, Run: l.RunID, At: s.now, Data: ibid.AnswerDelta{Text: text}}}
}

func (s *processTest) tryFinish(by LeaseStore, l ibid.Lease, seq int64, text string) error {
	m, err := by.Message(s.ctx(), access.For(ibid.Owner), l.RunID)
	if err != nil {
		return err
	}
	m.Status, m.Text = ibid.StatusCompleted, text
	end := []ibid.Event{{Seq: seq, Run: l.RunID, At: s.now, Data: ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}}}}
	return by.FinishRun(s.ctx(), l, end, m, s.now)
}

func testHandedOutOnce(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	const runs = 40
	for range runs {
		s.accept()
	}
	owners := map[LeaseStore]string{s.a: s.pa.Owner(), s.b: s.pb.Owner()}
	var mu sync.Mutex
	holders := map[string][]int64{}
	Contend(t, []LeaseStore{s.a, s.b}, 4, func(by LeaseStore, _ int) bool {
		run, err := by.ClaimRun(s.ctx(), owners[by], time.Minute)
		if err != nil {
			t.Error(err)
		}
		if run == nil {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		holders[run.ID] = append(holders[run.ID], run.Fence)
		return len(holders[run.ID]) < 10 // a broken store may hand out one for ever
	})
	if len(holders) != runs {
		t.Errorf("%d of %d runs were handed out", len(holders), runs)
	}
	for id, fences := range holders {
		if len(fences) != 1 {
			t.Errorf("%s was handed out %d times, with fences %v", id, len(fences), fences)
		}
	}
}

func testCertainOnce(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	owners := map[LeaseStore]string{s.a: s.pa.Owner(), s.b: s.pb.Owner()}
	for range 10 {
		id := s.accept()
		var mu sync.Mutex
		claims := 0
		Contend(t, []LeaseStore{s.a, s.b}, 2, func(by LeaseStore, _ int) bool {
			run, err := by.ClaimQueued(s.ctx(), id, owners[by], time.Minute)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if run != nil {
				claims++
			}
			return false
		})
		if claims != 1 {
			t.Errorf("%s was claimed %d times", id, claims)
		}
	}
}

func testOldHolder(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	s.accept()
	old := s.claim(s.a, s.pa, 0)
	if err := s.a.AppendEvents(s.ctx(), old, s.word(old, 2, "a")); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 1)
	fresh := s.claim(s.b, s.pb, time.Minute)
	if fresh.RunID != old.RunID || fresh.Fence <= old.Fence {
		t.Fatalf("%+v after %+v", fresh, old)
	}
	_, renewed := s.a.RenewLease(s.ctx(), old, time.Hour)
	for what, err := range map[string]error{
		"append":  s.a.AppendEvents(s.ctx(), old, s.word(old, 3, "b")),
		"renew":   renewed,
		"release": s.a.ReleaseRun(s.ctx(), old),
		"finish":  s.tryFinish(s.a, old, 3, "b"),
	} {
		if !errors.Is(err, ibid.ErrLeaseLost) {
			t.Errorf("%s with an old lease gave %v", what, err)
		}
	}
	if err := s.b.AppendEvents(s.ctx(), fresh, s.word(fresh, 3, "c")); err != nil {
		t.Fatal(err)
	}
	if events, err := s.a.Events(s.ctx(), access.For(ibid.Owner), old.RunID, 2, 10); err != nil || len(events) != 1 || events[0].Data != (ibid.AnswerDelta{Text: "c"}) {
		t.Fatalf("the log goes on with %+v, %v", events, err)
	}
}

func testLeaseOver(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	s.accept()
	l := s.claim(s.a, s.pa, 0)
	if _, err := s.a.RenewLease(s.ctx(), l, time.Hour); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0)
	s.none(s.b, s.pb)
	if _, err := s.a.RenewLease(s.ctx(), l, 0); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 1)
	if taken := s.claim(s.b, s.pb, time.Minute); taken.RunID != l.RunID || taken.Fence <= l.Fence {
		t.Fatalf("took %+v after %+v", taken, l)
	}
	s.release(s.b, 0)
}

func testLiving(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	s.accept()
	l := s.claim(s.a, s.pa, time.Minute)
	third := open(t) // another process starts
	p := join(s.t, third)
	s.release(third, 0)
	s.none(third, p)
	if err := s.a.AppendEvents(s.ctx(), l, s.word(l, 2, "on")); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil { // and ends
		t.Fatal(err)
	}
	s.release(s.b, 0)
	if err := s.tryFinish(s.a, l, 3, "on"); err != nil {
		t.Fatal(err)
	}
}

func testDead(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	mine, theirs := s.accept(), s.accept()
	s.claim(s.b, s.pb, time.Hour)
	l := s.claim(s.a, s.pa, time.Hour)
	if l.RunID != theirs {
		t.Fatalf("claimed %s, not %s", l.RunID, theirs)
	}
	if err := s.pa.Close(); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 1)
	if waiting, err := Whole(s.b.WaitingRuns(s.ctx(), Everything)); err != nil || !slices.Equal(waiting, []string{theirs}) {
		t.Fatalf("waiting %v, %v; %s is worked on", waiting, err, mine)
	}
	run, err := s.b.ClaimRun(s.ctx(), s.pb.Owner(), time.Minute)
	if err != nil || run == nil || run.ID != theirs || run.Attempt != 2 {
		t.Fatalf("claimed %+v, %v", run, err)
	}
}

func testHandedBack(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	id := s.accept()
	l := s.claim(s.a, s.pa, time.Minute)
	if err := s.a.ReleaseRun(s.ctx(), l); err != nil {
		t.Fatal(err)
	}
	if err := s.a.AppendEvents(s.ctx(), l, s.word(l, 2, "late")); !errors.Is(err, ibid.ErrLeaseLost) {
		t.Errorf("a write after it was handed back gave %v", err)
	}
	if taken := s.claim(s.b, s.pb, time.Minute); taken.RunID != id {
		t.Errorf("claimed %+v", taken)
	}
}

func testStopRequest(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	id, other := s.accept(), s.accept()
	l, m := s.claim(s.a, s.pa, time.Minute), s.claim(s.a, s.pa, time.Minute)
	stopped := func(id string, l ibid.Lease, want bool) {
		t.Helper()
		run, err := s.a.Run(s.ctx(), access.For(ibid.Owner), id)
		if err != nil || run.StopRequested != want {
			t.Errorf("run %+v, %v", run, err)
		}
		if stop, err := s.a.RenewLease(s.ctx(), l, time.Minute); stop != want || err != nil {
			t.Errorf("renewing %s says stop %v, %v", id, stop, err)
		}
	}
	stopped(id, l, false)
	if err := s.b.RequestStop(s.ctx(), id); err != nil {
		t.Fatal(err)
	}
	stopped(id, l, true)
	stopped(other, m, false)
	if err := s.b.RequestStop(s.ctx(), "no such run"); err != nil {
		t.Errorf("a stop of what is not there: %v", err)
	}
}

func testStopOutlives(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	id := s.accept()
	s.claim(s.a, s.pa, time.Minute)
	if err := s.b.RequestStop(s.ctx(), id); err != nil {
		t.Fatal(err)
	}
	if err := s.pa.Close(); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 1)
	run, err := s.b.ClaimRun(s.ctx(), s.pb.Owner(), time.Minute)
	if err != nil || run == nil || !run.StopRequested {
		t.Fatalf("claimed %+v, %v", run, err)
	}
}

func testPlaceOnce(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	id := s.accept()
	say := func(by LeaseStore, place int) *ibid.Event {
		t.Helper()
		e, err := by.NoteQueued(s.ctx(), id, ibid.RunQueued{Position: place}, s.now)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := say(s.a, 2); e == nil || e.Seq != 2 {
		t.Fatalf("noted %+v", e)
	}
	if e := say(s.b, 2); e != nil {
		t.Errorf("said again: %+v", e)
	}
	if e := say(s.b, 1); e == nil || e.Seq != 3 {
		t.Errorf("noted %+v", e)
	}
	s.claim(s.a, s.pa, time.Minute)
	if e := say(s.b, 2); e != nil {
		t.Errorf("a run at work was told %+v", e)
	}
}

func testMaxQueuedAtOnce(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	const limit = 5
	Contend(t, []LeaseStore{s.a, s.b}, 3, func(by LeaseStore, n int) bool {
		err := s.tryAccept(by, fmt.Sprintf("t%d", n), fmt.Sprintf("r%d", n), limit)
		if err != nil && ibid.CodeOf(err) != ibid.CodeBusy {
			t.Error(err)
		}
		return n < 30
	})
	if waiting, err := Whole(s.a.WaitingRuns(s.ctx(), Everything)); err != nil || len(waiting) != limit {
		t.Errorf("%d runs wait, %v; the limit is %d", len(waiting), err, limit)
	}
}

func testOneActiveAtOnce(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	for thread := range 10 {
		var mu sync.Mutex
		accepted := 0
		Contend(t, []LeaseStore{s.a, s.b}, 2, func(by LeaseStore, n int) bool {
			err := s.tryAccept(by, fmt.Sprintf("t%d", thread), fmt.Sprintf("r%d-%d", thread, n), 1000)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				accepted++
			} else if live := new(ibid.LiveRunError); !errors.As(err, &live) {
				t.Error(err)
			}
			return false
		})
		if accepted != 1 {
			t.Errorf("%d runs of one thread were accepted", accepted)
		}
	}
}
