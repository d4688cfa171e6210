package tool

import (
	"context"
	"fmt"

	"ibid/internal/search"
	"ibid/internal/text"
)

// Narrowing is a Searcher that looks only into the documents that a query names:
// "what does report-2023.pdf say about margins" searches that file for margins.
type Narrowing struct {
	searcher Searcher
	library  Library
}

// NewNarrowing returns the searcher over another one.
func NewNarrowing(s Searcher, library Library) Narrowing { return Narrowing{s, library} }

// Search searches the documents of the query's scope that it names, for what is
// left of it without their names; all of them where it names none.
func (n Narrowing) Search(ctx context.Context, q search.Query) (search.Result, error) {
	if !text.MayMention(q.Text) {
		return n.searcher.Search(ctx, q)
	}
	docs, err := n.library.Documents(ctx, q.Scope)
	if err != nil {
		return search.Result{}, fmt.Errorf("look for documents that the query names: %w", err)
	}
	called := make([][]string, len(docs))
	for i, d := range docs {
		called[i] = names(d)
	}
	found, rest := text.Mentions(q.Text, called)
	if len(found) == 0 {
		return n.searcher.Search(ctx, q)
	}
	q.Scope.Documents = nil
	for _, i := range found {
		q.Scope.Documents = append(q.Scope.Documents, docs[i].ID)
	}
	if text.Asks(rest) {
		q.Text = rest
	}
	return n.searcher.Search(ctx, q)
}
