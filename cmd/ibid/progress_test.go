package main

import (
	"io"
	"testing"
)

// The bar, and the time that it says is left, are of all files, sent or not.
func TestProgressCountsWhatIsNotSent(t *testing.T) {
	t.Parallel()
	p := newProgress(&terminal{w: io.Discard, tty: true}, []item{{name: "a", size: 1 << 20}, {name: "b", size: 3 << 20}})
	if most := p.bar.GetMax64(); most != 4<<20 {
		t.Fatalf("the bar counts %d bytes", most)
	}
	p.finished(&added{item: item{name: "a", size: 1 << 20}})
	if done := p.bar.State().CurrentPercent; done != 0.25 {
		t.Errorf("with one of two files done it stands at %v", done)
	}
}
