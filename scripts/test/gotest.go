package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// deferredSign is what a test says that leaves work to a run without the race
// detector (ibidtest.Deferred: programs don't import what is for tests).
const deferredSign = "deferred from the race detector: "

// counts is what a part of the tests came to.
type counts struct {
	passed, failed, skipped int
}

func (c counts) add(d counts) counts {
	return counts{c.passed + d.passed, c.failed + d.failed, c.skipped + d.skipped}
}

// goEvent is one line of `go test -json` (go doc test2json).
type goEvent struct {
	Action     string
	Package    string
	ImportPath string // of build events, instead of Package
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// goReader reads `go test -json`: it shows the output of what failed, one line
// per package, and the reason of every skip, and counts tests and subtests.
type goReader struct {
	show io.Writer
	result

	// Tests that do not do all of their work under the race detector, and tests that
	// ended: by package, the names of the top-level tests.
	deferred, ended names

	output map[string][]string // package and test → its output so far
	failed map[string]int      // package → tests that failed
}

func newGoReader(show io.Writer) *goReader {
	return &goReader{show: show, output: map[string][]string{}, failed: map[string]int{}, deferred: names{}, ended: names{}}
}

// names are names of tests by package.
type names map[string]map[string]bool

func (n names) add(pkg, test string) {
	if n[pkg] == nil {
		n[pkg] = map[string]bool{}
	}
	n[pkg][test] = true
}

// read takes all of a stream. Lines that are no events are shown as they are.
func (g *goReader) read(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		var e goEvent
		switch {
		case line == "":
		case json.Unmarshal([]byte(line), &e) != nil:
			io.WriteString(g.show, line)
		default:
			g.event(e)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read go test's output: %w", err)
		}
	}
}

func (g *goReader) event(e goEvent) {
	if e.Package == "" {
		e.Package = e.ImportPath
	}
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "output":
		g.output[key] = append(g.output[key], e.Output)
	case "build-output":
		io.WriteString(g.show, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			g.packageDone(e)
		} else {
			g.testDone(e)
		}
		delete(g.output, key)
	}
}

func (g *goReader) testDone(e goEvent) {
	output := g.output[e.Package+"\x00"+e.Test]
	top, _, _ := strings.Cut(e.Test, "/")
	if top == e.Test {
		g.ended.add(e.Package, top)
		g.took = append(g.took, duration{e.Package, top, e.Elapsed})
	}
	said := slices.ContainsFunc(output, func(line string) bool { return strings.Contains(line, deferredSign) })
	if said {
		g.deferred.add(e.Package, top)
	}
	switch e.Action {
	case "pass":
		g.counts.passed++
	case "fail":
		g.counts.failed++
		g.failed[e.Package]++
		io.WriteString(g.show, strings.Join(output, ""))
	case "skip":
		if said {
			return // it runs later
		}
		g.counts.skipped++
		g.skips = append(g.skips, fmt.Sprintf("%s.%s: %s", e.Package, e.Test, skipReason(output)))
	}
}

// packageDone counts a package that failed without a failing test, because it
// did not build, panicked, raced or ran out of time, as one failure.
func (g *goReader) packageDone(e goEvent) {
	g.took = append(g.took, duration{pkg: e.Package, seconds: e.Elapsed})
	switch e.Action {
	case "fail":
		fmt.Fprintf(g.show, "FAIL  %s  %.1fs\n", e.Package, e.Elapsed)
		if g.failed[e.Package] == 0 {
			g.counts.failed++
		}
		for key, output := range g.output { // of what has not ended: a panic, a test that ran out of time
			if strings.HasPrefix(key, e.Package+"\x00") {
				io.WriteString(g.show, strings.Join(output, ""))
			}
		}
	case "pass":
		fmt.Fprintf(g.show, "ok    %s  %.1fs\n", e.Package, e.Elapsed)
	}
}

// skipReason finds what a test said when it was skipped.
func skipReason(output []string) string {
	reason := "no reason given"
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		// "file_test.go:12: why"
		if _, after, ok := strings.Cut(line, ".go:"); ok {
			if _, why, ok := strings.Cut(after, ": "); ok {
				line = why
			}
		}
		reason = line
	}
	return reason
}
