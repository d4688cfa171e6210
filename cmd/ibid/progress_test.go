package main

import (
	"io"
	"testing"

	"ibid/internal/app/adding"
)

// The bar, and the time that it says is left, are of all files, sent or not.
func TestProgressCountsWhatIsNotSent(t *testing.T) {
	t.Parallel()
	p := newProgress(&terminal{w: io.Discard, tty: true}, []adding.Item{{Name: "a", Size: 1 << 20}, {Name: "b", Size: 3 << 20}})
	if most := p.bar.GetMax64(); most != 4<<20 {
		t.Fatalf("the bar counts %d bytes", most)
	}
	p.finished(&adding.Added{Item: adding.Item{Name: "a", Size: 1 << 20}})
	if done := p.bar.State().CurrentPercent; done != 0.25 {
		t.Errorf("with one of two files done it stands at %v", done)
	}
}
