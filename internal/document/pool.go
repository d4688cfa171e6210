package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/proc"
)

// Config says how a pool runs.
type Config struct {
	Command  []string      // starts a worker; by default this binary with WorkerCommand
	CacheDir string        // where compiled PDFium is kept
	Workers  int           // files read at the same time, 1 by default
	Idle     time.Duration // after which a worker without a job ends, 1 minute by default
	Limits   Limits
	Formats  format.List // that are read, Formats() by default; Command must read the same
	// Pages and pictures without text are read with tesseract where that is
	// installed, unless NoOCR is set.
	NoOCR        bool
	OCRLanguages string // "eng+deu"; by default those that are installed (FindOCR)
}

// Pool reads files in worker processes. It is safe for concurrent use; calls
// beyond Config.Workers wait.
type Pool struct {
	cfg     Config
	slots   chan struct{} // one element for each job that runs; a job with less beside it holds several
	gather  chan struct{} // one element while a job gathers several slots: two at once would wait for each other
	stopped context.Context
	stop    context.CancelFunc
	timers  sync.WaitGroup

	mu   sync.Mutex
	free []*process // most recently used last
}

// New returns a pool that starts its workers when they are needed.
func New(cfg Config) (*Pool, error) {
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Formats == nil {
		cfg.Formats = Formats()
	}
	setDefault(&cfg.Workers, 1)
	setDefault(&cfg.Idle, time.Minute)
	if len(cfg.Command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this binary to start workers: %w", err)
		}
		cfg.Command = []string{exe, WorkerCommand}
	}
	p := &Pool{cfg: cfg, slots: make(chan struct{}, cfg.Workers), gather: make(chan struct{}, 1)}
	p.stopped, p.stop = context.WithCancel(context.Background())
	return p, nil
}

// Stop kills all workers; jobs that run fail. It returns when no process and
// no goroutine of the pool is left, and may be called more than once.
func (p *Pool) Stop() {
	p.stop()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	defer func() {
		for range cap(p.slots) {
			<-p.slots
		}
	}()
	p.endIdle()
	p.timers.Wait()
}

// endIdle ends the workers that have no job.
func (p *Pool) endIdle() {
	p.mu.Lock()
	free := p.free
	p.free = nil
	p.mu.Unlock()
	for _, w := range free {
		if w.idle.Stop() {
			p.timers.Done()
		}
		_ = w.end()
	}
}

// Extract reads a file. progress, which may be nil, is called from this
// goroutine. Where only some of a file could be read, that is returned with a
// Notice; an error means that nothing could be, and is one line for the user, or
// an ibid.ErrWorkerKilled where the file is to be tried again.
func (p *Pool) Extract(ctx context.Context, req Request, progress func(Progress)) (ibid.Extract, error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	src, err := req.open(p.cfg.Limits.InputBytes)
	if err != nil {
		return ibid.Extract{}, err
	}
	defer src.close()
	ctx, release, err := p.enter(ctx, req.Killed)
	if err != nil {
		return ibid.Extract{}, err
	}
	defer release()
	c := newCollector(p.cfg.Formats, p.cfg.Limits, progress)
	deadline := p.deadline()
	j := p.job(taskExtract, req, src)
	for {
		err := p.run(ctx, j, src, deadline, c.frame)
		if err == nil {
			return c.finish()
		}
		var died *deathError
		if !errors.As(err, &died) {
			return ibid.Extract{}, err
		}
		if err := died.again(req, src); err != nil {
			return ibid.Extract{}, err
		}
		next, goOn := c.died(died.reason)
		if !goOn {
			return c.finish()
		}
		j.From = next
	}
}

// ReadFile reads a file that is in memory. Where its worker is killed from outside it
// is read once more, alone.
func (p *Pool) ReadFile(ctx context.Context, name string, data []byte) (x ibid.Extract, err error) {
	err = onceMore(Request{Data: data, Name: name}, func(req Request) error {
		x, err = p.Extract(ctx, req, nil)
		return err
	})
	return x, err
}

// RenderPage draws a page of a PDF, width pixels wide, as PNG. Where its worker is
// killed from outside it is drawn once more, alone.
func (p *Pool) RenderPage(ctx context.Context, req Request, page, width int) (png []byte, err error) {
	err = onceMore(req, func(req Request) error {
		png, err = p.renderPage(ctx, req, page, width)
		return err
	})
	return png, err
}

// onceMore reads a file, and again with nothing beside it where its worker was killed.
func onceMore(req Request, read func(Request) error) error {
	err := read(req)
	if errors.Is(err, ibid.ErrWorkerKilled) {
		req.Killed = Alone
		err = read(req)
	}
	return err
}

func (p *Pool) renderPage(ctx context.Context, req Request, page, width int) ([]byte, error) {
	src, err := req.open(p.cfg.Limits.InputBytes)
	if err != nil {
		return nil, err
	}
	defer src.close()
	ctx, release, err := p.enter(ctx, req.Killed)
	if err != nil {
		return nil, err
	}
	defer release()
	j := p.job(taskRender, req, src)
	j.Page, j.Width = page, width
	var png []byte
	collect := func(kind frameKind, payload []byte) error {
		if kind == frameImage {
			png = payload
		}
		return nil
	}
	err = p.run(ctx, j, src, p.deadline(), collect)
	var died *deathError
	if errors.As(err, &died) {
		if err := died.again(req, src); err != nil {
			return nil, err
		}
		return nil, &ibid.Error{Code: deathCode(died.reason), Message: fmt.Sprintf("page %d cannot be drawn", page), Err: died.reason}
	}
	return png, err
}

func (p *Pool) job(task string, req Request, src *source) job {
	l := p.cfg.Limits
	return job{Task: task, Job: format.Job{
		Size: src.size, Name: src.name, Format: req.Format, Password: req.Password,
		NoOCR: p.cfg.NoOCR, OCRLanguages: p.cfg.OCRLanguages,
		CacheDir: p.cfg.CacheDir, MemoryBytes: l.MemoryBytes, TextBytes: l.TextBytes, Pages: l.Pages,
	}}
}

func (p *Pool) deadline() time.Time { return time.Now().Add(p.cfg.Limits.Timeout) }

// deathError says that a worker was killed or crashed in the middle of a file.
type deathError struct{ reason error }

func (e *deathError) Error() string { return e.reason.Error() }
func (e *deathError) Unwrap() error { return e.reason }

// again returns an ErrWorkerKilled where the file that the worker was reading is to
// be tried again, else nil.
func (e *deathError) again(req Request, src *source) error {
	if errors.Is(e.reason, proc.ErrKilled) && req.Killed < Alone {
		return fmt.Errorf("read %s: %w", src.name, ibid.ErrWorkerKilled)
	}
	return nil
}

func deathCode(reason error) ibid.Code {
	switch {
	case errors.Is(reason, errTimeout) || errors.Is(reason, errStalled):
		return ibid.CodeTimeout
	case errors.Is(reason, proc.ErrKilled):
		return ibid.CodeInternal
	}
	return ibid.CodeBadRequest
}

// beside is how many jobs may run, that one included, while a file is read whose
// worker was killed before.
func (p *Pool) beside(killed int) int {
	switch {
	case killed >= Alone:
		return 1
	case killed > 0:
		return max(1, cap(p.slots)/2)
	}
	return cap(p.slots)
}

// enter waits for a slot, and holds as many as it takes to keep others from
// running beside a file whose worker was killed before. The context it returns
// also ends when the pool stops.
func (p *Pool) enter(ctx context.Context, killed int) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(p.stopped, cancel)
	held := 0
	release := func() {
		unhook()
		cancel()
		for range held {
			<-p.slots
		}
	}
	want := cap(p.slots) - p.beside(killed) + 1
	if want > 1 {
		select {
		case p.gather <- struct{}{}:
			defer func() { <-p.gather }()
		case <-ctx.Done():
		}
	}
	for held < want && ctx.Err() == nil {
		select {
		case p.slots <- struct{}{}:
			held++
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		release() // a slot that is kept would hold up Stop for ever
		return nil, nil, fmt.Errorf("wait for a worker: %w", err)
	}
	if killed >= Alone {
		p.endIdle() // they hold memory
	}
	return ctx, release, nil
}

// run does one job on a worker of its own. handle gets every frame but the
// last. Errors: the file's own (*ibid.Error), ctx's, or a deathError.
func (p *Pool) run(ctx context.Context, j job, src *source, deadline time.Time, handle func(frameKind, []byte) error) error {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", src.name, err)
	}
	w, err := p.take()
	if err != nil {
		return err
	}
	watch := watchProcess(ctx, w, p.cfg.Limits, deadline)
	err = converse(w, j, src, func(kind frameKind, payload []byte) error {
		watch.touch()
		switch kind {
		case frameStart:
			if string(payload) == "true" {
				watch.wait()
			}
			return nil
		case frameOCR:
			watch.extend()
		}
		return handle(kind, payload)
	})
	killed := watch.end()
	if err == nil && killed == nil {
		p.put(w)
		return nil
	}
	var refused *ibid.Error
	if errors.As(err, &refused) && killed == nil {
		p.put(w)
		return refused
	}
	ended := w.end()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("read %s: %w", src.name, ctx.Err())
	case killed != nil:
		return &deathError{killed}
	}
	return crashReason(w, err, ended)
}

// errSource marks that the file, not the worker, failed.
var errSource = errors.New("the file cannot be read to its end")

func crashReason(w *process, err, ended error) error {
	var exit interface{ ExitCode() int }
	switch {
	case errors.Is(err, errSource):
		return &ibid.Error{Code: ibid.CodeBadRequest, Message: err.Error()}
	case w.stderr.outOfMemory() || errors.As(ended, &exit) && exit.ExitCode() == proc.ExitMemory:
		return &deathError{errMemory}
	case isCutOff(err) && proc.KilledFromOutside(ended), errors.As(ended, &exit) && exit.ExitCode() == proc.ExitKilled:
		return &deathError{proc.ErrKilled}
	}
	return &deathError{errCrashed}
}

// isCutOff reports whether the worker closed its end: one that still lives is ended
// by this process, and how it ends says nothing.
func isCutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
}

// converse sends a job with its file and handles the answers. It returns an
// *ibid.Error when the worker refused the file.
func converse(w *process, j job, src io.Reader, handle func(frameKind, []byte) error) error {
	if err := writeJSON(w.in, frameJob, j); err != nil {
		return err
	}
	if err := sendFile(w.in, src, j.Size); err != nil {
		return err
	}
	for {
		kind, payload, err := readFrame(w.out)
		if err != nil {
			return err
		}
		if kind == frameFail {
			var f failure
			if err := json.Unmarshal(payload, &f); err != nil {
				return fmt.Errorf("decode frame: %w", err)
			}
			return &ibid.Error{Code: f.Code, Message: f.Message, Hint: f.Hint}
		}
		if err := handle(kind, payload); err != nil {
			return err
		}
		if kind == frameDone {
			return nil
		}
	}
}

// sendFile copies exactly size bytes; a file that has become shorter is an errSource.
func sendFile(w io.Writer, src io.Reader, size int64) error {
	r := &readErrors{r: src}
	n, err := io.CopyN(w, r, size)
	switch {
	case r.err != nil && r.err != io.EOF:
		return fmt.Errorf("%w: %w", errSource, r.err)
	case err != nil && n < size && r.err == io.EOF:
		return fmt.Errorf("%w: it became shorter meanwhile", errSource)
	}
	return err
}

// readErrors remembers the error of reading, apart from that of writing.
type readErrors struct {
	r   io.Reader
	err error
}

func (r *readErrors) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil {
		r.err = err
	}
	return n, err
}

// take returns an idle worker or starts one.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	var w *process
	if n := len(p.free); n > 0 {
		w = p.free[n-1]
		p.free = p.free[:n-1]
	}
	p.mu.Unlock()
	if w == nil {
		return startProcess(p.cfg.Command)
	}
	if w.idle.Stop() {
		p.timers.Done()
	}
	return w, nil
}

// put keeps a worker for the next job, for a while.
func (p *Pool) put(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timers.Add(1)
	w.idle = time.AfterFunc(p.cfg.Idle, func() {
		defer p.timers.Done()
		if p.forget(w) {
			_ = w.end()
		}
	})
	p.free = append(p.free, w)
}

// forget removes a worker from the idle ones and reports whether it was there.
func (p *Pool) forget(w *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.free {
		if f == w {
			p.free = append(p.free[:i], p.free[i+1:]...)
			return true
		}
	}
	return false
}
