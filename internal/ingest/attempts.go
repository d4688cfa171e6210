package ingest

import (
	"context"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/access"
)

// What ends a worker, or ibid itself, from outside is not a file's fault: the
// kernel kills where memory is short, and people kill too. So the work is begun
// again, with less and less beside it:
//
//	worker killed    once: beside half as many workers · twice: alone · then it is the file's fault
//	ibid itself died once: behind the rest, and alone  · … · maxCrashes times: failed
//
// Both counts stand in the database and belong to the version that waits.

// maxCrashes is how many ends of ibid a document may see while it is in work. It
// is large because each of them may have another cause, such as a power cut.
const maxCrashes = 10

// earlyCrashes may be seen by a document that is begun as soon as ibid opens. For
// each further one it waits a second, so that whoever runs ibid can remove it, and
// a service manager sees that ibid does come up.
const earlyCrashes = 2

// gaveUp is the error of a document that has seen maxCrashes of them.
var gaveUp = fmt.Sprintf("ibid was ended from outside %d times while this file was in work, the last times with nothing beside it; it may need more memory than there is, so free some and try again", maxCrashes)

// crashesAllowed is how many ends of ibid a document that is begun now may have seen.
func (p *Pipeline) crashesAllowed() int {
	return earlyCrashes + int(p.cfg.Now().Sub(p.opened)/time.Second)
}

// releaseLost puts back what processes had in work that have died since. It takes
// nothing from the living.
func (p *Pipeline) releaseLost(ctx context.Context) error {
	changed, failed, err := p.cfg.Leases.ReleaseLostDocuments(ctx, maxCrashes, gaveUp)
	if err != nil {
		return fmt.Errorf("go on with the documents of processes that have ended: %w", err)
	}
	if failed > 0 {
		p.cfg.Log.Error("given up: ibid has died too often while these were in work", "documents", failed)
	}
	for _, id := range changed {
		p.announce(id)
	}
	if len(changed) > 0 {
		p.nudge()
	}
	return nil
}

// release puts back what is in work at an orderly end, which is not counted.
func (p *Pipeline) release() {
	if err := p.cfg.Leases.ReleaseDocuments(context.Background(), p.cfg.Owner); err != nil {
		p.cfg.Log.Warn("cannot put back the documents in work; that is done at the next start", "error", err)
	}
	p.notify(topicQueue)
}

// makeRoom waits until a document may be worked on, alone where ibid has died on
// it before.
func (p *Pipeline) makeRoom(a ibid.Attempts) (release func()) {
	if a.Crashes > 0 {
		p.beside.Lock()
		return p.beside.Unlock
	}
	p.beside.RLock()
	return p.beside.RUnlock
}

// tryAgain puts a document back whose worker was killed.
func (p *Pipeline) tryAgain(ctx context.Context, l ibid.DocumentLease, d ibid.Document, killed int) {
	p.cfg.Log.Warn("a worker was killed from outside; its document is tried again", "name", d.Name, "attempt", killed+2)
	err := p.cfg.Leases.NoteWorkerKilled(ctx, l)
	if err != nil && ibid.CodeOf(err) == ibid.CodeDiskFull {
		p.waitForRoom(ctx, l, d)
		return
	}
	if err != nil && ctx.Err() == nil && !ofNoUse(err) {
		p.cfg.Log.Error("cannot write down that a worker was killed", "name", d.Name, "error", err)
	}
	p.nudge()
}

// roomEvery is how often a pipeline looks whether a full disk has room again.
const roomEvery = 2 * time.Second

// waitForRoom keeps a document that could not be written down, as the disk is full,
// and puts it back; the worker has nothing else to do until then.
func (p *Pipeline) waitForRoom(ctx context.Context, l ibid.DocumentLease, d ibid.Document) {
	p.cfg.Log.Error("the disk is full: documents wait until there is room", "name", d.Name)
	for {
		err := p.cfg.Leases.PutBackDocument(ctx, l)
		if ctx.Err() != nil || ofNoUse(err) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(roomEvery):
		}
		if err == nil {
			return
		}
	}
}

// Retry lets a document that failed be read again. The error is a CONFLICT when it
// did not fail.
func (p *Pipeline) Retry(ctx context.Context, view access.View, documentID string) (ibid.Document, error) {
	d, err := p.cfg.Store.RetryDocument(ctx, view, documentID, p.cfg.Now())
	if err != nil {
		return d, err
	}
	p.announce(d.ID)
	p.nudge()
	p.notify(topicQueue)
	return d, nil
}
