package ibidtest

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// hinted waits for a topic, or the hint that some were lost.
func hinted(t *testing.T, topics <-chan string, want string) {
	t.Helper()
	for {
		select {
		case topic, open := <-topics:
			if !open {
				t.Fatal("the channel was closed")
			}
			if topic == want || topic == "" {
				return
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no hint of %q", want)
		}
	}
}

func testHints(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	late := join(s.t, open(t))
	ctx, cancel := context.WithCancel(s.ctx())
	a, b, b2, c := s.pa.Listen(ctx), s.pb.Listen(s.ctx()), s.pb.Listen(s.ctx()), late.Listen(s.ctx())
	s.pa.Notify(s.ctx(), "run/1")
	hinted(t, b, "run/1")
	hinted(t, b2, "run/1")
	hinted(t, c, "run/1")
	late.Notify(s.ctx(), "run/2")
	hinted(t, a, "run/2")
	hinted(t, b, "run/2")
	cancel()
	for range a { // it is closed
	}
	s.pb.Notify(s.ctx(), "run/3")
	hinted(t, c, "run/3")
}

// One process listens to nothing while more is said than is kept for it: nobody waits
// for it, and when it listens again it is told to look.
func testDeafProcess(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	deaf, good := s.pa.Listen(s.ctx()), join(s.t, open(t)).Listen(s.ctx())
	for i := range 20_000 {
		s.pb.Notify(s.ctx(), fmt.Sprint("run/", i))
	}
	s.pb.Notify(s.ctx(), "stop/last")
	hinted(t, good, "stop/last")
	s.pb.Notify(s.ctx(), "stop/more")
	caughtUp(t, s)
	hinted(t, deaf, "stop/more")
}

// caughtUp waits until process a has read all that b has said so far. A pipe between
// them may be full of what was said before: what is said then is lost, and said again
// here.
func caughtUp(t *testing.T, s *processTest) {
	t.Helper()
	topics, limit := s.pa.Listen(s.ctx()), time.After(10*time.Second)
	for i := 0; ; i++ {
		said := fmt.Sprint("caught up/", i)
		s.pb.Notify(s.ctx(), said)
		again := time.After(100 * time.Millisecond)
		for waiting := true; waiting; {
			select {
			case topic := <-topics:
				if topic == said {
					return
				}
			case <-again:
				waiting = false
			case <-limit:
				t.Fatal("a process does not read what is said to it")
			}
		}
	}
}
