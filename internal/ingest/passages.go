package ingest

import (
	"context"
	"iter"

	"ibid"
)

// passagesOf yields the passages of a document in the order of its text, a page of them
// in memory at a time.
func (p *Pipeline) passagesOf(ctx context.Context, documentID string) iter.Seq2[ibid.Chunk, error] {
	return ibid.Each(func(page ibid.Page) ([]ibid.Chunk, string, error) {
		return p.cfg.Library.DocumentChunks(ctx, system, documentID, page)
	})
}

// allPassages returns the passages of one document. Together they are its text, which
// is in memory as a whole wherever a document is read, divided or told to an engine.
func (p *Pipeline) allPassages(ctx context.Context, documentID string) ([]ibid.Chunk, error) {
	var all []ibid.Chunk
	for c, err := range p.passagesOf(ctx, documentID) {
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
