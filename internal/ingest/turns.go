package ingest

import "runtime"

// turns lets the work of the background onto the processors, so many pieces at
// once that one core is left for whoever asks a question. On cores that are all
// taken a question would wait for each of its steps: for the scheduler's next
// look at the network, up to 10 ms later, and then behind everybody else.
//
// A piece is some milliseconds, so that pieces of all kinds take turns. What
// waits for a disk or another program's answer takes none. A turn is taken
// before any lock.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)-1)) }

// take waits for a turn; end ends it.
func (t turns) take() (end func()) {
	t <- struct{}{}
	return func() { <-t }
}

// Slot is take for a part of the background that is not the pipeline's.
func (p *Pipeline) Slot() (release func()) { return p.turns.take() }

// turnPieces is in how many pieces a loop is cut. One over the terms of a large
// fit takes a second.
const turnPieces = 64

// each does work over [0,n) in pieces, every one of them a turn.
func (t turns) each(n int, work func(from, to int)) {
	pieces := min(n, turnPieces)
	done := make(chan struct{})
	workers := min(pieces, cap(t))
	for w := range workers {
		go func() {
			for p := w; p < pieces; p += workers {
				end := t.take()
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
