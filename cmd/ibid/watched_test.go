package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// watches waits until what is said of the watched folders is as wanted.
func watches(t *testing.T, url, what string, wanted func([]api.Watch) bool) []api.Watch {
	t.Helper()
	var answer struct{ Watches []api.Watch }
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if getInto(t, url+"/v1/watches", &answer); wanted(answer.Watches) {
			return answer.Watches
		}
	}
	t.Fatalf("never %s: %+v", what, answer.Watches)
	return nil
}

func send(t *testing.T, method, url, body string) int {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// The server follows a folder that it was told of, after a restart too, until
// it is told to leave it; the documents stay then.
func TestServerFollowsFolders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, url := h.serve()
	dir := filepath.Join(h.home, "followed")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	put := func(name string) {
		path := ibidtest.WriteFile(t, filepath.Join(dir, name), warrantyText)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	put("terms.md")
	for _, wrong := range []string{`{"path":"followed"}`, `{"path":"/no/such/folder"}`, `{"path":"` + filepath.Join(dir, "terms.md") + `"}`} {
		if status := send(t, "POST", url+"/v1/watches", wrong); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", wrong, status)
		}
	}
	for range 2 { // the second time says nothing new
		if status := send(t, "POST", url+"/v1/watches", `{"path":"~/followed","folder":"papers"}`); status != http.StatusCreated {
			t.Fatalf("status %d", status)
		}
	}
	one := func(w []api.Watch) bool {
		return len(w) == 1 && w[0].State == "followed" && w[0].Files == 1 && w[0].By == "server"
	}
	watches(t, url, "one file followed", one)
	var library struct{ Documents []ibid.Document }
	getInto(t, url+"/v1/documents?folder=papers", &library)
	if len(library.Documents) != 1 || library.Documents[0].Name != "terms.md" {
		t.Fatalf("the library holds %+v", library.Documents)
	}

	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.end(); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	put("more.md")
	_, url = h.serve()
	all := watches(t, url, "two files followed", func(w []api.Watch) bool { return len(w) == 1 && w[0].Files == 2 })

	gone := dir + " away"
	if err := os.Rename(dir, gone); err != nil {
		t.Fatal(err)
	}
	watches(t, url, "missing", func(w []api.Watch) bool { return w[0].State == "missing" })
	if status := send(t, "DELETE", url+"/v1/watches/"+all[0].ID, ""); status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
	watches(t, url, "none followed", func(w []api.Watch) bool { return len(w) == 0 })
	getInto(t, url+"/v1/documents", &library)
	if len(library.Documents) != 2 {
		t.Errorf("the library holds %+v", library.Documents)
	}
	if status := send(t, "DELETE", url+"/v1/watches/"+all[0].ID, ""); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
}

// The server knows what a command beside it follows, as long as it does.
func TestServerKnowsWhoElseFollows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, url := h.serve()
	dir := t.TempDir()
	p := h.start("add", "--watch", "--folder", "papers", dir)
	held := watches(t, url, "held", func(w []api.Watch) bool { return len(w) == 1 })[0]
	if held.By != "command" || held.Folder != "papers" || filepath.Base(held.Path) != filepath.Base(dir) {
		t.Errorf("said of it: %+v", held)
	}
	p.cmd.Process.Signal(syscall.SIGINT)
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	watches(t, url, "let go", func(w []api.Watch) bool { return len(w) == 0 })
}
