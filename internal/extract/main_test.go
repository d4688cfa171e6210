package extract_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ibid"
	"ibid/internal/extract"
	"ibid/internal/extract/pdfium"
)

// sharedCache holds compiled PDFium for all tests of a run.
var sharedCache string

// The test binary is its own worker.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == extract.WorkerCommand:
		os.Exit(extract.WorkerMain(os.Stdin, os.Stdout))
	case len(os.Args) > 2 && os.Args[1] == extract.FakeWorkerCommand:
		os.Exit(extract.FakeWorker(os.Stdin, os.Stdout, os.Args[2]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "extract-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	sharedCache = dir
	return m.Run()
}

// newPool returns a pool of this test's own, that recognises no text: whether
// tesseract is installed must not matter.
func newPool(t testing.TB, limits extract.Limits) *extract.Pool {
	t.Helper()
	return startPool(t, extract.Config{Limits: limits, NoOCR: true})
}

func startPool(t testing.TB, cfg extract.Config) *extract.Pool {
	t.Helper()
	cfg.CacheDir = sharedCache
	p, err := extract.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// fakePool returns a pool whose workers misbehave at page 3.
func fakePool(t testing.TB, misdeed string, limits extract.Limits) *extract.Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startPool(t, extract.Config{Command: []string{exe, extract.FakeWorkerCommand, misdeed}, Limits: limits})
}

func needPDFium(t testing.TB) {
	t.Helper()
	if !pdfium.Available() {
		t.Skip(pdfium.ErrNotBuilt)
	}
}

func mustExtract(t testing.TB, p *extract.Pool, req extract.Request) ibid.Extract {
	t.Helper()
	x, err := p.Extract(context.Background(), req, nil)
	if err != nil {
		t.Fatalf("%s%s: %v", req.Path, req.Name, err)
	}
	extract.CheckExtract(t, x)
	return x
}
