package extract

import (
	"context"
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
	for range 64 { // each is even odds
		if _, _, err := pool.enter(ctx); err == nil {
			t.Fatal("a cancelled call may go on")
		}
	}
	if len(pool.slots) > 0 {
		t.Fatal("a slot is not given back")
	}
	pool.Stop()
}
