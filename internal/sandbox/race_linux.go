//go:build race

package sandbox

// detectorBytes is the address space that the race detector takes for each
// thread as it begins, in a program that is tested under it.
const detectorBytes = 2 << 30
