package document_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ibid"
	"ibid/internal/document"
	"ibid/internal/document/pdfium"
)

// sharedCache holds compiled PDFium for all tests of a run.
var sharedCache string

// The test binary is its own worker.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == document.WorkerCommand:
		os.Exit(document.WorkerMain(os.Stdin, os.Stdout, document.Formats()))
	case len(os.Args) > 2 && os.Args[1] == document.FakeWorkerCommand:
		os.Exit(document.FakeWorker(os.Stdin, os.Stdout, os.Args[2]))
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
func newPool(t testing.TB, limits document.Limits) *document.Pool {
	t.Helper()
	return startPool(t, document.Config{Limits: limits, NoOCR: true})
}

func startPool(t testing.TB, cfg document.Config) *document.Pool {
	t.Helper()
	cfg.CacheDir = sharedCache
	p, err := document.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// fakePool returns a pool whose workers misbehave at page 3.
func fakePool(t testing.TB, misdeed string, limits document.Limits) *document.Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startPool(t, document.Config{Command: []string{exe, document.FakeWorkerCommand, misdeed}, Limits: limits})
}

func needPDFium(t testing.TB) {
	t.Helper()
	if !pdfium.Available() {
		t.Skip(pdfium.ErrNotBuilt)
	}
}

func mustExtract(t testing.TB, p *document.Pool, req document.Request) ibid.Extract {
	t.Helper()
	x, err := p.Extract(context.Background(), req, nil)
	if err != nil {
		t.Fatalf("%s%s: %v", req.Path, req.Name, err)
	}
	document.CheckExtract(t, x)
	return x
}
