package extract_test

import (
	"fmt"
	"os"
	"testing"

	"ibid/internal/extract"
)

// sharedCache holds compiled PDFium for all tests of a run.
var sharedCache string

// The test binary is its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == extract.WorkerCommand {
		os.Exit(extract.WorkerMain(os.Stdin, os.Stdout))
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
