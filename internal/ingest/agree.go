package ingest

import (
	"context"
	"fmt"
	"slices"

	"ibid"
)

// Agreement is what comparing the index with the library came to.
type Agreement struct {
	Documents int      `json:"documents"` // with chunks, in the library
	Chunks    int      `json:"chunks"`    // of the library
	Differ    []string `json:"differ"`    // ids of documents that the index holds otherwise, not at all, or still
}

// Compare holds the index against the library, document by document: both must
// have the very same chunks. Nothing is published meanwhile, so what it finds
// is no matter of timing.
func (p *Pipeline) Compare(ctx context.Context) (Agreement, error) {
	p.publish.Lock()
	defer p.publish.Unlock()
	return p.compare(ctx)
}

func (p *Pipeline) compare(ctx context.Context) (Agreement, error) {
	want, err := p.cfg.Library.ChunkSets(ctx)
	if err != nil {
		return Agreement{}, err
	}
	have := p.cfg.Index.ChunkSets()
	a := Agreement{Documents: len(want), Differ: []string{}}
	for id, set := range want {
		a.Chunks += set.Count
		if have[id] != set {
			a.Differ = append(a.Differ, id)
		}
		delete(have, id)
	}
	for id, set := range have {
		if set.Count > 0 {
			a.Differ = append(a.Differ, id)
		}
	}
	slices.Sort(a.Differ)
	return a, nil
}

// agree mends what the index holds otherwise than the library. There should be
// nothing to mend: that it finds something is a fault, and is logged.
func (p *Pipeline) agree(ctx context.Context) error {
	p.publish.Lock()
	defer p.publish.Unlock()
	a, err := p.compare(ctx)
	if err != nil || len(a.Differ) == 0 {
		return err
	}
	p.cfg.Log.Warn("the index and the database disagreed; mended", "documents", len(a.Differ))
	for _, id := range a.Differ {
		if err := p.restore(ctx, id); err != nil {
			return err
		}
	}
	p.saved = -1 // the snapshot is to be written anew
	return nil
}

// restore makes the index hold of one document what the library holds of it.
func (p *Pipeline) restore(ctx context.Context, documentID string) error {
	chunks, err := p.cfg.Library.DocumentChunks(ctx, system, documentID)
	if err != nil {
		return err
	}
	if len(chunks) == 0 {
		p.cfg.Index.Delete(documentID)
		return nil
	}
	d, err := p.cfg.Library.Document(ctx, system, documentID)
	if err != nil {
		return err
	}
	p.cfg.Index.Put(d, chunks)
	return nil
}

// Rebuild makes the index anew from the library, document by document, while
// searches go on, and says what was wrong with the old one. Vectors follow in
// the background.
func (p *Pipeline) Rebuild(ctx context.Context) (Agreement, error) {
	before, err := p.Compare(ctx)
	if err != nil {
		return before, err
	}
	sets, err := p.cfg.Library.ChunkSets(ctx)
	if err != nil {
		return before, err
	}
	for _, id := range before.Differ {
		if _, there := sets[id]; !there { // only the index knows it
			sets[id] = ibid.ChunkSet{}
		}
	}
	for id := range sets {
		if err := ctx.Err(); err != nil {
			return before, err
		}
		if err := p.restoreAlone(ctx, id); err != nil {
			return before, fmt.Errorf("rebuild the index: document %s: %w", id, err)
		}
	}
	if err := p.dropVectors(ctx); err != nil {
		return before, err
	}
	return before, p.saveVectors()
}

func (p *Pipeline) restoreAlone(ctx context.Context, id string) error {
	defer p.turns.take()()
	p.publish.Lock()
	defer p.publish.Unlock()
	return p.restore(ctx, id)
}
