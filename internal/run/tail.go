package run

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
)

// hub wakes readers of runs and keeps what this process committed last, so that
// a thousand readers of one run do not read the same rows a thousand times.
type hub struct {
	mu     sync.Mutex
	waits  map[string]chan struct{}
	recent map[string][]ibid.Event // consecutive, the newest last
}

// recentEvents bounds what is kept of one active run.
const recentEvents = 2048

func newHub() *hub {
	return &hub{waits: map[string]chan struct{}{}, recent: map[string][]ibid.Event{}}
}

// wait returns a channel that is closed at the next wake-up. Take it before
// reading: whatever is committed after the read will close it.
func (h *hub) wait(runID string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	ch := h.waits[runID]
	if ch == nil {
		ch = make(chan struct{})
		h.waits[runID] = ch
	}
	return ch
}

func (h *hub) wake(runID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakeLocked(runID)
}

func (h *hub) wakeLocked(runID string) {
	if ch := h.waits[runID]; ch != nil {
		close(ch)
		delete(h.waits, runID)
	}
}

// wakeAll wakes the readers of all runs.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.waits {
		h.wakeLocked(id)
	}
}

// publish shows committed events.
func (h *hub) publish(runID string, events []ibid.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := h.recent[runID]
	if len(kept) > 0 && kept[len(kept)-1].Seq+1 != events[0].Seq {
		kept = nil
	}
	if len(kept) > recentEvents {
		kept = append([]ibid.Event(nil), kept[len(kept)/2:]...)
	}
	h.recent[runID] = append(kept, events...)
	h.wakeLocked(runID)
}

// after returns the kept events after a position, and whether the hub can
// answer for that position at all.
func (h *hub) after(runID string, seq int64) ([]ibid.Event, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := h.recent[runID]
	if len(kept) == 0 || seq+1 < kept[0].Seq || seq > kept[len(kept)-1].Seq {
		return nil, false
	}
	// Events are never changed once they stand in the slice, and it only grows
	// behind what is handed out here.
	return kept[seq+1-kept[0].Seq:], true
}

// forget drops what was kept of a run that has ended here.
func (h *hub) forget(runID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.recent, runID)
	h.wakeLocked(runID)
}

// Tail reads one run's log from a position, and waits for more until the run
// has finished. It belongs to one reader.
type Tail struct {
	runner *Runner
	view   access.View
	runID  string
	after  int64
	seen   bool // the run is there for the view
	ended  bool
}

// Tail returns a reader of the events after a position; 0 is the beginning.
func (r *Runner) Tail(view access.View, runID string, after int64) *Tail {
	return &Tail{runner: r, view: view, runID: runID, after: after}
}

// pageEvents bounds what one Next returns.
const pageEvents = 512

// Next returns the next events, at least one, with consecutive deltas of one
// kind folded into one: whoever joins late pays for the size of the answer, not
// for the number of its pieces. It waits where there is none yet, and returns
// io.EOF after run.finished.
func (t *Tail) Next(ctx context.Context) ([]ibid.Event, error) {
	if t.ended {
		return nil, io.EOF
	}
	if events, err := t.read(ctx); err != nil || len(events) > 0 {
		return events, err
	}
	for {
		more := t.runner.hub.wait(t.runID) // before the read, so that nothing is missed
		events, err := t.read(ctx)
		if err != nil || len(events) > 0 {
			return events, err
		}
		if over, err := t.over(ctx); err != nil || over {
			return nil, cmp.Or(err, io.EOF)
		}
		if err := t.wait(ctx, more); err != nil {
			return nil, err
		}
	}
}

// wait waits for a wake-up. Where another process works on the run, its hint may be
// lost: then the log is looked at again after a while.
func (t *Tail) wait(ctx context.Context, more <-chan struct{}) error {
	var look <-chan time.Time
	if t.runner.running(t.runID) == nil {
		timer := time.NewTimer(t.runner.cfg.Look)
		defer timer.Stop()
		look = timer.C
	}
	select {
	case <-more:
	case <-look:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// read returns what stands after the position, from memory where it is there.
func (t *Tail) read(ctx context.Context) ([]ibid.Event, error) {
	if !t.seen { // what is in memory is everybody's
		if _, err := t.runner.cfg.Store.Run(ctx, t.view, t.runID); err != nil {
			return nil, err
		}
		t.seen = true
	}
	events, ok := t.runner.hub.after(t.runID, t.after)
	if !ok {
		var err error
		events, err = t.runner.cfg.Store.Events(ctx, t.view, t.runID, t.after, pageEvents)
		if err != nil {
			return nil, err
		}
	}
	if len(events) > pageEvents {
		events = events[:pageEvents]
	}
	if len(events) == 0 {
		return nil, nil
	}
	last := events[len(events)-1]
	t.after = last.Seq
	_, t.ended = last.Data.(ibid.RunFinished)
	return coalesce(events), nil
}

// over reports whether the reader stands at the end of a run that has ended:
// nothing will ever wake it.
func (t *Tail) over(ctx context.Context) (bool, error) {
	if t.runner.running(t.runID) != nil {
		return false, nil
	}
	run, err := t.runner.cfg.Store.Run(ctx, t.view, t.runID)
	if err != nil {
		return false, err
	}
	if t.ended = run.Status.Done() && t.after >= run.LastSeq; t.ended {
		t.runner.hub.wake(t.runID) // nobody else will, and the channel must not stay
	}
	return t.ended, nil
}

// Position returns the sequence number up to which Next has returned events.
func (t *Tail) Position() int64 { return t.after }

// foldedBytes is where a folded delta ends and the next begins, so that frames
// stay small.
const foldedBytes = 32 << 10

// coalesce folds consecutive deltas of one kind. A folded event has the number
// and time of its last part, so that a position taken from it has everything.
func coalesce(events []ibid.Event) []ibid.Event {
	out := make([]ibid.Event, 0, len(events))
	for i := 0; i < len(events); {
		j := i
		var text strings.Builder
		switch events[i].Data.(type) {
		case ibid.AnswerDelta:
			for ; j < len(events) && text.Len() < foldedBytes; j++ {
				d, ok := events[j].Data.(ibid.AnswerDelta)
				if !ok {
					break
				}
				text.WriteString(d.Text)
			}
			out = append(out, with(events[j-1], ibid.AnswerDelta{Text: text.String()}))
		case ibid.ReasoningDelta:
			if first := events[i].Data.(ibid.ReasoningDelta); first.Tool != "" { // shown word by word, and short
				out = append(out, events[i])
				j++
				break
			}
			for ; j < len(events) && text.Len() < foldedBytes; j++ {
				d, ok := events[j].Data.(ibid.ReasoningDelta)
				if !ok || d.Tool != "" {
					break
				}
				text.WriteString(d.Text)
			}
			out = append(out, with(events[j-1], ibid.ReasoningDelta{Text: text.String()}))
		default:
			out = append(out, events[i])
			j++
		}
		i = j
	}
	return out
}

func with(e ibid.Event, data ibid.EventData) ibid.Event {
	e.Data = data
	return e
}
