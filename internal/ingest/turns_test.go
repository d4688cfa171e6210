package ingest

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurnsLeaveACore: however many want to work, no more do at once than there
// are turns, and every piece is done once.
func TestTurnsLeaveACore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := make(turns, 3)
		var mu sync.Mutex
		working, most := 0, 0
		done := make([]int, 1000)
		piece := func(from, to int) {
			mu.Lock()
			working++
			most = max(most, working)
			for i := from; i < to; i++ {
				done[i]++
			}
			mu.Unlock()
			time.Sleep(time.Millisecond) // by the clock of the bubble: until everybody works or waits
			mu.Lock()
			working--
			mu.Unlock()
		}
		end := turns.take()
		turns.each(500, piece)
		end()
		turns.each(500, func(from, to int) { piece(from+500, to+500) })
		if most > 3 {
			t.Errorf("%d at once", most)
		}
		for i, n := range done {
			if n != 1 {
				t.Fatalf("piece %d was done %d times", i, n)
			}
		}
	})
}

func TestATurnAlwaysComes(t *testing.T) {
	turns := make(turns, 1)
	turns.each(0, func(int, int) { t.Error("there is nothing to do") })
	seen := 0
	turns.each(3, func(from, to int) { seen += to - from })
	if seen != 3 {
		t.Errorf("%d of 3", seen)
	}
}
