package adding

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

// mustCollect collects to the end.
func mustCollect(t *testing.T, args []string, folder string) Collection {
	t.Helper()
	c, err := Collect(t.Context(), args, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tree makes a folder with these files in it and returns its path.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "papers")
	for _, f := range files {
		ibidtest.WriteFile(t, filepath.Join(root, f), "text of "+f)
	}
	return root
}

// found lists items as NAME@FOLDER, or NAME! for those that cannot be added.
func found(root string, c Collection) []string {
	var out []string
	for _, it := range c.Items {
		name := strings.TrimPrefix(strings.TrimPrefix(it.Name, root), "/")
		if it.err != nil {
			out = append(out, name+"! "+it.err.Error())
			continue
		}
		out = append(out, name+"@"+it.folder)
	}
	return out
}

func wantItems(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("collected\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestCollectFolder(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md", "2024/b.pdf", "2024/q1/c.txt", ".hidden.md", ".git/config", "node_modules/x/readme.md",
		"2024/.cache/d.md", "photo.JPG", "2024/photo.jpg", "2024/archive.tar")
	c := mustCollect(t, []string{root}, "")
	wantItems(t, found(root, c), []string{"a.md@papers", "2024/b.pdf@papers/2024", "2024/q1/c.txt@papers/2024/q1"})
	if got := SkippedText(c.Skipped); got != "1 .tar, 2 .jpg" {
		t.Errorf("left out %s", got)
	}
	ibidtest.WriteFile(t, filepath.Join(root, "scan.png"), strings.Repeat("x", 5000)) // large enough to be a page
	wantItems(t, found(root, mustCollect(t, []string{filepath.Join(root, "scan.png"), root}, "")),
		[]string{"scan.png@", "a.md@papers", "2024/b.pdf@papers/2024", "2024/q1/c.txt@papers/2024/q1"})
	if c := mustCollect(t, []string{root}, ""); len(c.Items) != 4 {
		t.Errorf("a scan in the folder is not taken: %v", found(root, c))
	}
	if err := os.Remove(filepath.Join(root, "scan.png")); err != nil {
		t.Fatal(err)
	}
	wantItems(t, found(root, mustCollect(t, []string{root}, "/contracts/")),
		[]string{"a.md@contracts", "2024/b.pdf@contracts/2024", "2024/q1/c.txt@contracts/2024/q1"})
}

func TestCollectStaysInsideTheFolder(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md", "sub/b.md")
	outside := ibidtest.WriteFile(t, filepath.Join(t.TempDir(), "secret.md"), "secret")
	for link, target := range map[string]string{
		"out.md": outside, "outdir": filepath.Dir(outside), "loop": root, "in.md": filepath.Join(root, "sub", "b.md"), "broken.md": "/nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := mustCollect(t, []string{root}, "")
	wantItems(t, found(root, c), []string{"a.md@papers", "sub/b.md@papers/sub", "in.md@papers"})
	if len(c.Links) != 4 {
		t.Errorf("links that were left out: %q", c.Links)
	}
	// A link that the user names is followed.
	wantItems(t, found(root, mustCollect(t, []string{filepath.Join(root, "out.md")}, "")), []string{"out.md@"})
}

func TestCollectEachFileOnce(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md", "b.md")
	a := filepath.Join(root, "a.md")
	c := mustCollect(t, []string{a, root, a, "https://example.org/x", "https://example.org/x"}, "f")
	if len(c.Items) != 3 {
		t.Errorf("collected %v", found(root, c))
	}
}

func TestCollectPatterns(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md", "b.txt", "x/c.md", "x/y/d.md", "x/y/.e.md", ".h/f.md", "[g].md")
	at := func(pattern string) []string {
		return found(root, mustCollect(t, []string{filepath.Join(root, pattern)}, ""))
	}
	wantItems(t, at("*.md"), []string{"a.md@", "[g].md@"})
	wantItems(t, at("**/*.md"), []string{"a.md@", "[g].md@", "x/c.md@", "x/y/d.md@"})
	wantItems(t, at("x/**"), []string{"x/c.md@", "x/y/d.md@"})
	wantItems(t, at("x/**/d.*"), []string{"x/y/d.md@"})
	wantItems(t, at("[g].md"), []string{"[g].md@"}) // a file of that very name wins over the pattern
	wantItems(t, at("*.pdf"), []string{"*.pdf! matches no file"})
	wantItems(t, at("**/*.pdf"), []string{"**/*.pdf! matches no file"})
	wantItems(t, at("nowhere.md"), []string{"nowhere.md! no such file or folder"})
	if got := at("**/[.md"); len(got) != 1 || !strings.Contains(got[0], "syntax error") {
		t.Errorf("broken pattern: %v", got)
	}
}

func TestCollectURLs(t *testing.T) {
	t.Parallel()
	c := mustCollect(t, []string{"https://example.org/a", "ftp://example.org/b"}, "web")
	if len(c.Items) != 2 || c.Items[0].url != "https://example.org/a" || c.Items[0].folder != "web" || c.Items[1].url == "" {
		t.Errorf("collected %+v", c.Items)
	}
}

// What was added is kept in the data directory: adding that would never end.
func TestCollectLeavesDataDirectoriesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ibidtest.WriteFile(t, filepath.Join(dir, "notes.md"), "a")
	ibidtest.WriteFile(t, filepath.Join(dir, "ibid.db.md"), "b")
	ibidtest.WriteFile(t, filepath.Join(dir, "data", "ibid.db"), "database")
	ibidtest.WriteFile(t, filepath.Join(dir, "data", "files", "ab", "original.md"), "a")
	for _, arg := range []string{dir, filepath.Join(dir, "**", "*.md")} {
		if got := len(mustCollect(t, []string{arg}, "").Items); got != 2 {
			t.Errorf("%s: %d files, want 2", arg, got)
		}
	}
	if got := len(mustCollect(t, []string{filepath.Join(dir, "data")}, "").Items); got != 0 {
		t.Errorf("the data directory itself: %d files", got)
	}
}
