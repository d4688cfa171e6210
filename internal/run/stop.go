package run

import (
	"context"
	"errors"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Stop stops the active run of a thread and returns its id once the model's
// connection is closed and the partial answer is saved; "" when none is active.
// The run may be at work in another process: then that one is asked to.
func (r *Runner) Stop(ctx context.Context, view access.View, threadID string) (string, error) {
	live, err := r.cfg.Store.LiveRun(ctx, view, threadID)
	if err != nil || live == nil {
		return "", err
	}
	for asked := false; ; {
		changed := r.hub.wait(live.ID) // before the looks, so that nothing is missed
		if a := r.running(live.ID); a != nil {
			a.cancel(errStopped)
			select {
			case <-a.done:
			case <-ctx.Done():
				return live.ID, ctx.Err()
			}
		}
		claimed, err := r.cfg.Leases.ClaimQueued(ctx, live.ID, r.cfg.Owner, r.cfg.Lease)
		if err != nil {
			return "", err
		}
		if claimed != nil {
			return live.ID, r.finishUnworked(ctx, claimed, ibid.StatusStopped)
		}
		now, err := r.cfg.Store.Run(ctx, view, live.ID)
		if err != nil {
			return "", err
		}
		if now.Status.Done() {
			r.hub.wake(live.ID) // nobody else may, and the channel must not stay
			return live.ID, nil
		}
		if !asked {
			if err := r.cfg.Leases.RequestStop(ctx, live.ID); err != nil {
				return "", err
			}
			r.notify(topicStop + live.ID)
			asked = true
			if r.base.Err() != nil {
				return live.ID, nil // whoever claims it next stops it
			}
			continue // it may have come back meanwhile
		}
		if n := r.releaseLost(); n > 0 {
			continue // its process may be gone
		}
		select {
		case <-changed:
		case <-time.After(r.cfg.Look):
		case <-ctx.Done():
			return live.ID, ctx.Err()
		}
	}
}

// stopRequested ends the context of a run that is at work here, if somebody has asked
// for that.
func (r *Runner) stopRequested(runID string) {
	a := r.running(runID)
	if a == nil {
		return
	}
	run, err := r.cfg.Store.Run(r.base, access.System("a run may have to stop"), runID)
	if err == nil && run.StopRequested {
		a.cancel(errStopped)
	} // else the next renewal of its lease says so
}

// finishUnworked ends a run that this call has just claimed and that no one
// works on.
func (r *Runner) finishUnworked(ctx context.Context, run *ibid.Run, status ibid.Status) error {
	ctx = context.WithoutCancel(ctx) // whoever asked may leave; the run is claimed and has to end
	w, _, err := r.openLog(ctx, run)
	if err != nil {
		return err
	}
	defer r.hub.forget(run.ID)
	return w.finish(ctx, nil, ibid.Finished{Status: status, Mode: run.Request.Mode, ToolsUsed: []string{}})
}

// keepLease renews a lease until the returned function is called. When it is lost, or
// somebody has asked for a stop, the run's context ends with that cause.
func (r *Runner) keepLease(ctx context.Context, cancel context.CancelCauseFunc, l ibid.Lease) (stop func()) {
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(r.cfg.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			stop, err := r.cfg.Leases.RenewLease(context.WithoutCancel(ctx), l, r.cfg.Lease)
			switch {
			case errors.Is(err, ibid.ErrLeaseLost):
				cancel(ibid.ErrLeaseLost)
				return
			case stop:
				cancel(errStopped)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
