package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/internal/ibidtest"
)

// recorded is what go test -json says about a package with each outcome, one
// that does not build, and one that panics.
const recorded = `{"Action":"start","Package":"p/a"}
{"Action":"run","Package":"p/a","Test":"TestGood"}
{"Action":"output","Package":"p/a","Test":"TestGood","Output":"chatter\n"}
{"Action":"pass","Package":"p/a","Test":"TestGood","Elapsed":0}
{"Action":"run","Package":"p/a","Test":"TestBad/sub"}
{"Action":"output","Package":"p/a","Test":"TestBad/sub","Output":"    a_test.go:7: it broke\n"}
{"Action":"fail","Package":"p/a","Test":"TestBad/sub","Elapsed":0}
{"Action":"fail","Package":"p/a","Test":"TestBad","Elapsed":0}
{"Action":"output","Package":"p/a","Test":"TestSkip","Output":"=== RUN   TestSkip\n"}
{"Action":"output","Package":"p/a","Test":"TestSkip","Output":"    a_test.go:9: no disk: too small\n"}
{"Action":"output","Package":"p/a","Test":"TestSkip","Output":"--- SKIP: TestSkip (0.00s)\n"}
{"Action":"skip","Package":"p/a","Test":"TestSkip","Elapsed":0}
{"Action":"fail","Package":"p/a","Elapsed":1.5}
{"ImportPath":"p/b [p/b.test]","Action":"build-output","Output":"b.go:3: undefined: x\n"}
{"ImportPath":"p/b [p/b.test]","Action":"build-fail"}
{"Action":"fail","Package":"p/b","Elapsed":0,"FailedBuild":"p/b [p/b.test]"}
{"Action":"output","Package":"p/c","Test":"TestPanics","Output":"panic: oh\n"}
{"Action":"fail","Package":"p/c","Elapsed":0.1}
{"Action":"pass","Package":"p/d","Elapsed":2}
{"Action":"skip","Package":"p/e","Elapsed":0}
{"Action":"output","Package":"p/f","Test":"TestLong/sub","Output":"    a_test.go:9: deferred from the race detector: pure arithmetic\n"}
{"Action":"skip","Package":"p/f","Test":"TestLong/sub","Elapsed":0}
{"Action":"pass","Package":"p/f","Test":"TestLong","Elapsed":0}
{"Action":"output","Package":"p/f","Test":"TestMany","Output":"    a_test.go:9: deferred from the race detector: 3 of 90 rounds\n"}
{"Action":"pass","Package":"p/f","Test":"TestMany","Elapsed":0}
not an event
`

func TestGoReader(t *testing.T) {
	var shown bytes.Buffer
	g := newGoReader(&shown)
	if err := g.read(strings.NewReader(recorded)); err != nil {
		t.Fatal(err)
	}
	if want := (counts{passed: 3, failed: 4, skipped: 1}); g.counts != want {
		t.Errorf("counted %+v, want %+v", g.counts, want)
	}
	for _, want := range []string{"it broke", "undefined: x", "panic: oh", "FAIL  p/a  1.5s", "ok    p/d  2.0s", "not an event"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%q is not shown in:\n%s", want, shown.String())
		}
	}
	if strings.Contains(shown.String(), "chatter") {
		t.Error("the output of a test that passed is shown")
	}
	if len(g.skips) != 1 || g.skips[0] != "p/a.TestSkip: no disk: too small" {
		t.Errorf("skips are %q", g.skips)
	}
}

// What was deferred is run by its name in the packages that have some, and whatever
// did not run then is a failure.
func TestDeferred(t *testing.T) {
	g := newGoReader(&bytes.Buffer{})
	if err := g.read(strings.NewReader(recorded)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(names{"p/f": {"TestLong": true, "TestMany": true}}, g.deferred); d != "" {
		t.Error(d)
	}
	packages, pattern := g.deferred.selection()
	if !slices.Equal(packages, []string{"p/f"}) || pattern != "^(TestLong|TestMany)$" {
		t.Errorf("runs %s of %v", pattern, packages)
	}
	if missed := g.deferred.without(names{"p/f": {"TestMany": true}, "p/g": {"TestLong": true}}); !slices.Equal(missed, []string{"p/f.TestLong"}) {
		t.Errorf("missed %v", missed)
	}
	if missed := g.deferred.without(g.ended); len(missed) > 0 {
		t.Errorf("missed %v, which ended", missed)
	}
}

// The sign is the one that tests give.
func TestTheSignOfDeferredTests(t *testing.T) {
	if deferredSign != ibidtest.Deferred {
		t.Errorf("%q, and tests say %q", deferredSign, ibidtest.Deferred)
	}
}

// The slowest are named, tests and packages each by themselves.
func TestSlowest(t *testing.T) {
	g := newGoReader(&bytes.Buffer{})
	if err := g.read(strings.NewReader(recorded)); err != nil {
		t.Fatal(err)
	}
	for i := range shownSlowest {
		g.took = append(g.took, duration{"p/g", "TestSlow", float64(10 + i)})
	}
	var shown bytes.Buffer
	showSlowest(&shown, g.took)
	lines := strings.Split(shown.String(), "\n")
	if want := "slowest tests:   19.0s  p/g.TestSlow"; lines[0] != want {
		t.Errorf("the first line is %q, want %q", lines[0], want)
	}
	if want := "slowest packages:    2.0s  p/d"; lines[shownSlowest] != want {
		t.Errorf("after the tests comes %q, want %q", lines[shownSlowest], want)
	}
	if strings.Contains(shown.String(), "TestGood") || strings.Contains(shown.String(), "/sub") {
		t.Errorf("more is named than the slowest:\n%s", shown.String())
	}
}

func TestLongestFirst(t *testing.T) {
	got := longestFirst([]string{"ibid", "ibid/internal/ingest", "ibid/cmd/ibid", "ibid/scripts/test"})
	if want := []string{"ibid/cmd/ibid", "ibid/internal/ingest", "ibid", "ibid/scripts/test"}; !slices.Equal(got, want) {
		t.Errorf("sorted as %v, want %v", got, want)
	}
}
