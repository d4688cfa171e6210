//go:build !linux

package proc

import (
	"os"
	"runtime/metrics"
	"time"
)

// ResidentBytes is not known here; the worker watches itself.
func ResidentBytes(int) int64 { return 0 }

// LimitMemory has no counterpart here.
func LimitMemory(int, uint64) {}

// StandBack changes nothing here.
func StandBack() {}

// BoundMemory ends the worker when its heap has grown beyond limit. Memory of
// WebAssembly is not part of the heap and has its own limit. The watch lives as
// long as the process.
func BoundMemory(limit int64) {
	const interval = 100 * time.Millisecond
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	go func() {
		for range time.Tick(interval) {
			metrics.Read(sample)
			if int64(sample[0].Value.Uint64()) > limit {
				os.Exit(ExitMemory)
			}
		}
	}()
}
