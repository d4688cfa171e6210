package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/say"
)

func TestDoctorOnARealHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	out := h.must("doctor")
	for _, want := range []string{"✓ configuration", "✓ model", "✓ embedder", "disk"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	code, out, _ := h.run("doctor", "--model", "ollama:none@http://127.0.0.1:1")
	if code != exitFailed || !strings.Contains(out, "✗ model") || !strings.Contains(out, "→") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// What flags ask for is tried also beside a server that has its own.
func TestDoctorTriesTheModelThatIsNamed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.serve()
	code, out, _ := h.run("doctor", "--model", "ollama:none@http://127.0.0.1:1", "--embedder", "lsa")
	if code != exitFailed || !strings.Contains(out, "✗ --model") || !strings.Contains(out, "✓ model") || !strings.Contains(out, "✓ --embedder") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestDoctorMissesOriginals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept, lost := h.file("kept.md", "It is kept.\n"), h.file("it's lost.md", warrantyText)
	h.must("add", kept, lost)
	if out := h.must("doctor"); !strings.Contains(out, "✓ originals") {
		t.Errorf("doctor said:\n%s", out)
	}
	stored, err := filepath.Glob(filepath.Join(h.data, "files", "*", "*"))
	if err != nil || len(stored) != 2 {
		t.Fatalf("stored are %q, %v", stored, err)
	}
	for _, path := range stored {
		if text, _ := os.ReadFile(path); string(text) == warrantyText {
			if err := os.Truncate(path, 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, out, _ := h.run("doctor")
	if code != exitFailed || !strings.Contains(out, "✗ originals") || !strings.Contains(out, "1 of 2 documents") || !strings.Contains(out, "ibid add "+say.ShellQuote(lost)) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	h.must("add", lost)
	if out := h.must("doctor"); !strings.Contains(out, "✓ originals") {
		t.Errorf("after adding it again doctor said:\n%s", out)
	}
}
