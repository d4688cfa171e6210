package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"ibid"
	"ibid/internal/engine"
)

// workLoop takes one waiting document after the other.
func (p *Pipeline) workLoop() {
	for {
		d, lease, attempts, ok, err := p.cfg.Leases.ClaimDocument(p.base, p.cfg.Owner, p.cfg.Lease, p.crashesAllowed())
		if err != nil && p.base.Err() == nil && ibid.CodeOf(err) != ibid.CodeDiskFull {
			p.cfg.Log.Error("cannot look for waiting documents", "error", err)
		}
		if !ok {
			p.tally.idle()
			p.mergeNames(mergeAfter)
			select {
			case <-p.base.Done():
				return
			case <-p.wake:
			case <-time.After(5 * time.Second): // a failed look must not be the last
			}
			continue
		}
		p.nudge() // there may be more for the other workers
		p.process(d, lease, attempts)
	}
}

// mergeAfter is how many documents are taken in before names are merged, once
// nothing waits.
const mergeAfter = 500

// mergeNames merges the index of names where many documents came since it was last
// done.
func (p *Pipeline) mergeNames(after int64) {
	n := p.taken.Swap(0) // of several workers that look, one has the number
	if n < after {
		p.taken.Add(n)
		return
	}
	if err := p.cfg.Sweeper.MergeNames(p.base); err != nil && p.base.Err() == nil && ibid.CodeOf(err) != ibid.CodeDiskFull {
		p.cfg.Log.Warn("cannot merge the index of names", "error", err)
	}
}

// process takes one document through the pipeline and writes down how it ended.
func (p *Pipeline) process(d ibid.Document, l ibid.DocumentLease, attempts ibid.Attempts) {
	defer p.keepLease(l)()
	ctx, end, err := p.jobs.begin(p.base, l)
	if err != nil {
		return
	}
	defer end()
	defer p.makeRoom(attempts)()
	p.taken.Add(1)
	p.tally.begin(p.cfg.Now())
	defer p.tally.end()
	defer p.announce(d.ID)
	p.announce(d.ID)
	err = p.untilThere(ctx, l, d, func() error { return p.guarded(ctx, l, d, attempts.Killed) })
	if errors.Is(err, ibid.ErrWorkerKilled) && ctx.Err() == nil {
		p.tryAgain(ctx, l, d, attempts.Killed)
		return
	}
	if p.base.Err() == nil {
		p.forgetPassword(l.Version)
	}
	if err == nil || ctx.Err() != nil || ofNoUse(err) {
		return // done; or not wanted any more, or to be begun again
	}
	if ibid.CodeOf(err) == ibid.CodeDiskFull {
		p.waitForRoom(ctx, l, d)
		return
	}
	p.cfg.Log.Warn("document failed", "name", d.Name, "error", err)
	d.Status, d.Stage, d.Progress, d.Error = ibid.DocumentFailed, "", 0, oneLine(err)
	err = p.cfg.Leases.SettleDocument(ctx, l, d)
	if ibid.CodeOf(err) == ibid.CodeDiskFull && err != nil {
		p.waitForRoom(ctx, l, d)
		return
	}
	if err != nil && ctx.Err() == nil && !ofNoUse(err) {
		p.cfg.Log.Error("cannot write down a failure", "name", d.Name, "error", err)
	}
}

func (p *Pipeline) guarded(ctx context.Context, l ibid.DocumentLease, d ibid.Document, killed int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.cfg.Log.Error("panic while taking in a document", "name", d.Name, "panic", r, "stack", string(debug.Stack()))
			err = errors.New("something went wrong while it was read")
		}
	}()
	return p.take(ctx, l, d, killed)
}

// progressEvery bounds how often progress is written down.
const progressEvery = 250 * time.Millisecond

// take extracts, cuts, publishes and embeds one version.
func (p *Pipeline) take(ctx context.Context, l ibid.DocumentLease, d ibid.Document, killed int) error {
	version := l.Version
	x, stored, err := p.storedText(ctx, d, version)
	if err != nil {
		return err
	}
	path, release, gone := p.cfg.Blobs.File(ctx, version)
	switch {
	case gone == nil:
		defer release()
		if info, err := p.cfg.Blobs.Stat(ctx, version); err == nil {
			d.Bytes = info.Bytes
		}
	case ibid.CodeOf(gone) != ibid.CodeNotFound:
		return gone
	case !stored:
		return errors.New("its original is gone; add it again")
	}
	began := p.cfg.Now()
	file := Original{Path: path, Name: d.Name, Password: p.passwords.of(version), Killed: killed}
	if !stored {
		if x, err = p.extract(ctx, l, d, file, began); err != nil {
			return err
		}
	}
	d.Version, d.Format, d.Pages, d.Language, d.Notice = version, x.Format, x.Pages, x.Language, x.Notice
	d.Title = cmp.Or(d.Title, x.Title, d.Name)
	chunks := p.passages(d, x)
	if len(chunks) == 0 {
		return &ibid.Error{Code: ibid.CodeBadRequest, Message: "there is no text in it", Hint: x.Notice}
	}
	if gone == nil {
		left, err := p.unpack(ctx, d, file)
		if err != nil {
			return err
		}
		d.Notice = joinNotices(d.Notice, left)
	}
	if d.Kept, err = p.kept(ctx, d, chunks); err != nil {
		return err
	}
	d.Chunks, d.Embedded = len(chunks), len(chunks)-d.Kept
	d.Status, d.Stage, d.Progress, d.Error, d.ChangeAt = ibid.DocumentProcessing, "index", cutShare, "", ibid.At(p.cfg.Now())
	number, err := p.publishDocument(ctx, l, d, x, chunks)
	if err != nil {
		return err
	}
	if err := p.untilTold(ctx, number); err != nil {
		return err
	}
	p.embedFitted(ctx, chunks)
	if p.cfg.Embedder == nil {
		p.nudgeEmbed()
	} else if err := p.embedDocument(ctx, l, &d, chunks, began); err != nil {
		return err
	}
	// Only now is it called ready: whoever reads that may search for it.
	d.Status, d.Stage, d.Progress = ibid.DocumentReady, "", 1
	return p.cfg.Leases.SettleDocument(ctx, l, d)
}

// storedText returns what a version says where the library knows it though no
// version of the document is searched, as after a recovery of a damaged database.
// Footnotes point into that text, so the file is not read again.
func (p *Pipeline) storedText(ctx context.Context, d ibid.Document, version string) (x ibid.Extract, stored bool, err error) {
	if d.Version != "" {
		return x, false, nil
	}
	x, err = p.cfg.Divider.Extract(ctx, system, d.ID, version)
	if ibid.CodeOf(err) == ibid.CodeNotFound {
		return x, false, nil
	}
	return x, err == nil, err
}

// The share of the work that is done once a document is read, and once it is cut
// into chunks as well.
const (
	readShare = 0.8
	cutShare  = 0.85
)

// extract reads a document, and shows how far it is.
func (p *Pipeline) extract(ctx context.Context, l ibid.DocumentLease, d ibid.Document, file Original, began time.Time) (ibid.Extract, error) {
	show := func(stage string, share float64, page, pages int) {
		d := d // what is stored of it must not change before it is read
		d.Stage, d.Progress, d.PagesDone, d.Pages = stage, share, page, pages
		p.progress(ctx, l, d, began)
	}
	var told time.Time
	x, err := p.cfg.Extractor.Extract(ctx, file, func(page, pages int) {
		if now := p.cfg.Now(); pages > 0 && now.Sub(told) >= progressEvery {
			told = now
			show("extract", readShare*float64(page)/float64(pages), page, pages)
		}
	})
	if err == nil {
		show("chunk", readShare, x.Pages, x.Pages)
	}
	return x, err
}

// passages cuts a document into what is searched, embedded and counted.
func (p *Pipeline) passages(d ibid.Document, x ibid.Extract) []ibid.Chunk {
	defer p.slots.take()()
	return Chunks(d, x)
}

// kept returns how many of the chunks the version before had.
func (p *Pipeline) kept(ctx context.Context, d ibid.Document, chunks []ibid.Chunk) (int, error) {
	defer p.slots.take()()
	now := map[string]bool{}
	for _, c := range chunks {
		now[c.ID] = true
	}
	n := 0
	for old, err := range p.passagesOf(ctx, d.ID) {
		if err != nil {
			return 0, fmt.Errorf("look up the chunks of the version before: %w", err)
		}
		if now[old.ID] {
			n++
		}
	}
	return n, nil
}

// publishDocument makes a version searchable: in the database with its sections
// and sentences, in the engine with its passages. It returns the number of the change.
func (p *Pipeline) publishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, passages []ibid.Chunk) (int64, error) {
	defer p.slots.take()()
	levels, named := ChunkLevels(d, x, passages), Namings(passages)
	p.publish.Lock()
	defer p.publish.Unlock()
	d, change, err := p.cfg.Leases.FinishDocument(ctx, l, d, x, levels, named, p.cfg.Now())
	if err != nil {
		return 0, fmt.Errorf("save what it says: %w", err)
	}
	p.tellOf(engine.Put{Number: change, Document: d, Passages: passages})
	p.nudgeNamer()
	return change, nil
}
