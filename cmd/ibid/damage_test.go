package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tests below damage files of the data directory, and show that it costs
// nothing but those.

func TestDoctorNamesUnknownFiles(t *testing.T) {
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	if out := h.must("doctor"); !strings.Contains(out, "✓ unknown files") {
		t.Errorf("doctor said:\n%s", out)
	}
	stray := write(t, filepath.Join(h.data, "files", "ab", strings.Repeat("ab", 16)), "left by a process that died")
	write(t, filepath.Join(h.data, "files", "thesis.txt"), "left by a person")
	out := h.must("doctor")
	if !strings.Contains(out, "! unknown files") || !strings.Contains(out, "2 files") || !strings.Contains(out, filepath.Base(stray)) {
		t.Errorf("doctor said:\n%s", out)
	}
	for _, path := range []string{stray, filepath.Join(h.data, "files", "thesis.txt")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
