package app

import (
	"cmp"
	"context"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/document"
	"ibid/internal/ingest"
	"ibid/internal/search"
	"ibid/internal/store/sqlite"
)

// passages is the database as search wants it.
type passages struct{ *sqlite.DB }

// Documents returns the named documents.
func (p passages) Documents(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error) {
	return p.DocumentsByID(ctx, view, ids)
}

// shelf is the database as tools want it.
type shelf struct{ *sqlite.DB }

// Text returns what the searched version of a document says.
func (s shelf) Text(ctx context.Context, view access.View, documentID string) (ibid.Extract, error) {
	return s.Extract(ctx, view, documentID, "")
}

// finder searches in the way that is configured, where a query does not say,
// and returns no more passages than is configured.
type finder struct {
	*search.Searcher
	mode search.Mode
	most int
}

// Search returns the best passages.
func (f finder) Search(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	q.Mode = cmp.Or(q.Mode, f.mode)
	q.Limit = min(q.Limit, f.most)
	return f.Searcher.Search(ctx, view, q)
}

// Among ranks passages that were found in another way.
func (f finder) Among(ctx context.Context, view access.View, q search.Query, chunkIDs []string) (search.Result, error) {
	q.Mode = cmp.Or(q.Mode, f.mode)
	q.Limit = min(q.Limit, f.most)
	return f.Searcher.Among(ctx, view, q, chunkIDs)
}

// Propositions returns the best sentences.
func (f finder) Propositions(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	q.Mode = cmp.Or(q.Mode, f.mode)
	q.Limit = min(q.Limit, f.most)
	return f.Searcher.Propositions(ctx, view, q)
}

// files is the worker pool as ingest wants it.
type files struct{ *document.Pool }

// Extract reads a file.
func (f files) Extract(ctx context.Context, o ingest.Original, progress func(page, pages int)) (ibid.Extract, error) {
	req := document.Request{Path: o.Path, Name: o.Name, Password: o.Password, Killed: o.Killed}
	return f.Pool.Extract(ctx, req, func(p document.Progress) { progress(p.Page, p.Pages) })
}

// Members opens an archive or a message.
func (f files) Members(ctx context.Context, o ingest.Original, each func(name string, data []byte) error) (notice string, err error) {
	req := document.Request{Path: o.Path, Name: o.Name, Killed: o.Killed}
	return f.Pool.Members(ctx, req, func(m document.Member) error { return each(m.Name, m.Data) })
}

// PageImage renders a page.
func (f files) PageImage(ctx context.Context, path string, page, width int) ([]byte, error) {
	return f.RenderPage(ctx, document.Request{Path: path}, page, width) // without a password: none is kept
}
