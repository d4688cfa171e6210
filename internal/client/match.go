package client

import (
	"context"
	"path"

	"ibid"
)

// leastPrefix is how much of an id has to be given.
const leastPrefix = 6

// Named returns the documents that some names mean, each once. All names are looked
// up before anything is done, so that a mistyped one does nothing.
func (c *Client) Named(ctx context.Context, names []string) ([]ibid.Document, error) {
	var all []ibid.Document
	seen := map[string]bool{}
	for _, name := range names {
		found, err := c.FindDocuments(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if !seen[d.ID] {
				seen[d.ID] = true
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// NamedIn returns the documents of a scope that any of the names means, each once.
// Unlike findDocuments it takes all that a plain name fits: nothing is done to them.
func (c *Client) NamedIn(ctx context.Context, scope ibid.Scope, names []string) ([]ibid.Document, error) {
	var all []ibid.Document
	seen := map[string]bool{}
	for _, name := range names {
		var found []ibid.Document
		var err error
		if name != "" && len(name) <= maxNameBytes {
			query := ScopeQuery(scope)
			query["q"] = []string{name}
			found, err = c.DocumentsWhere(ctx, query, func(d ibid.Document) bool { return isCalled(d, name) }, 0)
		}
		if err == nil && len(found) == 0 {
			found, err = c.FindDocuments(ctx, name)
		}
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if !seen[d.ID] && scope.Includes(d) {
				seen[d.ID] = true
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// LibraryPath is a document's folder and name.
func LibraryPath(d ibid.Document) string { return path.Join(d.Folder, d.Name) }
