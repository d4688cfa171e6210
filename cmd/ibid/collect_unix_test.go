//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
	if _, _, err := openRegular("", pipe); err == nil {
		t.Error("a named pipe was opened")
	}
}

// A file of a walked folder that becomes a link out of it, or comes to lie behind
// one, before it is read is not read.
func TestAWalkedFolderIsNotLeft(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.md", "in/b.md", "in/link.md")
	outside := write(t, filepath.Join(t.TempDir(), "b.md"), "secret")
	items := mustCollect(t, []string{root}, "").items
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
		if f, _, err := openRegular(it.root, it.path); err == nil {
			f.Close()
			t.Errorf("%s was read", it.name)
		}
	}
	if len(items) != 3 {
		t.Errorf("%d files", len(items))
	}
}

// Neither add nor --watch reads anything but regular files of the folder.
func TestFoldersAreNotLeft(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	secret := write(t, filepath.Join(t.TempDir(), "secret", "secret.md"), "The password is swordfish.")
	good := h.file("terms.md", warrantyText)
	dir := filepath.Dir(good)
	for link, to := range map[string]string{"out.md": secret, "dir": filepath.Dir(secret), "loop": dir, "null.md": "/dev/null"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	code, out, errs := h.run("add", dir)
	if code != exitFailed || !strings.Contains(out, "terms.md: ") || !strings.Contains(out, "pipe.md: a named pipe is not a file to read") || strings.Count(out, "\n") != 2 {
		t.Errorf("add: %d\n%s%s", code, out, errs)
	}
	h.must("rm", "terms.md")
	w := h.start("add", "--watch", dir)
	w.await(w.out, `terms\.md: `)
	w.cmd.Process.Signal(os.Interrupt)
	if code := w.end(); code != exitOK {
		t.Errorf("--watch ended with %d", code)
	}
	if out := h.must("ls"); strings.Count(out, ".md") != 1 || strings.Contains(h.must("search", "--json", "swordfish"), "password") {
		t.Errorf("the library holds\n%s", out)
	}
}
