package document_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// TestEveryDocument reads all of the test data: each file is read as promised,
// or refused with one line.
func TestEveryDocument(t *testing.T) {
	needPDFium(t)
	dir := ibidtest.Data(t, "documents")
	pool := newPool(t, document.Limits{})
	read, refused := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || testing.Short() && strings.Contains(path, "huge") {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if x, ok := readOrRefuse(t, pool, path); ok {
			read++
			t.Logf("%s: %s, %d pages, %d bytes of text; %s", rel, x.Format, x.Pages, len(x.Text), x.Notice)
		} else {
			refused++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d read, %d refused", read, refused)
	if read < 70 {
		t.Errorf("only %d files could be read", read)
	}
}

// readOrRefuse checks that a file is read as promised or refused with one line.
func readOrRefuse(t *testing.T, pool *document.Pool, path string) (ibid.Extract, bool) {
	t.Helper()
	x, err := pool.Extract(context.Background(), document.Request{Path: path}, nil)
	var refused *ibid.Error
	switch {
	case errors.As(err, &refused):
		if strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: not one clear line: %q", filepath.Base(path), err)
		}
		t.Logf("%s: %v", filepath.Base(path), err)
		return x, false
	case err != nil:
		t.Errorf("%s: %v", filepath.Base(path), err)
		return x, false
	}
	document.CheckExtract(t, x)
	return x, true
}

// TestHostileFiles generates some eighty files that broke other readers, and
// reads each within small limits of time and memory. It needs Python, the
// generators, and a gigabyte of disk.
func TestHostileFiles(t *testing.T) {
	needPDFium(t)
	if testing.Short() {
		t.Skip("hostile files take minutes")
	}
	documents := ibidtest.Data(t, "documents")
	dir := hostileFiles(t, documents)
	limits := document.Limits{Timeout: 30 * time.Second, Stall: 15 * time.Second, MemoryBytes: 512 << 20, TextBytes: 16 << 20, Pages: 1000}
	pool := newPool(t, limits)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".tsv" {
			continue
		}
		start := time.Now()
		x, ok := readOrRefuse(t, pool, filepath.Join(dir, e.Name()))
		if ok {
			t.Logf("%s: %s, %d pages, %d bytes of text in %v; %s", e.Name(), x.Format, x.Pages, len(x.Text), time.Since(start).Round(time.Millisecond), x.Notice)
		}
		if secrets := []string{"root:x:", "/bin/bash"}; strings.Contains(x.Text, secrets[0]) || strings.Contains(x.Text, secrets[1]) {
			t.Errorf("%s: a file of this machine was read", e.Name())
		}
		if len(x.Text) > limits.TextBytes {
			t.Errorf("%s: %d bytes of text", e.Name(), len(x.Text))
		}
	}
	// The pool is as good as new.
	mustExtract(t, pool, document.Request{Data: []byte("Words."), Name: "a.txt"})
}

// hostileFiles returns a folder of hostile files: that of $IBID_HOSTILE_FILES,
// or one that the generators beside the test data fill.
func hostileFiles(t *testing.T, documents string) string {
	t.Helper()
	if dir := os.Getenv("IBID_HOSTILE_FILES"); dir != "" {
		return dir
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	generators := filepath.Join(documents, "..", "..", "prototypes", "hostile")
	dir := t.TempDir()
	for _, name := range []string{"gen_hostile.py", "gen_hostile2.py"} {
		script := filepath.Join(generators, name)
		if _, err := os.Stat(script); err != nil {
			t.Skipf("the generator %s is not here", name)
		}
		if out, err := exec.Command(python, script, dir, documents).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	return dir
}
