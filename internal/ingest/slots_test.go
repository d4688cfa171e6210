package ingest

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlotsLeaveACore: however many want to work, no more do at once than there
// are slots, and every piece is done once.
func TestSlotsLeaveACore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := make(slots, 3)
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
		end := slots.take()
		slots.each(500, piece)
		end()
		slots.each(500, func(from, to int) { piece(from+500, to+500) })
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

func TestASlotAlwaysComes(t *testing.T) {
	slots := make(slots, 1)
	slots.each(0, func(int, int) { t.Error("there is nothing to do") })
	seen := 0
	slots.each(3, func(from, to int) { seen += to - from })
	if seen != 3 {
		t.Errorf("%d of 3", seen)
	}
}
