package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
)

// The disk of the originals is pulled out beside a server, and plugged in again. Whoever
// asks is told; nothing is called missing, changed or lost.
func TestOriginalsOnADiskThatIsAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.file("other.md", walrusText))
	h.serve()
	files, to := filepath.Join(h.data, "files"), filepath.Join(h.home, "backup")
	if err := os.Rename(files, files+".away"); err != nil {
		t.Fatal(err)
	}
	code, out, _ := h.run("doctor", "--scrub")
	if code != exitFailed || !strings.Contains(out, "✗ originals") || !strings.Contains(out, "✗ scrub") || !strings.Contains(out, "can't be reached") ||
		!strings.Contains(out, "see that its disk is mounted") || strings.Contains(out, "missing") {
		t.Errorf("doctor: exit code %d\n%s", code, out)
	}
	third := h.file("third.md", "The giraffe chews.\n")
	for _, args := range [][]string{{"add", third}, {"backup", to}, {"inventory"}} {
		code, out, errs := h.run(args...)
		if code == exitOK || !strings.Contains(out+errs, "can't be reached") || !strings.Contains(out+errs, "mounted") {
			t.Errorf("%s: exit code %d\n%s%s", args[0], code, out, errs)
		}
	}
	if out := h.must("search", "walrus"); !strings.Contains(out, "other.md") {
		t.Errorf("found was %s", out)
	}
	if err := os.Rename(files+".away", files); err != nil {
		t.Fatal(err)
	}
	h.must("doctor", "--scrub")
	h.must("add", third)
	h.must("backup", to)
	if len(h.originals()) != 3 {
		t.Errorf("there are %d originals", len(h.originals()))
	}
}

// Whoever looks at the list reads why a document waits, and what to do.
func TestAWaitingDocumentSaysWhy(t *testing.T) {
	d := ibid.Document{Name: "terms.md", Status: ibid.DocumentProcessing, Stage: ibid.StageWait}
	for _, said := range []string{documentStatus(d), stageText(d)} {
		if !strings.Contains(said, "can't be reached") || !strings.Contains(said, "mounted") || strings.Contains(said, "%") {
			t.Errorf("it says %q", said)
		}
	}
	d.Stage = "extract"
	if said := documentStatus(d); !strings.Contains(said, "extract") {
		t.Errorf("it says %q", said)
	}
}

// A restore over a library whose originals are away, and which only they could vouch
// for, is not taken for one of a library that is lost.
func TestARestoreWaitsForOriginals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	to := filepath.Join(h.home, "backup")
	h.must("backup", to)
	if err := os.Remove(filepath.Join(h.data, "identity")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(h.data, "files"), filepath.Join(h.home, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	ibidtest.WriteFile(t, filepath.Join(h.data, "files.mounted"), "it lies elsewhere")
	before := h.stored()
	for _, args := range [][]string{{"restore", to}, {"ls"}} {
		code, out, errs := h.run(args...)
		if code == exitOK || !strings.Contains(out+errs, "can't be reached") {
			t.Errorf("%s: exit code %d\n%s%s", args[0], code, out, errs)
		}
	}
	if after := h.stored(); len(after) != len(before) {
		t.Errorf("there were %d files, and are %d", len(before), len(after))
	}
}
