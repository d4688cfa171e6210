// Command eval runs `ibid eval retrieval` over every question set among the
// public test data. `make eval` starts it in the folder of the project.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"ibid/internal/ibidtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir := ibidtest.FindData("retrieval")
	if dir == "" {
		return errors.New("there are no question sets: set IBID_TEST_DATA to a folder that holds retrieval/NAME in BEIR's layout")
	}
	sets, err := filepath.Glob(filepath.Join(dir, "*", "corpus.jsonl"))
	if err != nil || len(sets) == 0 {
		return fmt.Errorf("no question set in %s", dir)
	}
	for _, corpus := range sets {
		cmd := exec.CommandContext(ctx, "bin/ibid", "eval", "retrieval", filepath.Dir(corpus))
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(filepath.Dir(corpus)), err)
		}
	}
	return nil
}
