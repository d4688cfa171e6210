package run

import (
	"cmp"
	"context"
	"errors"
	"time"

	"ibid"
	"ibid/internal/access"
)

// claimLoop claims whatever waits, as long as there is room, and tells the rest
// where they stand.
func (r *Runner) claimLoop() {
	look := time.NewTicker(r.cfg.Lease / 3)
	defer look.Stop()
	told := map[string]int{} // waiting run → the place it was last told
	r.releaseLost()
	looked := time.Now().Round(0) // by the wall clock, which runs on while a machine sleeps
	for {
		select {
		case <-r.base.Done():
			return
		case <-r.wake:
		case <-look.C:
			now := time.Now().Round(0)
			if now.Sub(looked) < r.cfg.Lease { // else the machine has slept: those who live renew their leases first
				r.releaseLost()
			}
			looked = now
		}
		if full := r.claimAll(); full {
			told = r.tellQueue(told)
		} else { // whatever was accepted since is claimed at the next nudge
			clear(told)
		}
	}
}

// releaseLost lets runs wait again whose holder is gone, and returns how many did.
func (r *Runner) releaseLost() int {
	n, err := r.cfg.Leases.ReleaseLostRuns(r.base)
	if err != nil && r.base.Err() == nil {
		r.cfg.Log.Error("cannot look for runs whose process has ended", "error", err)
	}
	if n > 0 {
		r.cfg.Log.Info("going on with unfinished answers", "runs", n)
		r.nudge()
	}
	return n
}

// claimAll claims until nothing waits or there is no room, and reports the
// latter.
func (r *Runner) claimAll() (full bool) {
	for {
		r.mu.Lock()
		room := !r.closed && len(r.active) < r.cfg.MaxRuns
		r.mu.Unlock()
		if !room {
			return true
		}
		run, err := r.cfg.Leases.ClaimRun(r.base, r.cfg.Owner, r.cfg.Lease)
		if err != nil && r.base.Err() == nil {
			r.cfg.Log.Error("cannot claim runs", "error", err)
		}
		if run == nil {
			return false
		}
		r.launch(run)
	}
}

func (r *Runner) launch(run *ibid.Run) {
	ctx, cancel := context.WithCancelCause(r.base)
	a := &activeRun{cancel: cancel, done: make(chan struct{})}
	r.mu.Lock()
	r.active[run.ID] = a
	r.mu.Unlock()
	r.working.Go(func() {
		defer func() {
			cancel(nil)
			r.mu.Lock()
			if r.active[run.ID] == a { // else it was lost, and claimed again since
				delete(r.active, run.ID)
			}
			r.mu.Unlock()
			close(a.done)
			r.nudge()
		}()
		err := r.work(ctx, cancel, run)
		if err != nil && !(r.base.Err() != nil && errors.Is(err, context.Canceled)) { // stopping: another process goes on with it
			r.cfg.Log.Error("run given up", "run", run.ID, "error", err)
		}
	})
}

// tellQueue writes into the log of every waiting run where it stands, when that
// has changed.
func (r *Runner) tellQueue(told map[string]int) map[string]int {
	now := map[string]int{}
	waiting := ibid.Each(func(page ibid.Page) ([]string, string, error) { return r.cfg.Store.WaitingRuns(r.base, page) })
	for id, err := range waiting {
		if err != nil {
			return told
		}
		place := len(now) + 1
		if now[id] = place; told[id] == place {
			continue
		}
		event, err := r.cfg.Store.NoteQueued(r.base, id, ibid.RunQueued{Position: place}, r.cfg.Now())
		if err != nil {
			return told
		}
		if event != nil {
			r.hub.wake(id)
			r.notify(topicRun + id)
		}
	}
	return now
}

// work does one claimed run to its end. An error means that the run could not
// even be closed; it is then left to whoever claims it next.
func (r *Runner) work(ctx context.Context, cancel context.CancelCauseFunc, run *ibid.Run) error {
	// A stop may come in while the log is read. It is the run's end all the same, and
	// that end is written where the log ends.
	w, before, err := r.openLog(context.WithoutCancel(ctx), run)
	if err != nil {
		return err
	}
	w.onError = cancel
	defer r.hub.forget(run.ID)
	if run.StopRequested { // while nobody could stop it
		return w.finish(ctx, nil, ibid.Finished{Status: ibid.StatusStopped, Mode: run.Request.Mode, ToolsUsed: []string{}})
	}
	if run.Attempt > r.cfg.MaxAttempts {
		return w.finish(ctx, nil, ibid.Finished{Status: ibid.StatusInterrupted, Mode: run.Request.Mode, ToolsUsed: []string{}})
	}
	stopRenewing := r.keepLease(ctx, cancel, w.lease)
	defer stopRenewing()

	limit := r.cfg.Timeout
	if t := time.Duration(run.Request.TimeoutMS) * time.Millisecond; t > 0 && t < limit {
		limit = t
	}
	timer := time.AfterFunc(limit, func() { cancel(errTimeout) })
	defer timer.Stop()

	task := &Task{View: access.For(run.Principal), Run: *run, Log: before}
	if run.Attempt > 1 {
		err := w.emit(started(run, run.Attempt))
		if err != nil {
			return r.closeRun(ctx, w, task, ibid.Finished{}, err)
		}
	}
	done, err := r.do(ctx, task, w.emit)
	return r.closeRun(ctx, w, task, done, err)
}

// closeRun ends a run in the way its error asks for.
func (r *Runner) closeRun(ctx context.Context, w *logWriter, task *Task, end ibid.Finished, err error) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, ibid.ErrLeaseLost) || errors.Is(err, ibid.ErrLeaseLost):
		return nil // someone else works on it now
	case errors.Is(cause, errShutdown) && err != nil:
		_ = w.flush()
		err := r.cfg.Leases.ReleaseRun(context.WithoutCancel(ctx), w.lease)
		r.notify(topicRuns)
		return err
	}
	if end.ToolsUsed == nil {
		end.ToolsUsed = []string{}
	}
	end.Status, end.Mode = ibid.StatusCompleted, cmp.Or(end.Mode, mode(task.Run.Request.Mode))
	var tail []ibid.EventData
	switch {
	case err == nil:
	case errors.Is(cause, errStopped):
		end.Status = ibid.StatusStopped
	default:
		failed := failure(cause, err)
		r.cfg.Log.Warn("run failed", "run", task.Run.ID, "code", failed.Code, "error", err)
		end.Status = ibid.StatusFailed
		if w.answerEmpty() && failed.Code != ibid.CodeTimeout {
			// The saved message must not be empty, and nothing is in the
			// message that is not in the log.
			tail = append(tail, ibid.AnswerDelta{Text: failed.Message})
		}
		tail = append(tail, failed)
	}
	_ = w.flush() // what can't be written now goes with the end of the run
	if task.atEnd != nil {
		tail = append(task.atEnd(w.message()), tail...)
	}
	return r.persist(ctx, w, tail, end)
}

// persist writes the end of a run. A disk that stays full is waited for: the
// run is not over before its message is saved.
func (r *Runner) persist(ctx context.Context, w *logWriter, tail []ibid.EventData, end ibid.Finished) error {
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		err := w.finish(ctx, tail, end)
		if err == nil || errors.Is(err, ibid.ErrLeaseLost) {
			return nil
		}
		r.cfg.Log.Error("cannot save the end of a run", "run", w.lease.RunID, "error", err)
		select {
		case <-time.After(wait):
		case <-r.base.Done():
			return err
		}
	}
}

// failure makes the event of an error. What is not one of our own kinds is
// unexpected: its text is for the log, not for the user.
func failure(cause, err error) ibid.RunFailed {
	if errors.Is(cause, errTimeout) {
		return ibid.RunFailed{Code: ibid.CodeTimeout, Message: "The answer took too long; this is what was found in time.", Recoverable: true}
	}
	var known *ibid.Error
	if errors.As(cause, &known) || errors.As(err, &known) {
		if known.Code != ibid.CodeInternal {
			return ibid.RunFailed{Code: known.Code, Message: known.Message, Hint: known.Hint, Recoverable: known.Retryable}
		}
	}
	return ibid.RunFailed{Code: ibid.CodeInternal, Message: "Something went wrong. Please try again.", Recoverable: true}
}

func mode(m ibid.Mode) ibid.Mode {
	if m == "" || m == ibid.ModeAuto {
		return ibid.ModeAgentic
	}
	return m
}
