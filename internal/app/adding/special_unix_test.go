package adding

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ibid/internal/ibidtest"
)

func TestCollectSpecialFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md")
	pipe := filepath.Join(root, "pipe.md")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	wantItems(t, found(root, mustCollect(t, []string{root, pipe, "/dev/null"}, "")), []string{
		"a.md@papers", "pipe.md! a named pipe is not a file to read", "pipe.md! a named pipe is not a file to read",
		"dev/null! a device is not a file to read",
	})
	// One that has taken the place of a file is refused too, without waiting for a writer.
	if _, _, err := OpenRegular("", pipe); err == nil {
		t.Error("a named pipe was opened")
	}
}

// A file of a walked folder that becomes a link out of it, or comes to lie behind
// one, before it is read is not read.
func TestAWalkedFolderIsNotLeft(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md", "in/b.md", "in/link.md")
	outside := ibidtest.WriteFile(t, filepath.Join(t.TempDir(), "b.md"), "secret")
	items := mustCollect(t, []string{root}, "").Items
	replace := func(old, link, to string) {
		if err := os.RemoveAll(filepath.Join(root, old)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	replace("a.md", "a.md", outside)
	replace("in", "in", filepath.Dir(outside))
	for _, it := range items {
		if f, _, err := OpenRegular(it.root, it.path); err == nil {
			f.Close()
			t.Errorf("%s was read", it.Name)
		}
	}
	if len(items) != 3 {
		t.Errorf("%d files", len(items))
	}
}
