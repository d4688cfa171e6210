package ibidtest

import (
	"testing"
	"time"
)

// longestLimit is where Patiently gives up.
const longestLimit = 2 * time.Minute

// Patiently tries something with a limit of time, and again with four times as
// much for as long as it fails: on a slow machine a short limit may be over
// before what it is to interrupt has begun, and what always fails with the
// longest is a fault. So the limit may be short where the machine is quick.
func Patiently(t testing.TB, limit time.Duration, try func(limit time.Duration) error) {
	t.Helper()
	for ; ; limit *= 4 {
		err := try(limit)
		if err == nil {
			return
		}
		if limit > longestLimit {
			t.Fatalf("with a limit of %v: %v", limit, err)
		}
		t.Logf("with a limit of %v: %v", limit, err)
	}
}
