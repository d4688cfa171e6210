package client

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ibid"
	"ibid/internal/glob"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func documentPath(id, action string) string { return "/v1/documents/" + url.PathEscape(id) + action }

// Document returns a document by its id.
func (c *Client) Document(ctx context.Context, id string) (ibid.Document, error) {
	return answer[ibid.Document](ctx, c, get(documentPath(id, "")))
}

// Move tells the library that a document's file lies elsewhere now. Doing it
// twice does no harm.
func (c *Client) Move(ctx context.Context, id, source, name, folder string) error {
	r := post(documentPath(id, ""), api.DocumentChange{Source: &source, Name: &name, Folder: &folder})
	r.method, r.once = http.MethodPatch, false
	return c.call(ctx, r, nil)
}

// DeleteDocument removes a document; Restore takes that back.
func (c *Client) DeleteDocument(ctx context.Context, id string) error {
	return c.call(ctx, remove(documentPath(id, "")), nil)
}

// CancelDocument stops the work on a document.
func (c *Client) CancelDocument(ctx context.Context, id string) (ibid.Document, error) {
	return answer[ibid.Document](ctx, c, request{method: http.MethodPost, path: documentPath(id, "/cancel")})
}

// listLimit is how many entries of a list a command asks for at a time.
const listLimit = ibid.MaxLimit

// EachDocument yields the documents that a query of GET /v1/documents asks for, a
// page in memory at a time. It ends with the first error.
func (c *Client) EachDocument(ctx context.Context, query url.Values) iter.Seq2[ibid.Document, error] {
	return func(yield func(ibid.Document, error) bool) {
		r := get("/v1/documents")
		r.query = url.Values{"limit": {strconv.Itoa(listLimit)}}
		for name, values := range query {
			r.query[name] = values
		}
		for {
			part, err := answer[api.Documents](ctx, c, r)
			if err != nil {
				yield(ibid.Document{}, err)
				return
			}
			for _, d := range part.Documents {
				if !yield(d, nil) {
					return
				}
			}
			if part.Next == "" {
				return
			}
			r.query.Set("cursor", part.Next)
		}
	}
}

// DocumentsWhere returns the documents that a query asks for and keep lets through;
// nil lets all through. At most limit are returned; 0 is no limit.
func (c *Client) DocumentsWhere(ctx context.Context, query url.Values, keep func(ibid.Document) bool, limit int) ([]ibid.Document, error) {
	var found []ibid.Document
	for d, err := range c.EachDocument(ctx, query) {
		if err != nil {
			return nil, err
		}
		if keep != nil && !keep(d) {
			continue
		}
		if found = append(found, d); len(found) == limit {
			break
		}
	}
	return found, nil
}

// ScopeQuery asks for the documents of a category, of a folder, and with all tags.
func ScopeQuery(scope ibid.Scope) url.Values {
	query := url.Values{"tag": scope.Tags}
	if scope.Category != "" {
		query.Set("category", scope.Category)
	}
	if scope.Folder != "" {
		query.Set("folder", scope.Folder)
	}
	return query
}

// maxSuggested is how many names a mistyped one is compared with.
const maxSuggested = 5000

// maxAmbiguous is how many documents are named to somebody whose name fits several.
const maxAmbiguous = 20

// FindDocuments returns the documents that a name on the command line means: an id or its
// beginning, a file name, the path or URL it was added from, or a pattern over names
// and library paths. A name that fits several documents is an error unless it is a
// pattern.
func (c *Client) FindDocuments(ctx context.Context, name string) ([]ibid.Document, error) {
	if name == "" {
		return nil, c.notFound(ctx, name)
	}
	for _, way := range waysOf(name) {
		found, err := c.DocumentsWhere(ctx, way.query, way.fits, maxAmbiguous)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 1:
			return found, nil
		case len(found) > 1:
			return nil, severalFit(name, found)
		}
	}
	if !glob.Is(name) {
		return nil, c.notFound(ctx, name)
	}
	if _, err := path.Match(name, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern: %w", name, err)
	}
	found, err := c.DocumentsWhere(ctx, nil, func(d ibid.Document) bool { return fitsPattern(d, name) }, 0)
	if err == nil && len(found) == 0 {
		err = c.notFound(ctx, name)
	}
	return found, err
}

// way is a way to find documents by what they are called.
type way struct {
	query url.Values
	fits  func(ibid.Document) bool
}

// waysOf returns the ways in which a name may mean a document, the surest first.
func waysOf(name string) []way {
	folder, base := path.Split(name)
	ways := []way{
		{url.Values{"document": {name}}, nil},
		{url.Values{"source": {name}}, nil},
		{url.Values{"in_folder": {folder}, "name": {base}}, func(d ibid.Document) bool { return LibraryPath(d) == name }},
		{url.Values{"q": {name}}, func(d ibid.Document) bool { return isCalled(d, name) }},
	}
	if len(name) >= leastPrefix {
		ways = append(ways, way{url.Values{"id": {name}}, nil})
	}
	if len(name) > maxNameBytes {
		ways = slices.Delete(ways, 3, 4)
	}
	return ways
}

// maxNameBytes is how long the part of a name may be that the server looks for.
const maxNameBytes = 1000

func isCalled(d ibid.Document, name string) bool { return d.Name == name || d.Title == name }

func fitsPattern(d ibid.Document, pattern string) bool {
	for _, s := range []string{d.Name, LibraryPath(d), d.Source} {
		if ok, _ := path.Match(pattern, s); ok {
			return true
		}
	}
	return false
}

func (c *Client) notFound(ctx context.Context, name string) error {
	err := ibid.Errorf(ibid.CodeNotFound, "there is no document %q", name)
	err.Hint = "`ibid ls` lists them"
	documents, failed := c.DocumentsWhere(ctx, nil, nil, maxSuggested)
	if failed != nil {
		return failed
	}
	var names []string
	for _, d := range documents {
		names = append(names, d.Name)
	}
	if near := say.Nearest(name, names); near != "" {
		err.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return err
}

func severalFit(name string, found []ibid.Document) error {
	var lines []string
	for _, d := range found {
		lines = append(lines, d.ID+"  "+cmp.Or(d.Source, LibraryPath(d)))
	}
	many := strconv.Itoa(len(found))
	if len(found) == maxAmbiguous {
		many = "at least " + many
	}
	err := ibid.Errorf(ibid.CodeBadRequest, "%q fits %s documents:\n  %s", name, many, strings.Join(lines, "\n  "))
	err.Hint = "name one by its id"
	return err
}

// ToRetry returns the documents that names mean, or all that failed.
func (c *Client) ToRetry(ctx context.Context, names []string, failed bool) ([]ibid.Document, error) {
	if !failed {
		return c.Named(ctx, names)
	}
	return c.DocumentsWhere(ctx, url.Values{"status": {string(ibid.DocumentFailed)}}, nil, 0)
}

// Settled waits until nothing more happens to a document.
func (c *Client) Settled(ctx context.Context, id string) (ibid.Document, error) {
	for n := 0; ; n++ {
		d, err := c.Document(ctx, id)
		if err != nil || d.Status == ibid.DocumentReady || d.Status == ibid.DocumentFailed {
			return d, err
		}
		if err := waitALittle(ctx, n); err != nil {
			return d, err
		}
	}
}

func (c *Client) RetryDocument(ctx context.Context, id string) (ibid.Document, error) {
	return answer[ibid.Document](ctx, c, request{method: http.MethodPost, path: documentPath(id, "/retry"), once: true})
}

// waitALittle waits 50 ms at first, and up to half a second later on.
func waitALittle(ctx context.Context, n int) error {
	select {
	case <-time.After(min(50*time.Millisecond*time.Duration(n+1), 500*time.Millisecond)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unchanged returns the documents of the files that need not be sent, nil for the
// others, in their order.
func (c *Client) Unchanged(ctx context.Context, files []api.KnownFile) ([]*ibid.Document, error) {
	if len(files) == 0 {
		return nil, nil
	}
	r := post("/v1/documents/unchanged", api.KnownFiles{Files: files})
	r.once = false
	known, err := answer[api.Unchanged](ctx, c, r)
	if err != nil {
		return nil, err
	}
	if len(known.Unchanged) != len(files) {
		return nil, fmt.Errorf("ask what is unchanged: the server answered for %d of %s", len(known.Unchanged), say.Count(len(files), "file"))
	}
	return known.Unchanged, nil
}
