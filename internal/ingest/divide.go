package ingest

import (
	"context"
	"fmt"

	"ibid"
)

// divideAll gives every document that has none yet its sections and sentences:
// those of a library that an older ibid has written. Their passages, and what
// is searched, stay as they are.
func (p *Pipeline) divideAll() {
	page := ibid.Page{Limit: ibid.MaxLimit}
	var err error
	for more := true; more && err == nil; more = page.Cursor != "" {
		var ids []string
		ids, page.Cursor, err = p.cfg.Divider.Undivided(p.base, page)
		for _, id := range ids {
			if err == nil {
				err = p.divideDocument(p.base, id)
			}
		}
	}
	if err != nil && p.base.Err() == nil {
		p.cfg.Log.Warn("cannot divide a document into sections and sentences", "error", err)
	}
}

func (p *Pipeline) divideDocument(ctx context.Context, documentID string) error {
	defer p.slots.take()()
	p.publish.Lock() // no other version takes its place meanwhile
	defer p.publish.Unlock()
	passages, err := p.allPassages(ctx, documentID)
	if err != nil || len(passages) == 0 {
		return err
	}
	x, err := p.cfg.Divider.Extract(ctx, system, documentID, passages[0].Version)
	if err != nil {
		return fmt.Errorf("read the text of document %s: %w", documentID, err)
	}
	doc := ibid.Document{ID: documentID, Version: passages[0].Version}
	return p.cfg.Divider.Divide(ctx, documentID, ChunkLevels(doc, x, passages))
}
