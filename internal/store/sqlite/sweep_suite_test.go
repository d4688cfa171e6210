package sqlite_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

func sweeperPlace(t testing.TB) ibidtest.Opener[ibidtest.SweeperStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.SweeperStore { return open(t) }
}

func threadPlace(t testing.TB) ibidtest.Opener[ibidtest.ThreadStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.ThreadStore { return open(t) }
}

func TestSweeper(t *testing.T) { ibidtest.Run(t, ibidtest.SweeperCases, sweeperPlace) }

func TestThreadStore(t *testing.T) { ibidtest.Run(t, ibidtest.ThreadCases, threadPlace) }

type sweeper = ibidtest.SweeperStore

// Sweepers with one fault each.

type sweepsEverything struct{ sweeper }

func (s sweepsEverything) SweepVersions(ctx context.Context, before time.Time) (int, error) {
	return s.sweeper.SweepVersions(ctx, before.AddDate(1, 0, 0))
}

type sweepsNothing struct{ sweeper }

func (sweepsNothing) SweepVersions(context.Context, time.Time) (int, error) { return 0, nil }

type usesNothing struct{ sweeper }

func (usesNothing) VersionInUse(context.Context, string) (bool, error) { return false, nil }

// remembersDiscarded has looked once and believes it for ever.
type remembersDiscarded struct {
	sweeper
	known *[]string
}

func (s remembersDiscarded) Discarded(ctx context.Context, page ibid.Page) ([]string, string, error) {
	if len(*s.known) > 0 {
		return *s.known, "", nil
	}
	all, next, err := s.sweeper.Discarded(ctx, page)
	*s.known = slices.Clone(all)
	return all, next, err
}

type forgetsNothing struct{ sweeper }

func (forgetsNothing) ForgetDiscarded(context.Context, string) error { return nil }

// uncites deletes the threads first, so that nothing cites what is swept.
type uncites struct{ sweeper }

func (s uncites) SweepVersions(ctx context.Context, before time.Time) (int, error) {
	threads, _, err := s.sweeper.Threads(ctx, access.For(ibid.Owner), ibid.ThreadQuery{}, ibid.Page{})
	if err != nil {
		return 0, err
	}
	for _, t := range threads {
		if err := s.sweeper.RemoveThread(ctx, access.For(ibid.Owner), t.ID, before.Add(-time.Second)); err != nil {
			return 0, err
		}
	}
	if _, err := s.sweeper.SweepThreads(ctx, before); err != nil {
		return 0, err
	}
	return s.sweeper.SweepVersions(ctx, before)
}

// restoresTooMuch says that it has restored what is gone.
type restoresTooMuch struct{ sweeper }

func (s restoresTooMuch) RestoreDocument(ctx context.Context, view access.View, id string, since time.Time, chunks []ibid.Chunk, named []ibid.Naming) (ibid.Document, int64, bool, error) {
	d, change, restored, err := s.sweeper.RestoreDocument(ctx, view, id, since, chunks, named)
	if ibid.CodeOf(err) == ibid.CodeNotFound {
		return d, change, true, nil
	}
	return d, change, restored, err
}

func TestSweeperMutants(t *testing.T) {
	ibidtest.Mutants(t, ibidtest.SweeperCases, sweeperPlace, []ibidtest.Mutant[sweeper]{
		{Name: "a sweep looks at no time", Case: "what can still be restored stays", Break: func(s sweeper) sweeper { return sweepsEverything{s} }},
		{Name: "a sweep lets nothing go", Case: "what was removed long ago is let go", Break: func(s sweeper) sweeper { return sweepsNothing{s} }},
		{Name: "the bytes of another are not looked at", Case: "bytes that another document has stay", Break: func(s sweeper) sweeper { return usesNothing{s} }},
		{Name: "what may be deleted is remembered", Case: "what has come back is not deleted", Break: func(s sweeper) sweeper { return remembersDiscarded{s, new([]string)} }},
		{Name: "what is deleted stays listed", Case: "what was removed long ago is let go", Break: func(s sweeper) sweeper { return forgetsNothing{s} }},
		{Name: "what is cited goes", Case: "what is cited stays until nothing cites it", Break: func(s sweeper) sweeper { return uncites{s} }},
		{Name: "what is gone is restored", Case: "sweeping and restoring at once leave nothing half", Break: func(s sweeper) sweeper { return restoresTooMuch{s} }},
	})
}

type threads = ibidtest.ThreadStore

// Stores of conversations with one fault each.

type remembersThreads struct {
	threads
	once func() ([]ibid.Thread, error)
}

func (s remembersThreads) Threads(context.Context, access.View, ibid.ThreadQuery, ibid.Page) ([]ibid.Thread, string, error) {
	all, err := s.once()
	return all, "", err
}

// numbersPages goes on at a number instead of behind a thread.
type numbersPages struct{ threads }

func (s numbersPages) Threads(ctx context.Context, view access.View, q ibid.ThreadQuery, page ibid.Page) ([]ibid.Thread, string, error) {
	var from int
	if _, err := page.DecodeCursor(&from); err != nil {
		return nil, "", err
	}
	all, _, err := s.threads.Threads(ctx, view, q, ibid.Page{Limit: 200})
	some := all[min(from, len(all)):]
	if len(some) <= page.Size() {
		return some, "", err
	}
	return some[:page.Size()], ibid.EncodeCursor(from + page.Size()), err
}

type removesAgain struct{ threads }

func (s removesAgain) RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error {
	err := s.threads.RemoveThread(ctx, view, id, at)
	if ibid.CodeOf(err) == ibid.CodeNotFound {
		return nil
	}
	return err
}

type removesWorkedOn struct{ threads }

func (s removesWorkedOn) RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error {
	err := s.threads.RemoveThread(ctx, view, id, at)
	if ibid.CodeOf(err) == ibid.CodeConflict {
		return nil
	}
	return err
}

type sweepsUncounted struct{ threads }

func (s sweepsUncounted) SweepThreads(ctx context.Context, before time.Time) (int, error) {
	n, err := s.threads.SweepThreads(ctx, before)
	return min(n, 1), err
}

// writesWhole writes a thread as it was read: a title overwrites the head.
type writesWhole struct {
	threads
	mu   *sync.Mutex
	read map[string]ibid.Thread
}

func (s writesWhole) SetThread(ctx context.Context, view access.View, id, title, head string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.read[id]
	if !ok {
		var err error
		if known, err = s.threads.Thread(ctx, view, id); err != nil {
			return err
		}
	}
	if title != "" {
		known.Title = title
	}
	if head != "" {
		known.HeadID = head
	}
	s.read[id] = known
	return s.threads.SetThread(ctx, view, id, known.Title, known.HeadID)
}

// keepsHead leaves the head where it was when messages are deleted.
type keepsHead struct{ threads }

func (s keepsHead) Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error) {
	t, err := s.threads.Thread(ctx, view, id)
	t.HeadID = "r09"
	return t, err
}

func TestThreadMutants(t *testing.T) {
	ibidtest.Mutants(t, ibidtest.ThreadCases, threadPlace, []ibidtest.Mutant[threads]{
		{Name: "the list is remembered", Case: "either opening sees what the other did to a thread", Break: func(s threads) threads {
			return remembersThreads{s, sync.OnceValues(func() ([]ibid.Thread, error) {
				all, _, err := s.Threads(context.Background(), access.For(ibid.Owner), ibid.ThreadQuery{}, ibid.Page{})
				return all, err
			})}
		}},
		{Name: "pages are numbered", Case: "pages hold while the other opening adds and removes", Break: func(s threads) threads { return numbersPages{s} }},
		{Name: "removing what is gone is no error", Case: "a thread is removed once", Break: func(s threads) threads { return removesAgain{s} }},
		{Name: "what is worked on is removed", Case: "a thread that is being answered stays", Break: func(s threads) threads { return removesWorkedOn{s} }},
		{Name: "a sweep counts to one", Case: "sweeping and restoring at once leave no half thread", Break: func(s threads) threads { return sweepsUncounted{s} }},
		{Name: "a thread is written as it was read", Case: "renaming and moving the head at once both count", Break: func(s threads) threads {
			return writesWhole{s, new(sync.Mutex), map[string]ibid.Thread{}}
		}},
		{Name: "the head is one that was deleted", Case: "deleting messages at once leaves a head that is there", Break: func(s threads) threads { return keepsHead{s} }},
	})
}
