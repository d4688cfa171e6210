package app

import (
	"os"
	"testing"

	"ibid/internal/document"
	"ibid/internal/sandbox"
)

// TestMain is also the worker processes of the applications that the tests open:
// they are started from the binary that runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case document.WorkerCommand:
			os.Exit(document.WorkerMain(os.Stdin, os.Stdout, withScratch()))
		case sandbox.WorkerCommand:
			os.Exit(sandbox.WorkerMain(os.Stdin, os.Stdout))
		}
	}
	os.Exit(m.Run())
}
