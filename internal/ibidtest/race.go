package ibidtest

import "testing"

// Deferred begins what a test says that does not do all of its work under the race
// detector. scripts/test looks for it and runs those tests once more without the
// detector, and fails when one of them is not run then.
const Deferred = "deferred from the race detector: "

// WithoutRace leaves a test to the run without the race detector, under which code
// takes six to twelve times as long. It is for tests of one goroutine: why says what
// the test does and why no race can be in it. Nothing is lost: `make test` runs the
// test afterwards, and so does a plain `go test`.
func WithoutRace(t testing.TB, why string) {
	t.Helper()
	if Raced {
		t.Skip(Deferred + why)
	}
}

// Fewer is how often a test does something: all times, but under the race detector
// only a few. It is for tests of which any round shows a race: the rounds are there to
// meet rare cases, not other interleavings. `make test` runs such a test once under
// the detector, and once in full without it.
func Fewer(t testing.TB, few, all int) int {
	t.Helper()
	if Raced && few < all {
		t.Logf("%s%d of %d rounds", Deferred, few, all)
		return few
	}
	return all
}
