package document_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// TestEveryDocument reads all of the test data: each file is read as promised,
// or refused with one line.
func TestEveryDocument(t *testing.T) {
	ibidtest.WithoutRace(t, "reads large files; TestSmallDocuments reads each format under it")
	t.Parallel()
	needPDFium(t)
	dir := ibidtest.Data(t, "documents")
	pool := newPool(t, document.Limits{})
	read, refused := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || testing.Short() && strings.Contains(path, "huge") {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if x, ok := acceptable(t, path, func() (ibid.Extract, error) { return readOnce(t, pool, path) }); ok {
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

// onceRead are the files of the test data that readOnce has read: path → a function that
// returns what came of it.
var onceRead sync.Map

// readOnce reads a file of the test data with the default limits, for all tests that
// want to know what it holds: the largest takes many seconds.
func readOnce(t *testing.T, pool *document.Pool, path string) (ibid.Extract, error) {
	t.Helper()
	read, _ := onceRead.LoadOrStore(path, sync.OnceValues(func() (ibid.Extract, error) {
		return pool.Extract(context.Background(), document.Request{Path: path}, nil)
	}))
	return read.(func() (ibid.Extract, error))()
}

// readOrRefuse checks that a file is read as promised or refused with one line.
func readOrRefuse(t *testing.T, pool *document.Pool, path string) (ibid.Extract, bool) {
	t.Helper()
	return acceptable(t, path, func() (ibid.Extract, error) {
		return pool.Extract(context.Background(), document.Request{Path: path}, nil)
	})
}

// acceptable checks that what reading a file comes to is an extract as promised, or a
// refusal of one line.
func acceptable(t *testing.T, path string, read func() (ibid.Extract, error)) (ibid.Extract, bool) {
	t.Helper()
	x, err := read()
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
	ibidtest.WithoutRace(t, "reads large files; TestSmallDocuments reads each format under it")
	t.Parallel()
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

// hostileFiles returns a folder of hostile files: that of $IBID_HOSTILE_FILES, or one
// that the generators beside the test data fill. Generating takes longer than all other
// tests here, so the folder is kept in the user's cache, under a name that says which
// generators and test data it was made of. `make clean` removes it.
func hostileFiles(t *testing.T, documents string) string {
	t.Helper()
	if dir := os.Getenv("IBID_HOSTILE_FILES"); dir != "" {
		return dir
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	generators, made := filepath.Join(documents, "..", "..", "prototypes", "hostile"), sha256.New()
	scripts := []string{"gen_hostile.py", "gen_hostile2.py"}
	for _, name := range scripts {
		source, err := os.ReadFile(filepath.Join(generators, name))
		if err != nil {
			t.Skipf("the generator %s is not here", name)
		}
		made.Write(source)
	}
	provenance, err := os.ReadFile(filepath.Join(documents, "PROVENANCE.tsv")) // names every document and its source
	if err != nil {
		t.Fatal(err)
	}
	made.Write(provenance)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	kept := filepath.Join(cache, "ibid-tests", fmt.Sprintf("hostile-%x", made.Sum(nil)[:8]))
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(kept), "unfinished-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // of which nothing is left once it has its name
	var group sync.WaitGroup
	for _, name := range scripts {
		group.Go(func() {
			if out, err := exec.Command(python, filepath.Join(generators, name), dir, documents).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if err := os.Rename(dir, kept); err != nil && !errors.Is(err, fs.ErrExist) { // another run was quicker
		t.Fatal(err)
	}
	return kept
}
