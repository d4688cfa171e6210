// Command test runs everything that CI runs, goes on when a part fails, and
// ends with one line that counts what really happened:
//
//	1234 passed, 0 failed, 3 skipped
//
// It is started by `make test`, in the folder of the project.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	os.Exit(runAll(ctx, os.Stdout))
}

// part is one kind of test.
type part struct {
	name string
	run  func(ctx context.Context, show io.Writer) (counts, []string, error)
}

func parts() []part {
	return []part{
		{"make check", check},
		{"go test", goTests},
		{"web: unit tests", webTests},
		{"web: browser tests", browserTests},
	}
}

// runAll runs every part and returns the exit code.
func runAll(ctx context.Context, show io.Writer) int {
	var total counts
	var skips []string
	began := time.Now()
	for _, p := range parts() {
		if ctx.Err() != nil {
			fmt.Fprintln(show, "interrupted")
			return 1
		}
		fmt.Fprintf(show, "\n== %s\n", p.name)
		partBegan := time.Now()
		c, why, err := p.run(ctx, show)
		if err != nil {
			// A part that could not be run, or failed without naming a test,
			// is a failure of its own.
			fmt.Fprintf(show, "%s: %v\n", p.name, err)
			if c.failed == 0 {
				c.failed = 1
			}
		}
		fmt.Fprintf(show, "   %s: %s in %s\n", p.name, c, time.Since(partBegan).Round(time.Second))
		total = total.add(c)
		skips = append(skips, why...)
	}
	fmt.Fprintln(show)
	for _, s := range skips {
		fmt.Fprintf(show, "skipped: %s\n", s)
	}
	fmt.Fprintf(show, "took %s\n%s\n", time.Since(began).Round(time.Second), total)
	if total.failed > 0 || total.passed == 0 {
		return 1
	}
	return 0
}

func (c counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

// command is a program of the project, ended when ctx ends.
func command(ctx context.Context, show io.Writer, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = show, show
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func check(ctx context.Context, show io.Writer) (counts, []string, error) {
	if err := command(ctx, show, "make", "check").Run(); err != nil {
		return counts{failed: 1}, nil, err
	}
	return counts{passed: 1}, nil, nil
}

// measured are the packages whose tests measure quality on thousands of
// questions or read whole libraries of files. The race detector would make them
// ten times as slow; the one that starts goroutines runs its short tests under
// it as well.
var (
	measured = []string{"ibid/internal/eval", "ibid/internal/reader", "ibid/internal/extract"}
	shortly  = []string{"ibid/internal/extract"}
)

// alone lists packages that compute on their own or are raced through the
// packages that use them. Under the race detector, which slows arithmetic ten
// times, they would take longer than all others together.
func alone() []string {
	return []string{"ibid/internal/eval", "ibid/internal/lsa", "ibid/internal/reader", "ibid/internal/text"}
}

// goTests runs all Go tests, under the race detector where that finds anything
// and where there is the C compiler that it needs.
func goTests(ctx context.Context, show io.Writer) (counts, []string, error) {
	list, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return counts{}, nil, fmt.Errorf("list the packages: %w", err)
	}
	var raced, others []string
	for _, p := range strings.Fields(string(list)) {
		if slices.Contains(alone(), p) {
			others = append(others, p)
		} else {
			raced = append(raced, p)
		}
	}
	var skips []string
	if _, err := exec.LookPath("cc"); err != nil {
		skips = append(skips, "race detector: there is no C compiler (apt-get install gcc libc6-dev)")
		others, raced = append(others, raced...), nil
	}
	g := newGoReader(show)
	if len(raced) > 0 {
		err = goTest(ctx, g, append([]string{"-race"}, raced...))
	}
	err = errors.Join(err, goTest(ctx, g, others))
	return g.counts, append(skips, g.skips...), err
}

func goTest(ctx context.Context, g *goReader, args []string) error {
	cmd := command(ctx, g.show, "go", append([]string{"test", "-json", "-shuffle=on", "-timeout=15m"}, args...)...)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	return errors.Join(g.read(out), cmd.Wait())
}
