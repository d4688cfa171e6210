//go:build !race

package ibidtest

// Raced says that these tests run under the race detector.
const Raced = false
