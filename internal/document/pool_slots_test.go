package document

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A call whose context has ended may still get a free slot; it must give it
// back, or Stop waits for ever.
func TestCancelledCallsKeepNoSlot(t *testing.T) {
	pool, err := New(Config{Command: []string{"not started"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for killed := range 64 { // each is even odds
		if _, _, err := pool.enter(ctx, killed%3); err == nil {
			t.Fatal("a cancelled call may go on")
		}
	}
	if len(pool.slots) > 0 {
		t.Fatal("a slot is not given back")
	}
	pool.Stop()
}

// The more often a file's worker was killed, the less may run beside it, however
// many gather at once.
func TestLessRunsBesideAFileWhoseWorkerWasKilled(t *testing.T) {
	pool, err := New(Config{Command: []string{"not started"}, Workers: 6})
	if err != nil {
		t.Fatal(err)
	}
	for killed, most := range []int{6, 3, 1, 1} {
		var group sync.WaitGroup
		var running, peak atomic.Int64
		for range 4 * most {
			group.Go(func() {
				_, release, err := pool.enter(t.Context(), killed)
				if err != nil {
					t.Error(err)
					return
				}
				defer release()
				defer running.Add(-1)
				now := running.Add(1)
				for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
				}
				runtime.Gosched()
			})
		}
		group.Wait()
		if peak.Load() > int64(most) {
			t.Errorf("after %d kills %d ran at once, want %d at most", killed, peak.Load(), most)
		}
	}
	// A file read alone waits for one that is read as usual.
	_, release, _ := pool.enter(t.Context(), 0)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, _, err := pool.enter(ctx, Alone)
		ended <- err
	}()
	for len(pool.slots) < cap(pool.slots) { // it holds all others by now, and waits for the last
		runtime.Gosched()
	}
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	cancel()
	if <-ended == nil {
		t.Error("a cancelled call may go on")
	}
	release()
	if len(pool.slots) > 0 {
		t.Error("a slot is not given back")
	}
}
