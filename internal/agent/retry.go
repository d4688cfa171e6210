package agent

import (
	"context"
	"time"

	"ibid"
)

// worthRetry reports whether a call of the model that failed so may succeed
// when it is made again: the provider's trouble does, the question's does not.
func worthRetry(e *ibid.Error) bool {
	return e.Retryable || e.Code.Retryable()
}

// wait returns how long to wait after try (from 1) failed with e; ok is false
// when it is to be given up.
func (r Retry) wait(try int, e *ibid.Error) (d time.Duration, ok bool) {
	asked := time.Duration(e.RetryAfter) * time.Millisecond
	if try >= r.Tries || asked > r.MaxAfter || !worthRetry(e) {
		return 0, false
	}
	d = r.Base
	for range try - 1 {
		d = min(2*d, r.Max)
	}
	d -= time.Duration(r.Rand() * float64(d) / 2)
	return max(d, asked), true
}

// pause sleeps until d has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
