package client

import (
	"context"
	"fmt"
	"ibid/internal/glob"
	"ibid/internal/server/api"
	"net/http"
	"net/url"
	"path"
	"strings"

	"ibid"
)

// Removed returns all that can be taken back, the latest removal first.
func (c *Client) Removed(ctx context.Context) ([]ibid.Removed, error) {
	var all []ibid.Removed
	query := url.Values{"limit": {fmt.Sprint(ibid.MaxLimit)}}
	for {
		part, err := answer[api.Removed](ctx, c, request{method: http.MethodGet, path: "/v1/removed", query: query})
		if err != nil {
			return nil, err
		}
		all = append(all, part.Removed...)
		if part.Next == "" {
			return all, nil
		}
		query.Set("cursor", part.Next)
	}
}

// Restore takes a removal back. Doing it twice does no harm, but for databases.
func (c *Client) Restore(ctx context.Context, r ibid.Removed) error {
	call := post("/v1/"+string(r.Kind)+"s/"+url.PathEscape(r.ID)+"/restore", nil)
	call.once = r.Kind == ibid.RemovedDatabase
	return c.call(ctx, call, nil)
}

// FindRemoved returns what a name on the command line means among what was
// removed: by id, library path, name, the beginning of an id, or as a pattern. A
// name that fits several is an error unless it is a pattern.
func FindRemoved(removed []ibid.Removed, name string) ([]ibid.Removed, error) {
	for _, fit := range []func(ibid.Removed) bool{
		func(r ibid.Removed) bool { return r.ID == name },
		func(r ibid.Removed) bool { return RemovedPath(r) == name },
		func(r ibid.Removed) bool { return r.Name == name },
		func(r ibid.Removed) bool { return len(name) >= leastPrefix && strings.HasPrefix(r.ID, name) },
	} {
		found := SelectRemoved(removed, fit)
		if len(found) > 1 {
			return nil, severalRemoved(name, found)
		}
		if len(found) == 1 {
			return found, nil
		}
	}
	var found []ibid.Removed
	if glob.Is(name) {
		if _, err := path.Match(name, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern: %w", name, err)
		}
		found = SelectRemoved(removed, func(r ibid.Removed) bool {
			byName, _ := path.Match(name, r.Name)
			byPath, _ := path.Match(name, RemovedPath(r))
			return byName || byPath
		})
	}
	if len(found) > 0 {
		return found, nil
	}
	err := ibid.Errorf(ibid.CodeNotFound, "nothing that was removed lately is called %q", name)
	err.Hint = "`ibid undo` lists what can be taken back"
	return nil, err
}

func SelectRemoved(removed []ibid.Removed, fit func(ibid.Removed) bool) []ibid.Removed {
	var found []ibid.Removed
	for _, r := range removed {
		if fit(r) {
			found = append(found, r)
		}
	}
	return found
}

func severalRemoved(name string, found []ibid.Removed) error {
	var lines []string
	for _, r := range found {
		lines = append(lines, fmt.Sprintf("%s  %s %s, removed %s", r.ID, RemovedKind(r), RemovedPath(r), r.RemovedAt.Local().Format("2006-01-02 15:04")))
	}
	err := ibid.Errorf(ibid.CodeBadRequest, "%q fits %d that were removed:\n  %s", name, len(found), strings.Join(lines, "\n  "))
	err.Hint = "name one by its id"
	return err
}

// RemovedPath is what was removed as people see it: a document in its folder.
func RemovedPath(r ibid.Removed) string { return path.Join(r.Folder, r.Name) }

// RemovedKind is the word for a kind on the command line.
func RemovedKind(r ibid.Removed) string {
	if r.Kind == ibid.RemovedThread {
		return "conversation"
	}
	return string(r.Kind)
}
