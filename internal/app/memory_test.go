package app

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackWhenQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allocated atomic.Uint64
		var freed atomic.Int64
		m := newTrimmer()
		m.allocated = func() uint64 { return allocated.Load() }
		m.free = func() { freed.Add(1) }
		m.Start()
		defer m.Stop()
		step := func(allocates uint64, want int, why string) {
			t.Helper()
			allocated.Add(allocates)
			time.Sleep(trimEvery)
			synctest.Wait()
			if n := int(freed.Load()); n != want {
				t.Errorf("%s: freed %d times, want %d", why, n, want)
			}
		}
		time.Sleep(time.Millisecond) // between two ticks
		step(trimBytes/2, 0, "busy")
		step(0, 0, "quiet after little")
		step(trimBytes, 0, "busy")
		step(trimBytes, 0, "still busy")
		step(100, 1, "quiet after much")
		step(100, 1, "quiet since")
		step(trimBytes+1, 1, "busy again")
		step(0, 2, "quiet again")
	})
}

func TestAllocationsAreCounted(t *testing.T) {
	before := heapAllocated()
	sink = make([]byte, 1<<20)
	if after := heapAllocated(); after < before+1<<20 {
		t.Errorf("%d bytes were allocated, then %d", before, after)
	}
}

var sink []byte
