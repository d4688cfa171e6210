package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"ibid"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

// CheckScope refuses a category, folder or tag that no document has. It was
// mistyped, and searching there would only find nothing.
func (c *Client) CheckScope(ctx context.Context, scope ibid.Scope) error {
	if err := c.checkLabel(ctx, "category", scope.Category); err != nil {
		return err
	}
	if err := c.checkLabel(ctx, "folder", strings.Trim(scope.Folder, "/")); err != nil {
		return err
	}
	for _, tag := range scope.Tags {
		if err := c.checkLabel(ctx, "tag", tag); err != nil {
			return err
		}
	}
	return nil
}

// checkLabel reports that no document has a label of a kind; "" stands for none.
func (c *Client) checkLabel(ctx context.Context, kind, name string) error {
	if name == "" {
		return nil
	}
	if len(name) <= maxNameBytes {
		for used, err := range c.labels(ctx, kind, name) {
			if err != nil || used == name {
				return err
			}
		}
	}
	var names []string
	for used, err := range c.labels(ctx, kind, "") {
		if err != nil {
			return err
		}
		if names = append(names, used); len(names) == maxSuggested {
			break
		}
	}
	none := ibid.Errorf(ibid.CodeNotFound, "no document has the %s %q", kind, name)
	switch near := say.Nearest(name, names); {
	case near != "":
		none.Hint = fmt.Sprintf("did you mean %q?", near)
	case len(names) > 0 && len(names) <= 10:
		none.Hint = "there are: " + strings.Join(names, ", ")
	}
	return none
}

// labels yields the labels of a kind that are in use and have a text in them, by name.
func (c *Client) labels(ctx context.Context, kind, called string) iter.Seq2[string, error] {
	return ibid.Each(func(page ibid.Page) (names []string, next string, err error) {
		query := pageQuery(page.Cursor, page.Limit)
		if called != "" {
			query.Set("q", called)
		}
		read := func(path string) request { return request{method: http.MethodGet, path: path, query: query} }
		switch kind {
		case "category":
			part, err := answer[api.Categories](ctx, c, read("/v1/categories"))
			return namesOf(part.Categories), part.Next, err
		case "tag":
			part, err := answer[api.Tags](ctx, c, read("/v1/tags"))
			return namesOf(part.Tags), part.Next, err
		}
		part, err := answer[api.Folders](ctx, c, read("/v1/folders"))
		return pathsBelow(part.Folder), part.Next, err
	})
}

func namesOf(labels []ibid.LabelCount) []string {
	var names []string
	for _, l := range labels {
		names = append(names, l.Name)
	}
	return names
}

// pathsBelow returns the paths of the folders in a tree, each before what is in it.
func pathsBelow(folder *api.Folder) []string {
	if folder == nil {
		return nil
	}
	var paths []string
	for _, sub := range folder.Folders {
		paths = append(append(paths, sub.Path), pathsBelow(sub)...)
	}
	return paths
}
