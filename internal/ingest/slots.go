package ingest

import "runtime"

// slots is a semaphore with GOMAXPROCS−1 slots (at least one): background work holds
// one while it computes, so that one core stays free for whoever asks a question. On
// cores that are all taken a question would wait at each of its steps: for the
// scheduler's next look at the network, up to 10 ms later, and then behind
// everybody else.
//
// Hold a slot for some milliseconds, so that work of all kinds goes on. Don't hold
// one while you wait for a disk or another program, and take it before any lock.
type slots chan struct{}

func newSlots() slots { return make(slots, max(1, runtime.GOMAXPROCS(0)-1)) }

// take waits for a slot; end gives it back.
func (s slots) take() (end func()) {
	s <- struct{}{}
	return func() { <-s }
}

// Slot is take for a part of the background that is not the pipeline's.
func (p *Pipeline) Slot() (release func()) { return p.slots.take() }

// slotPieces is in how many pieces a loop is cut. One over the terms of a large
// fit takes a second.
const slotPieces = 64

// each does work over [0,n) in pieces, each in a slot.
func (s slots) each(n int, work func(from, to int)) {
	pieces := min(n, slotPieces)
	done := make(chan struct{})
	workers := min(pieces, cap(s))
	for w := range workers {
		go func() {
			for p := w; p < pieces; p += workers {
				end := s.take()
				work(p*n/pieces, (p+1)*n/pieces)
				end()
			}
			done <- struct{}{}
		}()
	}
	for range workers {
		<-done
	}
}
