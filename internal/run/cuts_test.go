package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

// TestThousandsOfCuts lets forty readers follow one running answer. All but the
// first leave and come back at random; what each of them folds together must be
// what the first one folds, event by event.
func TestThousandsOfCuts(t *testing.T) {
	start := make(chan struct{})
	h := openHouse(t, t.TempDir(), func(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		<-start
		for i := range 600 { // more than one page (pageEvents)
			var d ibid.EventData = ibid.AnswerDelta{Text: fmt.Sprintf("w%d ", i)}
			switch {
			case i%5 == 0:
				d = ibid.ToolStarted{CallID: fmt.Sprint(i), Tool: "calculator", Input: []byte(`{}`)}
			case i%5 == 1:
				d = ibid.ReasoningDelta{Text: fmt.Sprintf("r%d ", i)}
			case i == 402:
				d = ibid.AnswerRetracted{Reason: "again"}
			}
			if err := emit(d); err != nil {
				return agent.Outcome{}, err
			}
			runtime.Gosched()
		}
		return agent.Outcome{}, nil
	})
	acc := h.ask(t, "t1", "count")
	var cuts atomic.Int64
	var group sync.WaitGroup
	stories := make([]string, 40)
	for i := range stories {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(i)))
			var f storyFold
			tail := h.Tail(access.For(ibid.Owner), acc.MessageID, 0)
			for {
				if i > 0 && rng.IntN(2) == 0 {
					tail = h.Tail(access.For(ibid.Owner), acc.MessageID, tail.Position())
					cuts.Add(1)
				}
				events, err := tail.Next(t.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Error(err)
					return
				}
				if i > 0 { // a reader may leave in the middle of what it was given, however much that was
					keep := 1 + rng.IntN(min(len(events), 10))
					events = events[:keep]
					tail = h.Tail(access.For(ibid.Owner), acc.MessageID, events[keep-1].Seq)
					cuts.Add(1)
					if _, end := events[keep-1].Data.(ibid.RunFinished); end {
						f.add(events)
						break
					}
				}
				f.add(events)
			}
			stories[i] = f.text
		})
	}
	close(start)
	group.Wait()
	for i, s := range stories {
		if s != stories[0] {
			t.Errorf("reader %d saw another story: %d bytes, not %d", i, len(s), len(stories[0]))
		}
	}
	t.Logf("%d readers, %d cuts, a story of %d bytes", len(stories), cuts.Load(), len(stories[0]))
	if cuts.Load() < 2000 {
		t.Errorf("only %d cuts", cuts.Load())
	}
}

// storyFold joins deltas and keeps everything else as it is, so that it does
// not matter how deltas were folded on the way.
type storyFold struct{ text string }

func (f *storyFold) add(events []ibid.Event) {
	for _, e := range events {
		switch d := e.Data.(type) {
		case ibid.AnswerDelta:
			f.text += d.Text
		case ibid.ReasoningDelta:
			f.text += d.Text
		default:
			f.text += fmt.Sprintf("\n%d %s %+v\n", e.Seq, e.Data.EventType(), d)
		}
	}
}
