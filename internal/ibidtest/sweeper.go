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

// SweeperStore is what every store that lets go of what is not needed can do, and what
// it takes to have something to let go of.
type SweeperStore interface {
	DocumentStore
	ThreadStore
	RestoreDocument(ctx context.Context, view access.View, id string, since time.Time, chunks []ibid.Chunk, named []ibid.Naming) (stored ibid.Document, change int64, restored bool, err error)
	Extract(ctx context.Context, view access.View, documentID, version string) (ibid.Extract, error)
	SweepVersions(ctx context.Context, before time.Time) (int, error)
	SweepTombstones(ctx context.Context, before time.Time, upTo int64) error
	VersionInUse(ctx context.Context, hash string) (bool, error)
	Discarded(ctx context.Context, page ibid.Page) (hashes []string, next string, err error)
	ForgetDiscarded(ctx context.Context, hash string) error
	ListsVersion(ctx context.Context, hash string) (bool, error)
}

// SweeperCases is what every SweeperStore must do, for one opening of it and for two.
var SweeperCases = []Case[SweeperStore]{
	{"what was removed long ago is let go", testSwept},
	{"what can still be restored stays", testNotYetSwept},
	{"bytes that another document has stay", testSharedBytes},
	{"what is cited stays until nothing cites it", testCitedStays},
	{"what has come back is not deleted", testCameBack},
	{"sweeping and restoring at once leave nothing half", testSweepAtOnce},
}

// in takes documents in, which have the ids.
func in(t testing.TB, s SweeperStore, ids ...string) {
	t.Helper()
	for _, id := range ids {
		takeIn(t, s, ibid.Document{Principal: ibid.Owner, ID: id}, 1, nil)
	}
}

func out(t testing.TB, s SweeperStore, id string) {
	t.Helper()
	if _, _, err := s.RemoveDocument(t.Context(), access.For(ibid.Owner), id, removedAt); err != nil {
		t.Fatal(err)
	}
}

// afterRemoval and beforeRemoval are times of sweeps: what was removed before them goes.
var afterRemoval, beforeRemoval = removedAt.Add(time.Hour), removedAt.Add(-time.Hour)

func (s sweeping) sweep(before time.Time) {
	s.t.Helper()
	if _, err := s.SweepVersions(s.t.Context(), before); err != nil {
		s.t.Fatal(err)
	}
}

// sweeping is a store in a test.
type sweeping struct {
	SweeperStore
	t testing.TB
}

// holds checks what there is of a document's version: its text, whether it is in use,
// listed at all, and to be deleted.
func (s sweeping) holds(id string, text, inUse, listed, discarded bool) {
	s.t.Helper()
	ctx, hash := s.t.Context(), "v-"+id
	x, err := s.Extract(ctx, access.For(ibid.Owner), id, hash)
	if (err == nil) != text || text && x.Text == "" || err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
		s.t.Errorf("the text of %s: %q, %v; want it to be there: %v", id, x.Text, err, text)
	}
	if used, err := s.VersionInUse(ctx, hash); err != nil || used != inUse {
		s.t.Errorf("%s is in use: %v, %v; want %v", hash, used, err, inUse)
	}
	if known, err := s.ListsVersion(ctx, hash); err != nil || known != listed {
		s.t.Errorf("%s is listed: %v, %v; want %v", hash, known, err, listed)
	}
	if all, err := Whole(s.Discarded(ctx, Everything)); err != nil || slices.Contains(all, hash) != discarded {
		s.t.Errorf("to be deleted are %v, %v; want %s among them: %v", all, err, hash, discarded)
	}
}

func testSwept(t *testing.T, open Opener[SweeperStore]) {
	a, b := sweeping{open(t), t}, sweeping{open(t), t}
	in(t, a, "d1", "d2")
	a.holds("d1", true, true, true, false)
	out(t, b, "d1")
	b.holds("d1", true, true, true, false)
	if n, err := a.SweepVersions(t.Context(), afterRemoval); err != nil || n != 1 {
		t.Errorf("let go of %d, %v; want 1", n, err)
	}
	for _, s := range []sweeping{a, b} {
		s.holds("d1", false, false, true, true)
		s.holds("d2", true, true, true, false)
	}
	if err := b.ForgetDiscarded(t.Context(), "v-d1"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []sweeping{a, b} {
		s.holds("d1", false, false, false, false)
	}
	if err := a.SweepTombstones(t.Context(), afterRemoval, 1<<40); err != nil {
		t.Fatal(err)
	}
}

func testNotYetSwept(t *testing.T, open Opener[SweeperStore]) {
	a, b := sweeping{open(t), t}, sweeping{open(t), t}
	in(t, a, "d1")
	out(t, a, "d1")
	b.sweep(beforeRemoval)
	if err := b.SweepTombstones(t.Context(), beforeRemoval, 1<<40); err != nil {
		t.Fatal(err)
	}
	a.holds("d1", true, true, true, false)
	d, _, restored, err := b.RestoreDocument(t.Context(), access.For(ibid.Owner), "d1", beforeRemoval, nil, nil)
	if err != nil || !restored || d.Status != ibid.DocumentReady {
		t.Errorf("restored %v as %+v, %v", restored, d, err)
	}
	a.sweep(afterRemoval)
	a.holds("d1", true, true, true, false)
}

// testSharedBytes: two documents of the same bytes have one original.
func testSharedBytes(t *testing.T, open Opener[SweeperStore]) {
	s := sweeping{open(t), t}
	in(t, s, "d1")
	at := ibid.At(time.UnixMilli(1_700_000_000_000))
	twin := ibid.Document{Principal: ibid.Owner, ID: "d2", Name: "twin.txt", Source: "/files/twin", AddedAt: at, ChangeAt: at}
	if _, _, err := s.PutDocument(t.Context(), twin, "v-d1"); err != nil {
		t.Fatal(err)
	}
	out(t, s, "d1")
	s.sweep(afterRemoval)
	s.holds("d1", false, true, true, false)
}

func testCitedStays(t *testing.T, open Opener[SweeperStore]) {
	a, b := sweeping{open(t), t}, sweeping{open(t), t}
	in(t, a, "d1", "d2")
	threads := newThreadTest(t, b.SweeperStore, b.SweeperStore)
	threads.citing = "d1"
	threads.answered("t1", "r1", "")
	out(t, a, "d1")
	out(t, a, "d2")
	a.sweep(afterRemoval)
	a.holds("d1", true, true, true, false)
	a.holds("d2", false, false, true, true)
	if err := a.RemoveThread(t.Context(), access.For(ibid.Owner), "t1", removedAt); err != nil {
		t.Fatal(err)
	}
	b.sweep(afterRemoval)
	b.holds("d1", true, true, true, false) // the thread can be restored
	if n, err := b.SweepThreads(t.Context(), afterRemoval); err != nil || n != 1 {
		t.Errorf("let go of %d threads, %v; want 1", n, err)
	}
	a.sweep(afterRemoval)
	a.holds("d1", false, false, true, true)
}

// testCameBack: between the list of what may be deleted and the deletion the same bytes
// were added again.
func testCameBack(t *testing.T, open Opener[SweeperStore]) {
	a, b := sweeping{open(t), t}, sweeping{open(t), t}
	in(t, a, "d1")
	out(t, a, "d1")
	a.sweep(afterRemoval)
	a.holds("d1", false, false, true, true)
	at := ibid.At(time.UnixMilli(1_700_000_000_000))
	again := ibid.Document{Principal: ibid.Owner, ID: "d2", Name: "again.txt", Source: "/files/again", AddedAt: at, ChangeAt: at}
	if _, _, err := b.PutDocument(t.Context(), again, "v-d1"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []sweeping{a, b} {
		s.holds("d1", false, true, true, false)
	}
}

// testSweepAtOnce: one opening sweeps while the other takes removals back. What was
// restored has its text, and what has no text was not restored.
func testSweepAtOnce(t *testing.T, open Opener[SweeperStore]) {
	const documents = 30
	a, b := sweeping{open(t), t}, sweeping{open(t), t}
	for n := range documents {
		id := fmt.Sprintf("d%02d", n)
		in(t, a, id)
		out(t, a, id)
	}
	var mu sync.Mutex
	restored := map[string]bool{}
	const sweeps, restores = 0, 1 // what each opening does
	Contend(t, []int{sweeps, restores}, 1, func(does, n int) bool {
		if does == sweeps {
			if _, err := a.SweepVersions(t.Context(), afterRemoval); err != nil {
				t.Errorf("sweep: %v", err)
				return false
			}
			return n < 2*documents
		}
		if n >= documents {
			return false
		}
		id := fmt.Sprintf("d%02d", n)
		_, _, done, err := b.RestoreDocument(t.Context(), access.For(ibid.Owner), id, beforeRemoval, nil, nil)
		if err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
			t.Errorf("restore %s: %v", id, err)
		}
		mu.Lock()
		defer mu.Unlock()
		restored[id] = done && err == nil
		return true
	})
	for n := range documents {
		id := fmt.Sprintf("d%02d", n)
		a.holds(id, restored[id], restored[id], true, !restored[id])
	}
}
