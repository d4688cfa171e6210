package ingest

import (
	"context"
	"sync"
)

// jobs knows which documents are in work. A document is worked on by one job at
// a time: when a newer version comes in, the job on the older one is cancelled,
// and the next waits for its end.
type jobs struct {
	mu sync.Mutex
	by map[string]*job // by document
}

type job struct {
	version string
	cancel  context.CancelFunc
	ended   chan struct{}
}

// begin waits until no other job works on the document. The context it returns
// ends when the work is of no use any more; end must be called.
func (j *jobs) begin(ctx context.Context, documentID, version string) (_ context.Context, end func(), err error) {
	for {
		j.mu.Lock()
		other := j.by[documentID]
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
	now := &job{version: version, cancel: cancel, ended: make(chan struct{})}
	j.by[documentID] = now
	return ctx, func() {
		cancel()
		j.mu.Lock()
		delete(j.by, documentID)
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
	if now == nil || now.version == wanted {
		return nil
	}
	now.cancel()
	return now.ended
}
