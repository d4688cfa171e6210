package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ibid"
	"ibid/internal/say"
)

// smallDisk puts the data directory on a disk of its own, and returns what fills it.
func (h house) smallDisk(size string) (fill func(), empty func()) {
	h.t.Helper()
	if err := os.MkdirAll(h.data, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", h.data).CombinedOutput(); err != nil {
		h.t.Skipf("no small disk can be mounted here: %s", say.OneLine(string(out), 100))
	}
	h.t.Cleanup(func() { exec.Command("umount", h.data).Run() })
	filler := filepath.Join(h.data, "filler")
	fill = func() {
		h.t.Helper()
		f, err := os.OpenFile(filler, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			h.t.Fatal(err)
		}
		for block := make([]byte, 64<<10); err == nil; {
			_, err = f.Write(block)
		}
		f.Close()
	}
	return fill, func() {
		if err := os.Remove(filler); err != nil {
			h.t.Fatal(err)
		}
	}
}

// TestAStartOnAFullDisk: the library can be read and things can be removed, nothing
// comes in, and all works without another start once there is room.
func TestAStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	fill, empty := h.smallDisk("24m")
	h.must("add", h.file("terms.md", warrantyText))
	h.must("add", h.file("other.md", "# Tea\n\nThe kettle is never left alone."))
	later := h.file("later.md", "# Coffee\n\nThe mill grinds slowly.")
	for range 2 { // the second start finds no reserve
		fill()
		server, url := h.serve()
		if out := h.must("search", "warranty"); !strings.Contains(out, "lasts two years") {
			t.Errorf("search: %q", out)
		}
		if code, out, errs := h.run("add", later); code == exitOK || !strings.Contains(out+errs, "full") {
			t.Errorf("add: %d %q %q", code, out, errs)
		}
		resp, err := http.Post(url+"/chat/stream", "application/json", strings.NewReader(`{"message":"how long?"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusInsufficientStorage {
			t.Errorf("a question: %d", resp.StatusCode)
		}
		if _, out, _ := h.run("doctor"); !strings.Contains(out, "disk is full") {
			t.Errorf("doctor: %s", out)
		}
		server.cmd.Process.Signal(syscall.SIGTERM)
		if code := server.end(); code != exitOK {
			t.Errorf("exit code %d", code)
		}
		errs, _ := server.errs.look()
		if !strings.Contains(errs, "disk is full") {
			t.Errorf("the log says nothing: %s", errs)
		}
	}
	fill()
	_, url := h.serve()
	h.must("rm", "other.md")
	if out := h.must("search", "kettle"); strings.Contains(out, "never left alone") {
		t.Errorf("a removed document is found: %q", out)
	}
	empty()
	h.must("add", later)
	if out := h.must("search", "mill"); !strings.Contains(out, "grinds slowly") {
		t.Errorf("search: %q", out)
	}
	if m := askAndWait(t, url, `{"message":"how long is the warranty?"}`); m.Status != ibid.StatusCompleted {
		t.Errorf("an answer: %s, %+v", m.Status, m.Error)
	}
	if _, out, _ := h.run("doctor"); strings.Contains(out, "disk is full") {
		t.Errorf("doctor: %s", out)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.smallDisk("24m")
	h.must("add", h.file("terms.md", warrantyText))
	big := h.file("big.txt", strings.Repeat("All work and no play makes Jack a dull boy, it is said.\n", 40<<20/57))
	code, out, errs := h.run("add", big)
	if code != exitFailed || !regexp.MustCompile(`(?i)disk is full|no space`).MatchString(out+errs) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if out := h.must("search", "warranty"); !strings.Contains(out, "Terms of sale") {
		t.Errorf("what was there before is lost: %q", out)
	}
}
