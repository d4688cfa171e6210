// Package sandbox runs short programs that a model has written, in Starlark, a
// small Python. The language has no way to a file, a connection, a clock or
// chance: what a program can do is compute, and the same program always comes to
// the same. That leaves what it may cost, and nothing inside a process bounds
// memory for sure. So each program has a process of its own (the same binary,
// started with WorkerCommand), which counts steps and depth, gives up on its own
// when its heap grows too large, may not have more address space than its limit
// (on Linux), and is killed when the time is over or nobody waits any more.
//
//	parent: Runner.Run ── program ──▶ worker: WorkerMain ── interpret
//	        wait, kill  ◀── result ──
package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"ibid"
)

// WorkerCommand is the argument with which the binary runs as a worker.
const WorkerCommand = "code-worker"

// MaxCode bounds a program, in bytes.
const MaxCode = 20_000

// Config says what a program may cost. Zero values take the defaults named beside
// them.
type Config struct {
	Command     []string      // starts a worker; by default this binary with WorkerCommand
	Timeout     time.Duration // 10 s
	Steps       int64         // of the interpreter; 50 million
	MemoryBytes int64         // of the worker beyond what it starts with; 256 MiB
	OutputBytes int           // of what is printed, and of the value; 12 KiB each
	Parallel    int           // programs at the same time, others wait; 2
}

// Runner runs programs. It is safe for concurrent use.
type Runner struct {
	cfg   Config
	slots chan struct{}
}

// New returns a Runner.
func New(cfg Config) (*Runner, error) {
	if len(cfg.Command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this binary to run programs: %w", err)
		}
		cfg.Command = []string{exe, WorkerCommand}
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 10 * time.Second
	}
	if cfg.Steps <= 0 {
		cfg.Steps = 50_000_000
	}
	if cfg.MemoryBytes <= 0 {
		cfg.MemoryBytes = 256 << 20
	}
	if cfg.OutputBytes <= 0 {
		cfg.OutputBytes = 12 << 10
	}
	if cfg.Parallel <= 0 {
		cfg.Parallel = 2
	}
	return &Runner{cfg: cfg, slots: make(chan struct{}, cfg.Parallel)}, nil
}

// Result is what a program came to.
type Result struct {
	Output    string `json:"output,omitempty"`    // what it printed
	Value     string `json:"value,omitempty"`     // of its last line, where that is an expression that is not None
	Error     string `json:"error,omitempty"`     // why it failed, with the line
	Truncated bool   `json:"truncated,omitempty"` // there was more output than is shown
	Steps     int64  `json:"steps"`
}

// program is what a worker is sent.
type program struct {
	Code        string `json:"code"`
	Steps       int64  `json:"steps"`
	MemoryBytes int64  `json:"memory_bytes"`
	OutputBytes int    `json:"output_bytes"`
	Seconds     int    `json:"seconds"` // of processor time, should nobody be left to kill the worker
}

// Run runs a program to its end. What is wrong with the program, also that it
// took too much, is a Result with Error set; an error is ctx's or our own.
func (r *Runner) Run(ctx context.Context, code string) (Result, error) {
	if len(code) > MaxCode {
		return Result{Error: fmt.Sprintf("the program is longer than %d bytes", MaxCode)}, nil
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	job, err := json.Marshal(program{Code: strings.ToValidUTF8(code, "\uFFFD"), Steps: r.cfg.Steps, MemoryBytes: r.cfg.MemoryBytes,
		OutputBytes: r.cfg.OutputBytes, Seconds: int(r.cfg.Timeout/time.Second) + 1})
	if err != nil {
		return Result{}, fmt.Errorf("write a program for its worker: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, r.cfg.Command[0], r.cfg.Command[1:]...)
	cmd.Env = []string{"LC_ALL=C.UTF-8", "GOTRACEBACK=none", "GOMAXPROCS=2"}
	cmd.Dir = os.TempDir()
	cmd.Stdin = bytes.NewReader(job)
	// A result is at most its two texts, each byte written as \u00xx, and a little.
	stdout, stderr := &bounded{limit: 16*r.cfg.OutputBytes + 4096}, &bounded{limit: 4096}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second
	prepare(cmd)
	failed := cmd.Run()
	var result Result
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case limited.Err() != nil:
		return Result{Error: fmt.Sprintf("the program ran for more than %v and was ended", r.cfg.Timeout)}, nil
	case failed == nil:
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			return Result{}, fmt.Errorf("read the result of a program: %w", err)
		}
		return result, nil
	}
	return r.died(failed, stderr.String())
}

// died says why a worker ended without a result.
func (r *Runner) died(failed error, said string) (Result, error) {
	var exit *exec.ExitError
	if !errors.As(failed, &exit) {
		return Result{}, &ibid.Error{Code: ibid.CodeInternal, Message: "programs cannot be run here", Err: failed}
	}
	switch {
	case exit.ExitCode() == exitMemory, strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return Result{Error: fmt.Sprintf("the program needed more than %d MiB of memory and was ended", r.cfg.MemoryBytes>>20)}, nil
	case strings.Contains(said, "stack exceeds"):
		return Result{Error: "the program nests too deeply and was ended"}, nil
	}
	return Result{Error: "the program was ended: it took too much time or memory"}, nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
