//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestCollectSpecialFiles(t *testing.T) {
	root := tree(t, "a.md")
	pipe := filepath.Join(root, "pipe.md")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	wantItems(t, found(root, collect([]string{root, pipe, "/dev/null"}, "")), []string{
		"a.md@papers", "pipe.md! a named pipe is not a file to read", "pipe.md! a named pipe is not a file to read",
		"dev/null! a device is not a file to read",
	})
	// One that has taken the place of a file is refused too, without waiting for a writer.
	if _, _, err := openRegular(pipe); err == nil {
		t.Error("a named pipe was opened")
	}
}
