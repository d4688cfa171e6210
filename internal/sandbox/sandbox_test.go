package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/internal/ibidtest"
)

// The test binary is its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerCommand {
		os.Exit(WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func run(t *testing.T, cfg Config, code string) Result {
	t.Helper()
	if cfg.Timeout == 0 {
		cfg.Timeout = 3 * time.Minute
	}
	cfg.Command = worker(t)
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// worker is the command that starts a worker: the default one, and under the race
// detector one that hands $GORACE on, as a worker's environment is empty. Without it each
// worker would wait a second before it ends.
func worker(t *testing.T) []string {
	t.Helper()
	env, err := exec.LookPath("env")
	if !ibidtest.Raced || err != nil {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{env, "GORACE=" + os.Getenv("GORACE"), exe, WorkerCommand}
}

func TestPrograms(t *testing.T) {
	for code, want := range map[string]Result{
		"1 + 2":                                    {Value: "3"},
		"x = 5\nx * 2":                             {Value: "10"},
		"print('a', 1)\nprint('ü')":                {Output: "a 1\nü\n"},
		"import math\nmath.sqrt(2)":                {Value: "1.4142135623730951"},
		"import json\njson.decode('[1]')":          {Value: "[1]"},
		"json.encode({'b': 1, 'a': [None, True]})": {Value: `"{\"a\":[null,true],\"b\":1}"`},
		"sum([1, 2.5])":                            {Value: "3.5"},
		"sum([[1], [2]], [])":                      {Value: "[1, 2]"},
		"pow(2, 100)":                              {Value: "1267650600228229401496703205376"},
		"pow(3, 200, 7)":                           {Value: "2"},
		"pow(2, 0.5)":                              {Value: "1.4142135623730951"},
		"pow(-1, 10 * 12 + 1)":                     {Value: "-1"},
		"pow(0, 0)":                                {Value: "1"},
		"pow(1, 1 << 500)":                         {Value: "1"},
		"round(2.675, 2)":                          {Value: "2.67"},
		"round(2.5)":                               {Value: "2"},
		"round(1234.5, -2)":                        {Value: "1200.0"},
		"divmod(-7, 2)":                            {Value: "(-4, 1)"},
		"n = 0\nwhile n < 10:\n  n += 3\nn":        {Value: "12"},
		"def fib(n):\n  return n if n < 2 else fib(n-1) + fib(n-2)\nfib(15)": {Value: "610"},
		"[w.upper() for w in 'a b'.split()]":                                 {Value: `["A", "B"]`},
		"None":                                                               {},
		"":                                                                   {},
		"x = [3, 1]\nx.sort":                                                 {Error: "line 2: list has no .sort field or method"},
		"1/0":                                                                {Error: "line 1: floating-point division by zero"},
		"a\n1":                                                               {Error: "line 1: undefined: a"},
		"def f():\n  return (":                                               {Error: "line 2: got newline, want primary expression"},
		"print(1)\nfail('no')":                                               {Output: "1\n", Error: "line 2: fail: no"},
	} {
		got := run(t, Config{}, code)
		got.Steps = 0
		if got != want {
			t.Errorf("%q came to %+v, want %+v", code, got, want)
		}
	}
}

// What is outside does not exist.
func TestNothingOutside(t *testing.T) {
	for _, code := range []string{"open('/etc/passwd')", "import os", "load('x.star', 'y')", "time.now()", "__import__('os')", "eval('1')",
		"exec('1')", "input()", "globals()", "import socket", "random.random()", "math.__class__"} {
		if got := run(t, Config{}, code); got.Error == "" || got.Value != "" {
			t.Errorf("%q came to %+v", code, got)
		}
	}
}

func TestTheSameEveryTime(t *testing.T) {
	const code = "d = {str(i) * 3: hash(str(i)) for i in range(200)}\ns = set(['x', 'y', 'z'])\nprint(list(s), dir(d))\njson.encode(d)"
	first := run(t, Config{OutputBytes: 1 << 20}, code)
	if again := run(t, Config{OutputBytes: 1 << 20}, code); again != first || first.Error != "" {
		t.Errorf("the same program came to %+v and to %+v", first, again)
	}
}

// Hostile programs cost no more than they may, and say which limit they met.
func TestHostilePrograms(t *testing.T) {
	small := Config{MemoryBytes: 64 << 20, Steps: 2_000_000, Timeout: time.Minute} // of which only those see the end that may
	for name, tc := range map[string]struct {
		code string
		want []string
	}{
		"endless loop":       {"while True:\n  pass", []string{"steps"}},
		"endless recursion":  {"def f(n):\n  return f(n + 1)\nf(0)", []string{"deep", "memory"}},
		"mutual recursion":   {"def f(n):\n  return g(n)\ndef g(n):\n  return [f(n) for _ in [1]]\nf(0)", []string{"deep", "memory"}},
		"doubling a string":  {"s = 'x'\nwhile True:\n  s += s", []string{"memory"}},
		"doubling a list":    {"l = [1]\nwhile True:\n  l += l", []string{"memory"}},
		"repeating a string": {"len('x' * 1000000000)", []string{"memory", "excessive"}},
		"repeating more":     {"'x' * (1 << 62)", []string{"excessive", "large", "range"}},
		"repeating a list":   {"len([0] * 100000000)", []string{"memory", "excessive"}},
		"repeating bytes":    {"len(bytes('x') * 1000000000)", []string{"memory", "excessive"}},
		"a list of a range":  {"len(list(range(1000000000)))", []string{"memory"}},
		"sorting a range":    {"sorted(range(1000000000))", []string{"memory"}},
		"a set of a range":   {"set(range(1000000000))", []string{"memory"}},
		"nested lists":       {"l = []\nfor i in range(150000):\n  l = [l]\nstr(l)", []string{"memory", "deep", "more than", "ended"}},
		"squaring":           {"x = 3\nwhile True:\n  x = x * x", []string{"memory", "more than", "ended"}},
		"shifting":           {"1 << 100000000", []string{"shift"}},
		"powers":             {"pow(10, 10000000)", []string{"too large"}},
		"joining":            {"l = ['x' * 1000] * 100000\nlen(','.join(l * 100))", []string{"memory", "excessive"}},
		"replacing":          {"len(('x' * 100000).replace('x', 'y' * 100000))", []string{"memory"}},
		"formatting":         {"len('%s' * 100000 % tuple(['x' * 100000] * 100000))", []string{"memory"}},
		"json":               {"s = '[' * 1000000\njson.decode(s)", []string{"memory", "deep", "ended", "json"}},
		"encoding":           {"d = ['x' * 1000000] * 1000\nlen(json.encode(d))", []string{"memory", "more than"}},
		"brackets":           {strings.Repeat("(", 19000), []string{"line"}},
		"a long program":     {strings.Repeat("x", MaxCode+1), []string{"longer"}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := small
			if slices.Contains(tc.want, "more than") {
				cfg.Timeout = 3 * time.Second
			}
			got := run(t, cfg, tc.code)
			for _, w := range tc.want {
				if strings.Contains(got.Error, w) {
					return
				}
			}
			t.Errorf("came to %.300q, value %.80q; want an error with one of %q", got.Error, got.Value, tc.want)
		})
	}
}

func TestOutputIsBounded(t *testing.T) {
	got := run(t, Config{OutputBytes: 1000}, "for i in range(100000):\n  print('\x01ü' * 50)\n'z' * 5000")
	if len(got.Output) > 1000 || len(got.Value) > 1000 || !got.Truncated || got.Error != "" {
		t.Errorf("%d bytes printed, a value of %d, truncated %v, %q", len(got.Output), len(got.Value), got.Truncated, got.Error)
	}
}

func TestTimeAndCancellation(t *testing.T) {
	const busy = "x = 0\nfor i in range(1 << 60):\n  x = sum(range(1000000))"
	if got := run(t, Config{Timeout: 300 * time.Millisecond, Steps: 1 << 60}, busy); !strings.Contains(got.Error, "more than 300ms") {
		t.Errorf("a program that takes long came to %+v", got)
	}
	r, err := New(Config{Steps: 1 << 60, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	r.slots <- struct{}{}
	waiting, give := context.WithCancel(t.Context())
	give()
	if _, err := r.Run(waiting, "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up waiting gets %v", err)
	}
	<-r.slots
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := r.Run(ctx, busy)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a program that nobody waits for ended with %v", err)
	}
}
