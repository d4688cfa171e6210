//go:build unix

package document_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ibid/internal/document"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	pool := newPool(t, document.Limits{})
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("file"), []byte("Words."), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "file", "dangling": "none", "loop": "loop", "tofifo": "fifo"} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", at("s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	tests := []struct {
		path     string
		noFollow bool
		want     string
	}{
		{at("fifo"), false, "this is a named pipe, not a regular file"},
		{at("tofifo"), false, "this is a named pipe, not a regular file"},
		{at("link"), true, "this is a symbolic link, not a regular file"},
		{at("dangling"), false, "there is no such file"},
		{at("s"), false, "this is a socket, not a regular file"},
		{"/dev/zero", false, "this is a device, not a regular file"},
	}
	for _, test := range tests {
		_, err := pool.Extract(context.Background(), document.Request{Path: test.path, NoFollow: test.noFollow}, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", filepath.Base(test.path), err, test.want)
		}
	}
	if _, err := pool.Extract(context.Background(), document.Request{Path: at("loop")}, nil); err == nil {
		t.Error("a link to itself was read")
	}
	mustExtract(t, pool, document.Request{Path: at("link")})
}
