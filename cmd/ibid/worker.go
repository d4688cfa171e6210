package main

import (
	"os"

	"github.com/spf13/cobra"

	"ibid/internal/extract"
)

// workerCommand is the life of a process that reads documents for another one,
// which started it from the same binary and may kill it at any time. It reads
// no configuration and opens no data directory.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    extract.WorkerCommand,
		Short:  "Read documents for another ibid process",
		Hidden: true,
		Args:   arguments(cobra.NoArgs),
		Run:    func(*cobra.Command, []string) { os.Exit(extract.WorkerMain(os.Stdin, os.Stdout)) },
	}
}
