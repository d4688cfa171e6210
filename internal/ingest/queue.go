package ingest

import (
	"context"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Queue is how far the pipeline has come with all that waits for it.
type Queue struct {
	ibid.QueueCounts
	Done int     `json:"done"`                  // documents since there was nothing to do last
	ETA  float64 `json:"eta_seconds,omitempty"` // until there is nothing to do; 0 when unknown
}

// tally counts documents from when the first of them was begun until nothing
// waits any more.
type tally struct {
	mu    sync.Mutex
	began time.Time
	work  int // under way
	done  int
}

func (t *tally) begin(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.work++; t.began.IsZero() {
		t.began = now
	}
}

func (t *tally) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work--
	t.done++
}

// idle is called when nothing waits.
func (t *tally) idle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.work == 0 {
		t.began, t.done = time.Time{}, 0
	}
}

// Queue returns how far the whole queue has come. The guess at the rest goes by
// how long the documents before it took.
func (p *Pipeline) Queue(ctx context.Context, view access.View) (Queue, error) {
	counts, err := p.cfg.Store.QueueCounts(ctx, view)
	if err != nil {
		return Queue{}, err
	}
	left := counts.Waiting + counts.Processing
	if left == 0 {
		return Queue{}, nil // a worker has yet to find out, and to begin a new count
	}
	p.tally.mu.Lock()
	defer p.tally.mu.Unlock()
	q := Queue{QueueCounts: counts, Done: p.tally.done}
	if q.Done > 0 {
		q.ETA = p.cfg.Now().Sub(p.tally.began).Seconds() / float64(q.Done) * float64(left)
	}
	return q, nil
}
