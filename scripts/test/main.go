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
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
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
	run  func(ctx context.Context, show io.Writer) (result, error)
}

// lanes are the parts in the order in which they run. What stands in one lane runs
// one after the other, and lanes run side by side: the browser tests and those of the
// whole program wait for other processes much of their time.
func lanes() [][]part {
	return [][]part{
		{{"go test", goTests}},
		{{"web: unit tests", counted(webTests)}, {"web: browser tests", counted(browserTests)}},
		{{"make check", counted(check)}},
	}
}

// runAll runs every part and returns the exit code. What a lane shows comes when the
// lanes before it have ended; the first is shown as it runs.
func runAll(ctx context.Context, show io.Writer) int {
	began := time.Now()
	var all result
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
		all = all.add(r)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(show, "interrupted")
		return 1
	}
	fmt.Fprintln(show)
	showSlowest(show, all.took)
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
	took   []duration // of Go tests and their packages
}

func (r result) add(s result) result {
	return result{r.counts.add(s.counts), append(r.skips, s.skips...), append(r.took, s.took...)}
}

// runLane runs parts one after the other, and goes on when one fails.
func runLane(ctx context.Context, show io.Writer, parts []part) (all result) {
	for _, p := range parts {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(show, "\n== %s\n", p.name)
		began := time.Now()
		r, err := p.run(ctx, show)
		if err != nil {
			// A part that could not be run, or failed without naming a test,
			// is a failure of its own.
			fmt.Fprintf(show, "%s: %v\n", p.name, err)
			if r.counts.failed == 0 {
				r.counts.failed = 1
			}
		}
		fmt.Fprintf(show, "   %s: %s in %s\n", p.name, r.counts, time.Since(began).Round(time.Second))
		all = all.add(r)
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

// counted is a part of which only counts and skips are known.
func counted(run func(ctx context.Context, show io.Writer) (counts, []string, error)) func(context.Context, io.Writer) (result, error) {
	return func(ctx context.Context, show io.Writer) (result, error) {
		c, skips, err := run(ctx, show)
		return result{counts: c, skips: skips}, err
	}
}

func check(ctx context.Context, show io.Writer) (counts, []string, error) {
	if err := command(ctx, show, "make", "check").Run(); err != nil {
		return counts{failed: 1}, nil, err
	}
	return counts{passed: 1}, nil, nil
}

// longest are the packages whose tests take longest, which begin first: the others then
// run beside them instead of before them.
var longest = []string{"ibid/cmd/ibid", "ibid/internal/document", "ibid/internal/ingest", "ibid/internal/eval"}

// longestFirst sorts packages: the longest, then the others as they were.
func longestFirst(packages []string) []string {
	place := func(p string) int {
		if i := slices.Index(longest, p); i >= 0 {
			return i
		}
		return len(longest)
	}
	return slices.SortedStableFunc(slices.Values(packages), func(a, b string) int { return place(a) - place(b) })
}

// goTests runs all Go tests under the race detector, and then what those tests left to
// a run without it (ibidtest.WithoutRace, ibidtest.Fewer). Where there is no C compiler
// all of them run without it, and that counts as skipped.
func goTests(ctx context.Context, show io.Writer) (result, error) {
	list, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return result{}, fmt.Errorf("list the packages: %w", err)
	}
	flags := raceFlags()
	raced, err := goTest(ctx, show, flags, strings.Fields(string(list)))
	all := raced.result
	if len(flags) == 0 {
		all.counts.skipped++
		all.skips = append(all.skips, "race detector: there is no C compiler (apt-get install gcc libc6-dev)")
	}
	if len(raced.deferred) == 0 || ctx.Err() != nil {
		return all, err
	}
	fmt.Fprintf(show, "\n== go test: without the race detector\n")
	packages, pattern := raced.deferred.selection()
	plain, plainErr := goTest(ctx, show, []string{"-run", pattern}, packages)
	for _, name := range raced.deferred.without(plain.ended) {
		plainErr = errors.Join(plainErr, fmt.Errorf("%s was left to a run without the race detector and did not run there", name))
		plain.counts.failed++
	}
	return all.add(plain.result), errors.Join(err, plainErr)
}

// selection is what go test has to be told to run these tests: the packages, and a
// pattern of names.
func (n names) selection() (packages []string, pattern string) {
	all := map[string]bool{}
	for _, tests := range n {
		maps.Copy(all, tests)
	}
	return slices.Sorted(maps.Keys(n)), "^(" + strings.Join(slices.Sorted(maps.Keys(all)), "|") + ")$"
}

// without lists the tests that are not among others.
func (n names) without(others names) []string {
	var missed []string
	for pkg, tests := range n {
		for test := range tests {
			if !others[pkg][test] {
				missed = append(missed, pkg+"."+test)
			}
		}
	}
	slices.Sort(missed)
	return missed
}

// raceFlags are none where there is no C compiler, which the race detector needs.
func raceFlags() []string {
	if _, err := exec.LookPath("cc"); err != nil {
		return nil
	}
	return []string{"-race"}
}

// translated are packages that the race detector leaves alone: SQLite and its C library,
// which were translated from C by a machine, and the compiler of WebAssembly that PDFs
// are read with. Watching every access in them costs several times as much as all of our
// own code, and a race in them is not ours to find. What uses them is watched: our
// packages, database/sql and the driver between it and SQLite.
//
// A package belongs here only when it makes no instance of a generic type of the standard
// library that goroutines meet at (sync.Map and what is below it): the linker may take
// that instance for the whole program, and what everybody else does with such a type is
// then reported as a race. `go tool nm` of the package shows it. wazero's other packages
// make some, so they are watched.
var translated = []string{
	"modernc.org/sqlite/lib", "modernc.org/libc/...", "modernc.org/memory/...",
	"github.com/tetratelabs/wazero/internal/engine/wazevo/backend/...",
	"github.com/tetratelabs/wazero/internal/engine/wazevo/frontend/...",
	"github.com/tetratelabs/wazero/internal/engine/wazevo/ssa/...",
}

// raceEnv is the environment for building with the race detector. It is inherited by
// tests that build the program themselves. A program under the detector waits a second
// before it ends, in case another goroutine still races; the tests start thousands of
// programs, so that they wait only a moment. Races seen before are reported all the same.
func raceEnv() []string {
	flags := strings.Fields(os.Getenv("GOFLAGS"))
	for _, packages := range translated {
		flags = append(flags, "'-gcflags="+packages+"=-race=false -d=checkptr=0'")
	}
	return append(os.Environ(), "GOFLAGS="+strings.Join(flags, " "),
		strings.TrimSpace("GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=10"))
}

// sideBySide is how many tests of a package run at once. Those of the whole program
// wait for other processes most of their time.
const sideBySide = "-parallel=3"

// packagesAtOnce is how many packages are built or tested at once: one more than there
// are processors, as some tests wait.
func packagesAtOnce() string { return fmt.Sprint("-p=", runtime.NumCPU()+1) }

// goTest runs the tests of some packages. make check vets them.
func goTest(ctx context.Context, show io.Writer, flags, packages []string) (*goReader, error) {
	g := newGoReader(show)
	args := append([]string{"test", "-json", "-vet=off", "-shuffle=on", "-timeout=60m", sideBySide, packagesAtOnce()}, flags...)
	cmd := command(ctx, show, "go", append(args, longestFirst(packages)...)...)
	cmd.Stdout = nil
	if slices.Contains(flags, "-race") {
		cmd.Env = raceEnv()
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return g, err
	}
	readErr := g.read(out)
	err = cmd.Wait()
	if readErr != nil {
		err = readErr
	}
	return g, err
}
