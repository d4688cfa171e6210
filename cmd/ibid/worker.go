package main

import (
	"os"

	"github.com/spf13/cobra"

	"ibid/internal/document"
	"ibid/internal/sandbox"
)

// workerCommand is the life of a process that reads documents for another one,
// which started it from the same binary and may kill it at any time. It reads
// no configuration and opens no data directory.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    document.WorkerCommand,
		Short:  "Read documents for another ibid process",
		Hidden: true,
		Args:   arguments(cobra.NoArgs),
		Run:    func(*cobra.Command, []string) { os.Exit(document.WorkerMain(os.Stdin, os.Stdout, document.Formats())) },
	}
}

// codeWorkerCommand is the life of a process that runs one program of a model's for
// another process, as workerCommand is of one that reads.
func codeWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    sandbox.WorkerCommand,
		Short:  "Run a program for another ibid process",
		Hidden: true,
		Args:   arguments(cobra.NoArgs),
		Run:    func(*cobra.Command, []string) { os.Exit(sandbox.WorkerMain(os.Stdin, os.Stdout)) },
	}
}
