package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Deltas wait for company before they are committed: four times as long as the
// last commit took, within these bounds, and until they hold deltaBytes. So a
// fast disk adds next to nothing to what a reader waits, and a slow one is not
// asked for more than it can do. The first delta after a pause does not wait.
const (
	deltaWaitMin = 4 * time.Millisecond
	deltaWaitMax = 50 * time.Millisecond
	deltaBytes   = 512
)

// logWriter appends one run's events to its log. What it has committed is
// published to the hub, never anything before.
type logWriter struct {
	store    Leases
	hub      *hub
	notify   func(topic string) // of other processes
	lease    ibid.Lease
	now      func() time.Time
	accepted time.Time
	onError  context.CancelCauseFunc // ends the run when the log can't be written

	mu      sync.Mutex
	seq     int64
	fold    ibid.Fold
	timing  ibid.Timing
	text    int // bytes of answer since the last retraction
	waiting []ibid.EventData
	bytes   int
	flushed time.Time
	wait    time.Duration // for company
	timer   *time.Timer
	err     error
}

// openLog makes the writer of a run this process has claimed, and returns the
// events that stand in its log already.
func (r *Runner) openLog(ctx context.Context, run *ibid.Run) (*logWriter, []ibid.Event, error) {
	w := &logWriter{
		store: r.cfg.Leases, hub: r.hub, notify: r.notify, now: r.cfg.Now, accepted: run.AcceptedAt, fold: r.Fold(run.Kind),
		lease:   ibid.Lease{RunID: run.ID, Owner: r.cfg.Owner, Fence: run.Fence},
		onError: func(error) {},
	}
	var before []ibid.Event
	for {
		page, err := r.cfg.Store.Events(ctx, access.System("a run goes on"), run.ID, w.seq, 1000)
		if err != nil {
			return nil, nil, fmt.Errorf("read the log of run %s: %w", run.ID, err)
		}
		if len(page) == 0 {
			return w, before, nil
		}
		for _, e := range page {
			w.account(e)
		}
		before = append(before, page...)
	}
}

// account folds an event into what the writer knows of its run.
func (w *logWriter) account(e ibid.Event) {
	w.seq = e.Seq
	w.fold.Add(e)
	first := func(at *int64) {
		if *at == 0 {
			*at = max(1, e.At.Sub(w.accepted).Milliseconds())
		}
	}
	first(&w.timing.FirstEventMS)
	switch d := e.Data.(type) {
	case ibid.ReasoningDelta:
		first(&w.timing.FirstReasoningMS)
	case ibid.CitationAdded:
		first(&w.timing.FirstCitationMS)
	case ibid.AnswerDelta:
		first(&w.timing.FirstAnswerMS)
		w.text += len(d.Text)
	case ibid.AnswerRetracted:
		w.text = 0
	}
}

// emit appends an event. Deltas may wait a moment, and so may citations, which
// come in numbers directly before the end of the tool call that found them;
// everything else is on disk, behind all that waited, when emit returns. After
// an error nothing more is written.
func (w *logWriter) emit(data ibid.EventData) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	switch d := data.(type) {
	case ibid.ReasoningDelta:
		w.add(data, len(d.Text))
	case ibid.AnswerDelta:
		w.add(data, len(d.Text))
	case ibid.CitationAdded:
		w.add(data, 0)
	default:
		w.waiting = append(w.waiting, data)
		return w.commit()
	}
	if w.bytes >= deltaBytes || w.now().Sub(w.flushed) >= w.wait {
		return w.commit()
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(w.wait, func() {
			if err := w.flush(); err != nil {
				w.onError(err)
			}
		})
	}
	return nil
}

// add joins a delta to the one before it where they are of one kind.
func (w *logWriter) add(data ibid.EventData, size int) {
	w.bytes += size
	if n := len(w.waiting); n > 0 {
		if joined, ok := join(w.waiting[n-1], data); ok {
			w.waiting[n-1] = joined
			return
		}
	}
	w.waiting = append(w.waiting, data)
}

// join makes one delta of two of the same kind.
func join(a, b ibid.EventData) (ibid.EventData, bool) {
	switch a := a.(type) {
	case ibid.AnswerDelta:
		if b, ok := b.(ibid.AnswerDelta); ok {
			return ibid.AnswerDelta{Text: a.Text + b.Text}, true
		}
	case ibid.ReasoningDelta:
		if b, ok := b.(ibid.ReasoningDelta); ok && a.Tool == "" && b.Tool == "" { // what is written for a tool is shown word by word
			return ibid.ReasoningDelta{Text: a.Text + b.Text}, true
		}
	}
	return nil, false
}

// flush commits what waits.
func (w *logWriter) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	return w.commit()
}

// commit writes what waits and then shows it. The mutex is held.
func (w *logWriter) commit() error {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if len(w.waiting) == 0 {
		return nil
	}
	began := w.now()
	events := w.number(w.waiting)
	if err := w.store.AppendEvents(context.Background(), w.lease, events); err != nil {
		w.err = fmt.Errorf("write the log of run %s: %w", w.lease.RunID, err)
		return w.err
	}
	w.waiting, w.bytes, w.flushed = nil, 0, w.now()
	w.wait = min(max(4*w.flushed.Sub(began), deltaWaitMin), deltaWaitMax)
	w.publish(events)
	return nil
}

func (w *logWriter) number(data []ibid.EventData) []ibid.Event {
	now := w.now()
	events := make([]ibid.Event, len(data))
	for i, d := range data {
		events[i] = ibid.Event{Seq: w.seq + int64(i) + 1, Run: w.lease.RunID, At: now, Data: d}
	}
	return events
}

func (w *logWriter) publish(events []ibid.Event) {
	for _, e := range events {
		w.account(e)
	}
	w.hub.publish(w.lease.RunID, events)
	w.notify(topicRun + w.lease.RunID)
}

// finish writes the tail, run.finished and the saved message in one
// transaction. Deltas that an earlier failure kept off the disk go with it.
func (w *logWriter) finish(ctx context.Context, tail []ibid.EventData, end ibid.Finished) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, ibid.ErrLeaseLost) {
		return w.err
	}
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	now := w.now()
	end.Timing = w.timing
	end.Timing.TotalMS = max(1, now.Sub(w.accepted).Milliseconds())
	all := append(append(append([]ibid.EventData(nil), w.waiting...), tail...), ibid.RunFinished{Finished: end})
	events := w.number(all)
	message := w.fold.Preview(events)
	if err := w.store.FinishRun(context.WithoutCancel(ctx), w.lease, events, message, now); err != nil {
		return err
	}
	w.waiting, w.bytes, w.err = nil, 0, nil
	w.publish(events)
	return nil
}

// answerEmpty reports whether nothing of an answer stands.
func (w *logWriter) answerEmpty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text == 0 && !hasAnswer(w.waiting)
}

func hasAnswer(waiting []ibid.EventData) bool {
	for _, d := range waiting {
		if a, ok := d.(ibid.AnswerDelta); ok && a.Text != "" {
			return true
		}
	}
	return false
}

// message returns the message as it stands on disk.
func (w *logWriter) message() ibid.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fold.Message()
}
