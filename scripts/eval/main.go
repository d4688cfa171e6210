// Command eval runs `ibid eval retrieval` over every question set among the
// public test data, and `ibid eval answers` over those with known answers. `make eval` starts it in the folder of the project.
package main

import (
	"bytes"
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
		set := filepath.Dir(corpus)
		if err := measure(ctx, "retrieval", set); err != nil {
			return err
		}
		questions, err := os.ReadFile(filepath.Join(set, "queries.jsonl"))
		if err != nil {
			return err
		}
		if !bytes.Contains(questions, []byte(`"answers"`)) {
			continue
		}
		if err := measure(ctx, "answers", set); err != nil {
			return err
		}
	}
	return nil
}

func measure(ctx context.Context, what, set string) error {
	cmd := exec.CommandContext(ctx, "bin/ibid", "eval", what, set)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s of %s: %w", what, filepath.Base(set), err)
	}
	fmt.Println()
	return nil
}
