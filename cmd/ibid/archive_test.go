package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

// zipOf builds a zip file of names and contents, in turn.
func zipOf(namesAndContents ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(namesAndContents); i += 2 {
		w, err := z.Create(namesAndContents[i])
		if err == nil {
			_, err = w.Write([]byte(namesAndContents[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func TestAddAnArchive(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mail := "From: a@example.org\nTo: b@example.org\nSubject: The terms\nMIME-Version: 1.0\n" +
		"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nSee the attachment.\n" +
		"--x\nContent-Type: text/markdown\nContent-Disposition: attachment; filename=prices.md\n\nAn hour costs ninety euros.\n--x--\n"
	file := h.file("papers.zip", zipOf("deep/terms.md", warrantyText, "mail.eml", mail, "../../evil.md", "Evil.", "inner.zip", zipOf("note.md", "The key lies under the mat.")))
	out := h.must("add", file)
	for _, want := range []string{"papers.zip: ", "papers.zip!/deep/terms.md: 2 chunks", "papers.zip!/mail.eml!/prices.md: 1 chunk", "papers.zip!/inner.zip!/note.md: 1 chunk", "left out: 1 of its files, which have names that lead out of the archive"} {
		if !strings.Contains(out, want) {
			t.Errorf("add lacks %q:\n%s", want, out)
		}
	}
	for query, name := range map[string]string{"damage by water": "Terms of sale", "hour costs": "prices.md", "key under the mat": "note.md"} {
		if out := h.must("search", query); !strings.Contains(out, name) {
			t.Errorf("search %s said:\n%s", query, out)
		}
	}
	if out := h.must("ls"); !strings.Contains(out, "papers.zip/deep") || strings.Contains(out, "evil.md") {
		t.Errorf("ls said:\n%s", out)
	}
	if out := h.must("add", file); strings.Count(out, "\n") != 1 || !strings.Contains(out, "unchanged") {
		t.Errorf("the second add said:\n%s", out)
	}
	h.file("papers.zip", zipOf("deep/terms.md", warrantyText+"\nNo refunds.\n"))
	if out := h.must("add", file); strings.Count(out, "\n") != 2 || !strings.Contains(out, "terms.md: 1 of 2 chunks embedded, 1 kept") {
		t.Errorf("the third add said:\n%s", out)
	}
	if out := h.must("ls"); strings.Contains(out, "note.md") || strings.Contains(out, "mail.eml") {
		t.Errorf("ls said:\n%s", out)
	}
	h.must("rm", "papers.zip")
	if out := h.must("ls", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after rm: %s", out)
	}
}

func TestAddAProtectedPDF(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(ibidtest.Documents(t), "pdf", "libreoffice-writer-password.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t)
	file := h.file("secret.pdf", string(raw))
	if code, out, _ := h.run("add", file); code != exitFailed || !strings.Contains(out, "needs a password; add it again with its password (ibid add --password)") {
		t.Errorf("without: %d, %s", code, out)
	}
	if code, out, _ := h.run("add", "--password-file", h.file("wrong", "wrong\n"), file); code != exitFailed {
		t.Errorf("with a wrong one: %d, %s", code, out)
	}
	add := h.command("add", "--password", file)
	add.Stdin = strings.NewReader("openpassword\n")
	if out, err := add.CombinedOutput(); err != nil || !strings.Contains(string(out), " page, ") {
		t.Errorf("with it: %v\n%s", err, out)
	}
	if out := h.must("search", "takimata sanctus"); !strings.Contains(out, "Stet clita kasd gubergren") {
		t.Errorf("search said:\n%s", out)
	}
	if code, _, errs := h.run("add", "--password", "--password-file", "x", file); code != exitUsage || !strings.Contains(errs, "exclude each other") {
		t.Errorf("both: %d, %s", code, errs)
	}
}
