package app

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// garbagePercent is how much the heap may grow before it is collected. The index
// has hardly any pointers, so a collection is cheap; what the default of 100
// would let lie is not.
const garbagePercent = 50

// collectEarly sets garbagePercent, unless the user has chosen (GOGC).
func collectEarly() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}

// trimmer gives memory back to the system when the program has been busy and is
// quiet again: reading a hundred documents or fitting the embedder takes a
// multiple of what stays, and Go alone would keep it for minutes.
type trimmer struct {
	allocated func() uint64 // bytes since the start
	free      func()
	stop      chan struct{}
	stopped   sync.WaitGroup
}

const (
	trimEvery = 2 * time.Second
	// Fewer bytes allocated in trimEvery are quiet; after more than trimBytes
	// since the last time it is worth while.
	trimQuiet = 2 << 20
	trimBytes = 32 << 20
)

func newTrimmer() *trimmer {
	return &trimmer{allocated: heapAllocated, free: debug.FreeOSMemory, stop: make(chan struct{})}
}

func (t *trimmer) Start() { t.stopped.Go(t.loop) }

// Stop ends it; call it once.
func (t *trimmer) Stop() {
	close(t.stop)
	t.stopped.Wait()
}

func (t *trimmer) loop() {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	var last, freed uint64
	for {
		select {
		case <-t.stop:
			return
		case <-tick.C:
		}
		now := t.allocated()
		if now-last < trimQuiet && now-freed > trimBytes {
			t.free()
			now = t.allocated()
			freed = now
		}
		last = now
	}
}

func heapAllocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
