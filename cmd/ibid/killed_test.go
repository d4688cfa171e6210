//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/document"
)

// readersOf returns the worker processes of a server that have taken in at least so
// many bytes of the files they read.
func readersOf(server int, atLeast int64) []int {
	var found []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", server))
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(children)) {
			command, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if !bytes.Contains(command, []byte(document.WorkerCommand)) {
				continue
			}
			io, _ := os.ReadFile("/proc/" + child + "/io")
			_, read, _ := strings.Cut(string(io), "rchar: ")
			read, _, _ = strings.Cut(read, "\n")
			if n, _ := strconv.ParseInt(read, 10, 64); n >= atLeast {
				pid, _ := strconv.Atoi(child)
				found = append(found, pid)
			}
		}
	}
	return found
}

// TestAKilledWorkerFailsNoOtherFile kills whichever worker reads one large file, as
// the kernel does where memory is short, until that file is given up. What is read
// beside it is ready, and so is the file itself when it is retried in peace.
func TestAKilledWorkerFailsNoOtherFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const large = 5 << 20 // bytes, far more than any other file
	dir := filepath.Join(t.TempDir(), "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	paragraph := "<p>The harbour master wrote down the name of every ship.</p>\n"
	files := map[string]string{"large.html": strings.Repeat(paragraph, large/len(paragraph)+1) + "<p>The walrus came last.</p>"}
	for i := range 12 {
		files[fmt.Sprintf("small%02d.html", i)] = strings.Repeat(paragraph, 1000)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, base := h.serve()
	h.must("add", "--no-wait", dir)
	kills := 0
	var last ibid.Document
	for deadline := time.Now().Add(2 * time.Minute); last.Status != ibid.DocumentFailed; {
		if time.Now().After(deadline) {
			t.Fatalf("after %d kills the file is %s", kills, last.Status)
		}
		for _, pid := range readersOf(server.cmd.Process.Pid, large/2) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				kills++
			}
		}
		last = documentNamed(t, base, "large.html")
		if last.Status == ibid.DocumentReady {
			t.Fatalf("it was read in spite of %d kills: nothing is tested", kills)
		}
	}
	if !strings.Contains(last.Error, ibid.WorkerKilled) || !strings.Contains(last.Error, "try again") {
		t.Errorf("failed with %q", last.Error)
	}
	if kills < 3 {
		t.Errorf("given up after %d kills, want 3 attempts", kills)
	}
	h.must("add", dir+"/small*.html") // waits for them
	for i := range 12 {
		if d := documentNamed(t, base, fmt.Sprintf("small%02d.html", i)); d.Status != ibid.DocumentReady {
			t.Errorf("%s is %s: %s", d.Name, d.Status, d.Error)
		}
	}
	if out := h.must("retry", "--failed"); !strings.HasPrefix(out, "read in/large.html") {
		t.Errorf("retry printed %q", out)
	}
	if found := h.must("search", "walrus"); !strings.Contains(found, "large.html") {
		t.Errorf("the file cannot be found: %q", found)
	}
	if code, _, errs := h.run("retry", "large.html"); code != 1 || !strings.Contains(errs, "has not failed") {
		t.Errorf("retry of a file that is ready: %d %q", code, errs)
	}
}

func documentNamed(t *testing.T, base, name string) ibid.Document {
	t.Helper()
	var list struct{ Documents []ibid.Document }
	getInto(t, base+"/v1/documents?name="+url.QueryEscape(name), &list)
	for _, d := range list.Documents {
		if d.Name == name {
			return d
		}
	}
	return ibid.Document{}
}
