package adding

import (
	"testing"

	"ibid"
)

// Whoever reaches a server from elsewhere may not read what its user may.
func TestOnlyLocalServersFollowFolders(t *testing.T) {
	t.Parallel()
	f := &Folders{}
	if _, err := f.Watch(t.Context(), t.TempDir(), ""); ibid.CodeOf(err) != ibid.CodeForbidden {
		t.Errorf("a server on the network follows a folder: %v", err)
	}
}

func TestWatchesHavePages(t *testing.T) {
	t.Parallel()
	f := &Folders{}
	var release []func()
	for _, path := range []string{"/a", "/b", "/c", "/d", "/e"} {
		release = append(release, f.Hold(path, ""))
	}
	paths := func(page ibid.Page) (got, next string) {
		watches, next, err := f.List(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range watches {
			got += w.Path
		}
		return got, next
	}
	first, next := paths(ibid.Page{Limit: 2})
	release[1]() // the one that the cursor is made of
	f.Hold("/f", "")
	rest, end := paths(ibid.Page{Limit: 50, Cursor: next})
	if first != "/a/b" || next == "" || rest != "/c/d/e/f" || end != "" {
		t.Errorf("the pages are %s (%q) and %s (%q)", first, next, rest, end)
	}
	if all, next := paths(ibid.Page{Limit: 5}); all != "/a/c/d/e/f" || next != "" {
		t.Errorf("all are %s, %q", all, next)
	}
	if _, _, err := f.List(ibid.Page{Cursor: "x"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a bad cursor: %v", err)
	}
}
