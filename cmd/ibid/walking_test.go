package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

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
	ibidtest.WriteFile(t, filepath.Join(dir, "terms.md"), warrantyText)
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
