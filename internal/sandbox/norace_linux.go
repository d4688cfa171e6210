//go:build !race

package sandbox

// detectorBytes is the address space that a race detector takes: there is none.
const detectorBytes = 0
