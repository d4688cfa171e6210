package document

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ibid/internal/document/format"
	"ibid/internal/document/proc"
)

// process is a running worker. One job uses it at a time.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
	idle   *time.Timer // ends the process when no job comes
}

func startProcess(command []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	proc.Prepare(cmd)
	p := &process{cmd: cmd, stderr: &tail{}}
	cmd.Stderr = p.stderr
	cmd.Env = proc.Env()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start reader: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start reader: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 256<<10)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start reader: %w", err)
	}
	return p, nil
}

// end kills the process and waits until it is gone.
func (p *process) end() error {
	proc.KillGroup(p.cmd.Process)
	return p.cmd.Wait()
}

// watch kills a process that costs more than it may while a job runs on it.
type watch struct {
	limits  Limits
	process *process
	touched atomic.Int64 // when the last sign of progress came, in Unix ns
	extra   atomic.Int64 // ns beyond the deadline
	stop    chan struct{}
	ended   sync.WaitGroup
	reason  error // why the process was killed; read after ended
}

const watchInterval = 50 * time.Millisecond

func watchProcess(ctx context.Context, p *process, limits Limits, deadline time.Time) *watch {
	w := &watch{limits: limits, process: p, stop: make(chan struct{})}
	w.touch()
	w.ended.Add(1)
	go func() {
		defer w.ended.Done()
		w.run(ctx, deadline)
	}()
	return w
}

func (w *watch) touch() { w.touched.Store(time.Now().UnixNano()) }

// wait holds a process to the time of the whole file alone until its next sign:
// what it does now says nothing of the file, and takes minutes on a busy machine.
func (w *watch) wait() { w.touched.Store(time.Now().Add(w.limits.Timeout).UnixNano()) }

// extend gives a page that is recognised the time it may take: a scanned book
// takes hours and gets on all the while.
func (w *watch) extend() { w.extra.Add(int64(w.limits.Stall)) }

// end stops the watch and returns why it killed the process, nil if it did not.
func (w *watch) end() error {
	close(w.stop)
	w.ended.Wait()
	return w.reason
}

func (w *watch) run(ctx context.Context, deadline time.Time) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-ctx.Done():
			w.reason = ctx.Err()
		case now := <-tick.C:
			w.reason = w.check(now, deadline)
		}
		if w.reason != nil {
			proc.KillGroup(w.process.cmd.Process)
			return
		}
	}
}

// Why a worker was killed or ended by itself.
var (
	errTimeout = errors.New("it took too long")
	errStalled = errors.New("it did not get on")
	errMemory  = errors.New("it needed too much memory")
	errCrashed = errors.New("the reader crashed on it")
)

func (w *watch) check(now time.Time, deadline time.Time) error {
	switch {
	case now.After(deadline.Add(time.Duration(w.extra.Load()))):
		return fmt.Errorf("%w: more than %v", errTimeout, w.limits.Timeout)
	case now.Sub(time.Unix(0, w.touched.Load())) > w.limits.Stall:
		return fmt.Errorf("%w for %v", errStalled, w.limits.Stall)
	case proc.ResidentBytes(w.process.cmd.Process.Pid) > w.limits.MemoryBytes:
		return fmt.Errorf("%w: more than %s", errMemory, format.Megabytes(w.limits.MemoryBytes))
	}
	return nil
}

// tail keeps the end of what a worker wrote to stderr.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > tailBytes {
		t.b = append(t.b[:0], t.b[len(t.b)-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tail) outOfMemory() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Contains(string(t.b), "out of memory") || strings.Contains(string(t.b), "cannot allocate memory")
}
