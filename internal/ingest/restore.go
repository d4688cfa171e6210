package ingest

import (
	"context"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
)

// Remove takes a document out of the library and out of search at once, and with
// an archive or a message what came out of it. Restore takes it back.
func (p *Pipeline) Remove(ctx context.Context, view access.View, documentID string) error {
	p.publish.Lock()
	defer p.publish.Unlock()
	removed, _, err := p.cfg.Store.RemoveDocument(ctx, view, documentID, p.cfg.Now())
	if err != nil {
		return err
	}
	p.tellLater()
	for _, id := range removed {
		p.jobs.supersede(id, "")
		p.announce(id)
	}
	return nil
}

// Restore takes the removal of a document back, and with an archive or a message
// that of what went with it, and returns the document as it stands. It is searched
// at once, as its chunks are made of the text that was kept; vectors follow as for
// a new document. A document that is not removed is returned as it is. The error
// is a CONFLICT when another document has taken its place, and a NOT_FOUND when it
// has been swept, or is due to be, or never was there.
//
// Every document is restored in a transaction of its own, the archive first. Open
// finishes what a crash cuts short.
func (p *Pipeline) Restore(ctx context.Context, view access.View, documentID string) (ibid.Document, error) {
	since := p.cfg.Now().Add(-p.cfg.KeepRemoved)
	removed := ibid.Each(func(page ibid.Page) ([]ibid.Document, string, error) {
		return p.cfg.Store.RemovedWith(ctx, view, documentID, since, page)
	})
	for d, err := range removed {
		if err != nil {
			return ibid.Document{}, err
		}
		err = p.restoreRemoved(ctx, d)
		if code := ibid.CodeOf(err); err != nil && d.ID != documentID && (code == ibid.CodeConflict || code == ibid.CodeNotFound) {
			// The archive is back; one of its files cannot come.
			p.cfg.Log.Warn("not all that came out of a restored archive is restored", "name", d.Name, "error", err)
			continue
		}
		if err != nil {
			return ibid.Document{}, fmt.Errorf("restore %s: %w", d.Name, err)
		}
	}
	p.nudgeEmbed()
	p.nudgeNamer()
	p.nudge() // what was waiting waits again
	p.notify(topicQueue)
	d, err := p.cfg.Library.Document(ctx, view, documentID)
	if err != nil && ibid.CodeOf(err) == ibid.CodeNotFound {
		return d, ibid.NotRestorable("document", documentID)
	}
	return d, err
}

func (p *Pipeline) restoreRemoved(ctx context.Context, d ibid.Document) error {
	var levels, passages []ibid.Chunk
	var named []ibid.Naming
	if d.Version != "" {
		x, err := p.cfg.Divider.Extract(ctx, system, d.ID, d.Version)
		if err != nil {
			return fmt.Errorf("read the text that was kept: %w", err)
		}
		passages = p.passages(d, x)
		levels, named = p.levels(d, x, passages)
	}
	if err := p.publishRestored(ctx, d.ID, levels, passages, named); err != nil {
		return err
	}
	p.embedFitted(ctx, passages)
	p.announce(d.ID)
	return nil
}

// levels returns a document's chunks of all levels, and what its passages name.
func (p *Pipeline) levels(d ibid.Document, x ibid.Extract, passages []ibid.Chunk) ([]ibid.Chunk, []ibid.Naming) {
	defer p.slots.take()()
	return ChunkLevels(d, x, passages), Namings(passages)
}

func (p *Pipeline) publishRestored(ctx context.Context, id string, levels, passages []ibid.Chunk, named []ibid.Naming) error {
	defer p.slots.take()()
	p.publish.Lock()
	defer p.publish.Unlock()
	d, change, restored, err := p.cfg.Store.RestoreDocument(ctx, system, id, p.cfg.Now().Add(-p.cfg.KeepRemoved), levels, named)
	if err != nil || !restored {
		return err
	}
	p.tellOf(engine.Put{Number: change, Document: d, Passages: passages})
	return nil
}

// finishRestores restores what a crash has left removed of archives that are
// restored.
func (p *Pipeline) finishRestores(ctx context.Context) error {
	half := ibid.Each(func(page ibid.Page) ([]string, string, error) { return p.cfg.Store.HalfRestored(ctx, page) })
	for id, err := range half {
		if err != nil {
			return err
		}
		if _, err := p.Restore(ctx, system, id); err != nil && ctx.Err() == nil {
			p.cfg.Log.Warn("cannot restore all that came out of an archive", "document", id, "error", err)
		}
	}
	return ctx.Err()
}
