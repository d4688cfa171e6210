package tool

import (
	"context"
	"fmt"

	"ibid/internal/access"
	"ibid/internal/question"
	"ibid/internal/search"
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
func (n Narrowing) Search(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	if !question.MayMention(q.Text) {
		return n.searcher.Search(ctx, view, q)
	}
	found, rest, err := mentioned(ctx, view, n.library, q.Scope, q.Text)
	if err != nil {
		return search.Result{}, fmt.Errorf("look for documents that the query names: %w", err)
	}
	if len(found) == 0 {
		return n.searcher.Search(ctx, view, q)
	}
	q.Scope.Documents = nil
	for _, d := range found {
		q.Scope.Documents = append(q.Scope.Documents, d.ID)
	}
	if question.Asks(rest) {
		q.Text = rest
	}
	return n.searcher.Search(ctx, view, q)
}
