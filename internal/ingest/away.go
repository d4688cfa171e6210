package ingest

import (
	"context"
	"errors"
	"time"

	"ibid"
)

// untilThere does the work on a document, and while the originals cannot be reached
// begins it again, less and less often. The document stays in work meanwhile, in the
// stage ibid.StageWait: nothing is wrong with it.
func (p *Pipeline) untilThere(ctx context.Context, l ibid.DocumentLease, d ibid.Document, work func() error) error {
	said := false
	for wait := feedAgain; ; wait = min(2*wait, feedEvery) {
		err := work()
		away := p.originalsAway(ctx, l.Version, err)
		if away == nil {
			return err
		}
		if !said {
			said = true
			p.cfg.Log.Warn("a document waits: its original can't be reached; trying again", "name", d.Name, "error", away)
		}
		d.Stage, d.Progress, d.PagesDone = ibid.StageWait, 0, 0
		p.progress(ctx, l, d, p.cfg.Now())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// originalsAway returns why the originals cannot be reached where that is what ended the
// work on a version; nil where it is not.
func (p *Pipeline) originalsAway(ctx context.Context, version string, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, ibid.ErrLeaseLost) {
		return nil
	}
	if ibid.CodeOf(err) == ibid.CodeAway {
		return err
	}
	// A worker that reads the file can only say that it could not.
	if _, err := p.cfg.Blobs.Stat(ctx, version); err != nil && ibid.CodeOf(err) == ibid.CodeAway {
		return err
	}
	return nil
}
