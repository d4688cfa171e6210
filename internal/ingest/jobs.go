package ingest

import (
	"context"
	"sync"

	"ibid"
)

// jobs knows which documents are in work. A document is worked on by one job at
// a time, here and by its lease in all processes: when a newer version comes in, the job on the older one is cancelled,
// and the next waits for its end.
type jobs struct {
	mu sync.Mutex
	by map[string]*job // by document
}

type job struct {
	lease  ibid.DocumentLease
	cancel context.CancelFunc
	ended  chan struct{}
}

// begin waits until no other job works on the document. The context it returns
// ends when the work is of no use any more; end must be called.
func (j *jobs) begin(ctx context.Context, l ibid.DocumentLease) (_ context.Context, end func(), err error) {
	for {
		j.mu.Lock()
		other := j.by[l.DocumentID]
		if other == nil {
			break
		}
		j.mu.Unlock()
		select {
		case <-other.ended:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	defer j.mu.Unlock()
	if j.by == nil {
		j.by = map[string]*job{}
	}
	ctx, cancel := context.WithCancel(ctx)
	now := &job{lease: l, cancel: cancel, ended: make(chan struct{})}
	j.by[l.DocumentID] = now
	return ctx, func() {
		cancel()
		j.mu.Lock()
		delete(j.by, l.DocumentID)
		j.mu.Unlock()
		close(now.ended)
	}, nil
}

// supersede cancels the job on a document, unless it works on the version that
// is wanted, and returns a channel that is closed once the job has ended; nil
// when there was none to cancel.
func (j *jobs) supersede(documentID, wanted string) <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := j.by[documentID]
	if now == nil || now.lease.Version == wanted {
		return nil
	}
	now.cancel()
	return now.ended
}

// lost cancels the job that had a lease.
func (j *jobs) lost(l ibid.DocumentLease) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now := j.by[l.DocumentID]; now != nil && now.lease.Fence == l.Fence {
		now.cancel()
	}
}

// on returns the lease of the job on a document.
func (j *jobs) on(documentID string) (l ibid.DocumentLease, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now := j.by[documentID]; now != nil {
		return now.lease, true
	}
	return l, false
}
