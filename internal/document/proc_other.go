//go:build !linux

package document

import (
	"os"
	"runtime/metrics"
	"time"
)

// residentBytes is not known here; the worker watches itself.
func residentBytes(int) int64 { return 0 }

// limitMemory has no counterpart here.
func limitMemory(int, uint64) {}

// standBack changes nothing here.
func standBack() {}

// boundMemory ends the worker when its heap has grown beyond limit. Memory of
// WebAssembly is not part of the heap and has its own limit. The watch lives as
// long as the process.
func boundMemory(limit int64) {
	const interval = 100 * time.Millisecond
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	go func() {
		for range time.Tick(interval) {
			metrics.Read(sample)
			if int64(sample[0].Value.Uint64()) > limit {
				os.Exit(exitMemory)
			}
		}
	}()
}
