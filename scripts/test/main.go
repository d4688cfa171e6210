// Command test runs everything that CI runs, goes on when a part fails, and
// ends with one line that counts what really happened:
//
//	1234 passed, 0 failed, 3 skipped
//
// It is started by `make test`, in the folder of the project.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
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

// lanes are the parts in the order in which they run. What stands in one lane runs
// one after the other, and lanes run side by side: the browser tests and those of the
// whole program wait for other processes much of their time.
func lanes() [][]part {
	return [][]part{
		{{"go test", racedTests}},
		{{"web: unit tests", webTests}, {"web: browser tests", browserTests}, {"go test: what is measured", measuredTests}},
	}
}

// runAll runs every part and returns the exit code. What a lane shows comes when the
// lanes before it have ended; the first is shown as it runs.
func runAll(ctx context.Context, show io.Writer) int {
	began := time.Now()
	all := runLane(ctx, show, []part{{"make check", check}})
	results := make([]result, len(lanes()))
	shown := make([]bytes.Buffer, len(results))
	var running sync.WaitGroup
	for i, lane := range lanes() {
		running.Go(func() {
			out := io.Writer(&shown[i])
			if i == 0 {
				out = show
			}
			results[i] = runLane(ctx, out, lane)
		})
	}
	running.Wait()
	for i, r := range results {
		_, _ = shown[i].WriteTo(show)
		all.counts = all.counts.add(r.counts)
		all.skips = append(all.skips, r.skips...)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(show, "interrupted")
		return 1
	}
	fmt.Fprintln(show)
	for _, s := range all.skips {
		fmt.Fprintf(show, "skipped: %s\n", s)
	}
	fmt.Fprintf(show, "took %s\n%s\n", time.Since(began).Round(time.Second), all.counts)
	if all.counts.failed > 0 || all.counts.passed == 0 {
		return 1
	}
	return 0
}

// result is what parts came to.
type result struct {
	counts counts
	skips  []string
}

// runLane runs parts one after the other, and goes on when one fails.
func runLane(ctx context.Context, show io.Writer, parts []part) (all result) {
	for _, p := range parts {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(show, "\n== %s\n", p.name)
		began := time.Now()
		c, skips, err := p.run(ctx, show)
		if err != nil {
			// A part that could not be run, or failed without naming a test,
			// is a failure of its own.
			fmt.Fprintf(show, "%s: %v\n", p.name, err)
			if c.failed == 0 {
				c.failed = 1
			}
		}
		fmt.Fprintf(show, "   %s: %s in %s\n", p.name, c, time.Since(began).Round(time.Second))
		all.counts = all.counts.add(c)
		all.skips = append(all.skips, skips...)
	}
	return all
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
	measured = []string{"ibid/internal/eval", "ibid/internal/reader", "ibid/internal/document"}
	shortly  = []string{"ibid/internal/document"}
)

// seeded are tests that lead thousands of random lives. Under the race detector
// they lead a few of them, and all without it.
var (
	seeded   = []string{"ibid/internal/ingest"}
	seededBy = "^TestPowerCuts$"
)

// racedTests runs all Go tests but what is measured, under the race detector. Where
// there is no C compiler they run without it, and that counts as skipped.
func racedTests(ctx context.Context, show io.Writer) (counts, []string, error) {
	list, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return counts{}, nil, fmt.Errorf("list the packages: %w", err)
	}
	others := slices.DeleteFunc(strings.Fields(string(list)), func(p string) bool { return slices.Contains(measured, p) })
	flags := raceFlags()
	c, skips, err := goTest(ctx, show, flags, others)
	if len(flags) == 0 {
		c.skipped++
		skips = append(skips, "race detector: there is no C compiler (apt-get install gcc libc6-dev)")
	}
	return c, skips, err
}

// measuredTests runs what is measured, and the random lives, without the race
// detector.
func measuredTests(ctx context.Context, show io.Writer) (counts, []string, error) {
	plain, skips, plainErr := goTest(ctx, show, nil, measured)
	// What the short run leaves out has just been run: its skips do not count.
	short, _, shortErr := goTest(ctx, show, append(raceFlags(), "-short"), shortly)
	short.skipped = 0
	lives, _, livesErr := goTest(ctx, show, []string{"-run", seededBy}, seeded)
	return plain.add(short).add(lives), skips, errors.Join(plainErr, shortErr, livesErr)
}

// raceFlags are none where there is no C compiler, which the race detector needs.
func raceFlags() []string {
	if _, err := exec.LookPath("cc"); err != nil {
		return nil
	}
	return []string{"-race"}
}

// sideBySide is how many tests of a package run at once. Those of the whole program
// wait for other processes most of their time.
const sideBySide = "-parallel=3"

// goTest runs the tests of some packages.
func goTest(ctx context.Context, show io.Writer, flags, packages []string) (counts, []string, error) {
	args := append([]string{"test", "-json", "-shuffle=on", "-timeout=60m", sideBySide}, flags...)
	cmd := command(ctx, show, "go", append(args, packages...)...)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return counts{}, nil, err
	}
	g := newGoReader(show)
	readErr := g.read(out)
	err = cmd.Wait()
	if readErr != nil {
		err = readErr
	}
	return g.counts, g.skips, err
}
