package ingest

import (
	"context"
	"errors"
	"time"

	"ibid"
)

// ofNoUse reports whether an error says that the work on a document serves nobody: the
// document was removed, cancelled or is another process's now, or another version of it
// is wanted.
func ofNoUse(err error) bool {
	return errors.Is(err, ibid.ErrLeaseLost) || err != nil && (ibid.CodeOf(err) == ibid.CodeNotFound || ibid.CodeOf(err) == ibid.CodeConflict)
}

// renew makes a lease last on, and cancels its job when there is none any more.
func (p *Pipeline) renew(l ibid.DocumentLease) {
	if err := p.cfg.Leases.RenewDocument(context.WithoutCancel(p.base), l, p.cfg.Lease); errors.Is(err, ibid.ErrLeaseLost) {
		p.jobs.lost(l)
	} // of another error: there is time for another try
}

// keepLease renews a lease until the returned function is called.
func (p *Pipeline) keepLease(l ibid.DocumentLease) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(p.cfg.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				p.renew(l)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// lookLoop looks for documents whose process has ended.
func (p *Pipeline) lookLoop() {
	look := time.NewTicker(p.cfg.Lease / 3)
	defer look.Stop()
	looked := time.Now().Round(0) // by the wall clock, which runs on while a machine sleeps
	for {
		select {
		case <-p.base.Done():
			return
		case <-look.C:
		}
		now := time.Now().Round(0)
		slept := now.Sub(looked) >= p.cfg.Lease
		if looked = now; slept {
			continue // those who live renew their leases first
		}
		if err := p.releaseLost(p.base); err != nil && p.base.Err() == nil && ibid.CodeOf(err) != ibid.CodeDiskFull {
			p.cfg.Log.Error("cannot look for documents whose process has ended", "error", err)
		}
	}
}
