package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"ibid"
	"ibid/internal/server/api"
)

// A look through a folder ends where it stands when it is cancelled, and at once
// where the file system keeps it.
func TestALookCanBeCancelled(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("%02d/%03d.md", i/20, i))
	}
	root := tree(t, names...)
	ctx, cancel := context.WithCancel(t.Context())
	var told []int
	c, err := walking{ctx, func(files int) {
		if told = append(told, files); files > 0 {
			cancel()
		}
	}}.collect([]string{root, filepath.Join(root, "**/*.md")}, "")
	if !errors.Is(err, context.Canceled) || len(c.items) > 2*tellEvery {
		t.Errorf("%d files after it was cancelled at %v: %v", len(c.items), told, err)
	}
	if _, err := collect(ctx, []string{root}, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was cancelled before: %v", err)
	}
	hangs := make(chan struct{})
	defer close(hangs)
	if _, err := atLatest(ctx, func() (int, error) { <-hangs; return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that hangs: %v", err)
	}
}

func TestALookTakesOnlySoManyFiles(t *testing.T) {
	t.Parallel()
	w := walking{ctx: t.Context()}
	if err := w.goOn(mostCollected); err != nil {
		t.Error(err)
	}
	if err := w.goOn(mostCollected + 1); ibid.CodeOf(err) != ibid.CodeBadRequest || err == nil {
		t.Errorf("one more: %v", err)
	}
}

func TestWhatTheSystemMakesUpIsLeftOut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc")
	}
	if c := mustCollect(t, []string{"/proc", "/dev", "/proc/**"}, ""); len(c.items) != 1 || !slices.Equal(c.system, []string{"/proc", "/dev"}) {
		t.Errorf("%d items, left out %v", len(c.items), c.system) // the one says that the pattern matches nothing
	}
}

// A folder as large as the disk holds up neither the others that are followed, nor
// its own end, nor the server's.
func TestWatchingTheWholeDisk(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, url := h.serve()
	dir := filepath.Join(h.home, "followed")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "terms.md"), warrantyText)
	for _, path := range []string{"/", dir} {
		if status := send(t, "POST", url+"/v1/watches", fmt.Sprintf(`{"path":%q}`, path)); status != http.StatusCreated {
			t.Fatalf("%s: status %d", path, status)
		}
	}
	at := func(all []api.Watch, path string) api.Watch {
		return all[slices.IndexFunc(all, func(w api.Watch) bool { return w.Path == path })]
	}
	all := watches(t, url, "one file followed", func(all []api.Watch) bool {
		small := at(all, dir)
		return small.State == "followed" && small.Files == 1
	})
	if status := send(t, "DELETE", url+"/v1/watches/"+at(all, "/").ID, ""); status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
	if status := send(t, "POST", url+"/v1/watches", `{"path":"/"}`); status != http.StatusCreated { // in work when the server ends
		t.Errorf("status %d", status)
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
