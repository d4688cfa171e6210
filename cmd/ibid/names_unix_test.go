//go:build !windows && !darwin

package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ibid"
)

// A file may be called whatever the system allows: it comes in, each is a
// document of its own, and nothing of its name steers the terminal.
func TestHostileFileNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	names := map[string]string{ // on disk → in the library
		"\x1b[31mred\x1b]0;title\a.txt": "[31mred]0;title.txt",
		"new\nline.txt":                 "new line.txt",
		"bad\xff.txt":                   "bad%ff.txt",
		"bad\xfe.txt":                   "bad%fe.txt",
		"-dash.txt":                     "-dash.txt",
		"<img src=x>.txt":               "<img src=x>.txt",
		"a\"quote.txt":                  "a\"quote.txt",
	}
	var want []string
	for on, in := range names {
		h.file(on, "What "+in+" says about bandicoots.\n")
		want = append(want, in)
	}
	for _, outcome := range []string{": 1 chunk\n", ": unchanged\n"} {
		out := h.must("add", filepath.Join(h.home, "docs"))
		if n := strings.Count(out, outcome); n != len(names) {
			t.Errorf("%d of %d lines end in %q:\n%q", n, len(names), outcome, out)
		}
		if i := strings.IndexFunc(out, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
			t.Errorf("a control character reached the terminal: %q", out[i:])
		}
	}
	var docs []ibid.Document
	if err := json.Unmarshal([]byte(h.must("ls", "--json")), &docs); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range docs {
		got = append(got, d.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the library has %q, want %q", got, want)
	}
	for _, name := range got {
		h.must("rm", "--", name)
	}
}
