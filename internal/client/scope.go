package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/say"
)

// CheckScope refuses a category, folder or tag that no document has. It was
// mistyped, and searching there would only find nothing.
func (c *Client) CheckScope(ctx context.Context, scope ibid.Scope) error {
	if scope.Category == "" && scope.Folder == "" && len(scope.Tags) == 0 {
		return nil
	}
	used, err := c.Labels(ctx)
	if err != nil {
		return err
	}
	if err := among("category", scope.Category, used.Categories); err != nil {
		return err
	}
	if err := among("folder", strings.Trim(scope.Folder, "/"), used.Folders); err != nil {
		return err
	}
	for _, tag := range scope.Tags {
		if err := among("tag", tag, used.Tags); err != nil {
			return err
		}
	}
	return nil
}

// among reports that there is no name of a kind; "" stands for none.
func among(kind, name string, names []string) error {
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	err := ibid.Errorf(ibid.CodeNotFound, "no document has the %s %q", kind, name)
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
	switch near := say.Nearest(name, names); {
	case near != "":
		err.Hint = fmt.Sprintf("did you mean %q?", near)
	case len(names) > 0 && len(names) <= 10:
		err.Hint = "there are: " + strings.Join(names, ", ")
	}
	return err
}
