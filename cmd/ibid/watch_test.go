package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

// The real program follows a folder through a running server.
func TestWatchBesideAServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, url := h.serve()
	old := time.Now().Add(-time.Hour)
	path := h.file("terms.md", warrantyText)
	os.Chtimes(path, old, old)
	dir := filepath.Dir(path)
	p := h.start("add", "--watch", "--tag", "watched", dir)
	p.await(p.errs, "watching .*; Ctrl-C ends it")
	p.await(p.out, `✓ .*terms\.md: `)
	var before struct{ Documents []ibid.Document }
	getInto(t, url+"/v1/documents?tag=watched", &before)
	if len(before.Documents) != 1 {
		t.Fatalf("the library holds %+v", before)
	}

	renamed := filepath.Join(dir, "conditions.md")
	if err := os.Rename(path, renamed); err != nil {
		t.Fatal(err)
	}
	p.await(p.out, `→ .*terms\.md: is now .*conditions\.md`)
	var after struct{ Documents []ibid.Document }
	getInto(t, url+"/v1/documents", &after)
	if len(after.Documents) != 1 || after.Documents[0].ID != before.Documents[0].ID || after.Documents[0].Name != "conditions.md" {
		t.Fatalf("the library holds %+v", after)
	}

	ibidtest.WriteFile(t, renamed, warrantyText+"\n## Returns\n\nGoods may be returned within thirty days.\n")
	p.await(p.out, `✓ .*conditions\.md: \d+ of \d+ chunks embedded, \d+ kept`)
	if err := os.Remove(renamed); err != nil {
		t.Fatal(err)
	}
	p.await(p.out, `− .*conditions\.md: removed`)
	getInto(t, url+"/v1/documents", &after)
	if len(after.Documents) != 0 {
		t.Errorf("the library holds %+v", after)
	}
	p.cmd.Process.Signal(syscall.SIGINT)
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestWatchTakesFoldersOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := ibidtest.WriteFile(t, filepath.Join(dir, "a.md"), "a")
	for _, args := range [][]string{{"add", "--watch", file}, {"add", "--watch", "--no-wait", dir}, {"add", "--watch", "https://example.org"}} {
		if code, _, errs := runCLI(t, &fakeApp{}, dir, args...); code != exitUsage || !strings.Contains(errs, "--watch") {
			t.Errorf("%v: exit code %d, %q", args, code, errs)
		}
	}
}
