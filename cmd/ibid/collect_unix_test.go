//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ibid/internal/ibidtest"
)

// Neither add nor --watch reads anything but regular files of the folder.
func TestFoldersAreNotLeft(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	secret := ibidtest.WriteFile(t, filepath.Join(t.TempDir(), "secret", "secret.md"), "The password is swordfish.")
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
