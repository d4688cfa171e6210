package ingest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
)

// activityKept is how many changes a reader may lag behind.
const activityKept = 4096

// activity tells readers which documents have changed. It holds ids alone; what
// became of them is in the database.
type activity struct {
	mu   sync.Mutex
	last int64    // changes so far
	ids  []string // of the latest changes, the last one at the end
	wake chan struct{}
}

func (a *activity) tell(documentID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	if a.ids = append(a.ids, documentID); len(a.ids) >= 2*activityKept {
		a.ids = slices.Clone(a.ids[activityKept:])
	}
	if a.wake != nil {
		close(a.wake)
		a.wake = nil
	}
}

// loseTrack makes every reader one that is too far behind.
func (a *activity) loseTrack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	a.ids = nil
	if a.wake != nil {
		close(a.wake)
		a.wake = nil
	}
}

// Activity returns the documents that changed after a position, each once, the
// position that this is up to, and a channel that is closed at the next change.
// complete is false for a reader that is too far behind to be told all; a
// position below 0 is that of a new reader, who is told nothing of the past.
func (p *Pipeline) Activity(after int64) (ids []string, last int64, wake <-chan struct{}, complete bool) {
	a := &p.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wake == nil {
		a.wake = make(chan struct{})
	}
	if after < 0 || after > a.last {
		return nil, a.last, a.wake, after < 0
	}
	n := int(min(a.last-after, int64(len(a.ids))))
	ids = slices.Clone(a.ids[len(a.ids)-n:])
	slices.Sort(ids)
	return slices.Compact(ids), a.last, a.wake, int64(n) == a.last-after
}

// Cancel stops the work on a document. It returns once the work has ended: an
// older version stays what is searched, a document without one has failed.
func (p *Pipeline) Cancel(ctx context.Context, view access.View, documentID string) (ibid.Document, error) {
	d, err := p.cfg.Store.CancelDocument(ctx, view, documentID)
	if err != nil {
		return d, err
	}
	if ended := p.jobs.supersede(documentID, ""); ended != nil {
		select {
		case <-ended:
		case <-ctx.Done():
			return d, ctx.Err()
		}
	}
	p.announce(documentID) // a process that works on it finds its lease gone, and stops
	return d, nil
}

// progress writes down how far the work on a document has come, with a guess at
// how long the rest takes from how long this much took.
func (p *Pipeline) progress(ctx context.Context, l ibid.DocumentLease, d ibid.Document, began time.Time) {
	d.ETA = 0
	if took := p.cfg.Now().Sub(began).Seconds(); d.Progress > 0.01 {
		d.ETA = took * (1 - d.Progress) / d.Progress
	}
	if err := p.cfg.Leases.SetProgress(ctx, l, d); errors.Is(err, ibid.ErrLeaseLost) {
		p.jobs.lost(l)
	} // of another error: the next one will do
	p.announce(d.ID)
}
