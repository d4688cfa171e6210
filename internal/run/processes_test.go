package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

// childEnv tells a second process what it is: this test binary, started again, that
// does what its standard input says (see TestChild).
const childEnv = "IBID_RUN_CHILD"

// child is what a process is told at its start. Zero fields take the defaults of Config.
type child struct {
	Dir     string // of the database
	MaxRuns int
	Lease   time.Duration
}

// TestChild is a process with a runner of its own over a directory that others work in,
// too. It reads lines:
//
//	ask THREAD   accept a question
//	count THREAD accept work of another kind, which "next" and "end" lead on
//	say WORD     add to the answer that is being given here
//	end          finish it
//	watch RUN    follow a run to its end, from its beginning
//	stop THREAD  stop the run of a thread
//
// and writes: "asked RUN", "working", "counting", "saw WORDS", "saw the end: STATUS",
// "cut CAUSE", "stopped".
func TestChild(t *testing.T) {
	env := os.Getenv(childEnv)
	if env == "" {
		t.Skip("started by other tests as a process of its own")
	}
	var c child
	if err := json.Unmarshal([]byte(env), &c); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	h := openHouse(t, c.Dir, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		fmt.Println("working")
		return scripted(ctx, lines, emit)
	}, func(cfg *Config) { cfg.Kinds, cfg.MaxRuns, cfg.Lease = []Kind{count(lines)}, c.MaxRuns, c.Lease })
	fmt.Println("open")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		verb, rest, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "ask":
			fmt.Println("asked", h.ask(t, rest, "why").MessageID)
		case "count":
			fmt.Println("asked", h.startCount(t, rest).MessageID)
		case "watch":
			go h.watchAloud(t.Context(), rest)
		case "stop":
			if _, err := h.Stop(t.Context(), access.For(ibid.Owner), rest); err != nil {
				t.Fatal(err)
			}
			fmt.Println("stopped")
		default:
			lines <- in.Text()
		}
	}
}

// watchAloud prints what a watcher of a run sees, up to its end.
func (h *house) watchAloud(ctx context.Context, runID string) {
	for tail := h.Tail(access.For(ibid.Owner), runID, 0); ; {
		events, err := tail.Next(ctx)
		if err != nil {
			return // what is waited for doesn't come, and the test says so
		}
		for _, e := range events {
			switch d := e.Data.(type) {
			case ibid.AnswerDelta:
				fmt.Println("saw", d.Text)
			case ibid.RunFinished:
				fmt.Println("saw the end:", d.Status)
			}
		}
	}
}

// scripted answers with what it is told: "say WORD" and "end".
func scripted(ctx context.Context, lines <-chan string, emit func(ibid.EventData) error) (agent.Outcome, error) {
	for {
		select {
		case line := <-lines:
			word, more := strings.CutPrefix(line, "say ")
			if !more {
				return agent.Outcome{}, nil
			}
			if err := emit(ibid.AnswerDelta{Text: word}); err != nil {
				return agent.Outcome{}, err
			}
		case <-ctx.Done():
			fmt.Println("cut", context.Cause(ctx))
			return agent.Outcome{}, ctx.Err()
		}
	}
}

// patience bounds what a test waits for before it fails.
const patience = time.Minute

// process is a child that runs.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	heard []string // lines that nobody has waited for yet
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	return child{Dir: dir}.start(t)
}

func (c child) start(t *testing.T) *process {
	t.Helper()
	env, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+string(env))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, in: in, lines: make(chan string, 1000)}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
		close(p.lines)
	}()
	t.Cleanup(p.kill)
	p.says("open")
	return p
}

func (p *process) tell(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// says waits for a line that begins in a way, and returns its rest. Each line is
// returned once. What a process says of two things may come in any order.
func (p *process) says(beginning string) string {
	p.t.Helper()
	for i, line := range p.heard {
		if rest, ok := strings.CutPrefix(line, beginning); ok {
			p.heard = slices.Delete(p.heard, i, i+1)
			return strings.TrimSpace(rest)
		}
	}
	limit := time.After(patience)
	for {
		select {
		case line, more := <-p.lines:
			if !more {
				p.t.Fatalf("the process ended before it said %q", beginning)
			}
			if rest, ok := strings.CutPrefix(line, beginning); ok {
				return strings.TrimSpace(rest)
			}
			p.heard = append(p.heard, line)
		case <-limit:
			p.t.Fatalf("the process does not say %q", beginning)
		}
	}
}

// works has the process accept a question in a thread and work on it, and watches that
// from here.
func (p *process) works(here *house, thread string) (runID string, w *watcher) {
	p.t.Helper()
	p.tell("ask " + thread)
	runID = p.says("asked")
	p.says("working")
	return runID, here.watch(p.t, runID)
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// watcher follows a run, in this process, word by word.
type watcher struct {
	t    *testing.T
	tail *Tail
	got  []ibid.Event
}

func (h *house) watch(t *testing.T, runID string) *watcher {
	return &watcher{t: t, tail: h.Tail(access.For(ibid.Owner), runID, 0)}
}

func (w *watcher) until(what string, found func(ibid.EventData) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		events, err := w.tail.Next(ctx)
		if err != nil {
			w.t.Fatalf("while waiting for %s: %v", what, err)
		}
		w.got = append(w.got, events...)
		for _, e := range events {
			if found(e.Data) {
				return
			}
		}
	}
}

func (w *watcher) word(word string) {
	w.t.Helper()
	w.until(word, func(d ibid.EventData) bool {
		delta, ok := d.(ibid.AnswerDelta)
		return ok && strings.Contains(delta.Text, word)
	})
}

func (w *watcher) finished(status ibid.Status) {
	w.t.Helper()
	w.until("the end", func(d ibid.EventData) bool {
		end, ok := d.(ibid.RunFinished)
		if ok && end.Status != status {
			w.t.Errorf("the run ended as %s, not %s", end.Status, status)
		}
		return ok
	})
	if _, err := w.tail.Next(w.t.Context()); !errors.Is(err, io.EOF) {
		w.t.Errorf("after the end: %v", err)
	}
	for i, e := range w.got[1:] {
		if e.Seq <= w.got[i].Seq {
			w.t.Errorf("event %d comes after %d", e.Seq, w.got[i].Seq)
		}
	}
}

// patient looks for what other processes do so rarely that a test which needs no hints
// would not end: what it waits for comes by a hint. Nor does it take what another has
// accepted and is about to claim.
func patient(c *Config) { c.Look, c.Lease = time.Hour, time.Hour }

// often looks for lost leases each second.
func often(c *Config) { c.Lease = 3 * time.Second }

// twoProcesses returns a runner in this process and one in another, over one
// directory.
func twoProcesses(t *testing.T, change ...func(*Config)) (here *house, there *process) {
	t.Helper()
	dir := t.TempDir()
	here, _ = openScripted(t, dir, change...)
	return here, startProcess(t, dir)
}

// openScripted returns a runner that works as it is told. What it is told waits until
// it works.
func openScripted(t *testing.T, dir string, change ...func(*Config)) (here *house, tell func(line string)) {
	t.Helper()
	lines := make(chan string)
	here = openHouse(t, dir, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		return scripted(ctx, lines, emit)
	}, change...)
	return here, func(line string) {
		t.Helper()
		select {
		case lines <- line:
		case <-time.After(patience):
			t.Fatalf("nothing works here that could be told %q", line)
		}
	}
}

// saved holds what is stored of a run that has ended.
func (h *house) saved(t *testing.T, runID string, status ibid.Status, attempts int, text string) {
	t.Helper()
	m, err := h.db.Message(t.Context(), access.For(ibid.Owner), runID)
	if err != nil || m.Status != status || m.Attempts != attempts || m.Text != text {
		t.Errorf("saved is %q (%s) after %d attempts, not %q (%s) after %d; %v", m.Text, m.Status, m.Attempts, text, status, attempts, err)
	}
}

func TestWatchAnotherProcess(t *testing.T) {
	here, there := twoProcesses(t, patient)
	id, w := there.works(here, "t1")
	for _, word := range []string{"one", "two", "three"} { // each is read before the next is said
		there.tell("say " + word)
		w.word(word)
	}
	there.tell("end")
	w.finished(ibid.StatusCompleted)
	here.saved(t, id, ibid.StatusCompleted, 1, "onetwothree")
}

func TestStopInAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	here, tell := openScripted(t, dir, patient)
	acc := here.ask(t, "t2", "why")
	tell("say here") // it works on that before there is anyone else to
	there := startProcess(t, dir)
	id, w := there.works(here, "t1")
	there.tell("say half")
	w.word("half")
	if stopped, err := here.Stop(t.Context(), access.For(ibid.Owner), "t1"); err != nil || stopped != id {
		t.Fatalf("stopped %q, %v", stopped, err)
	}
	// It has ended, with what there was, when Stop returns.
	here.saved(t, id, ibid.StatusStopped, 1, "half")
	if cause := there.says("cut"); cause != errStopped.Error() {
		t.Errorf("the other process was cut because %s", cause)
	}
	w.finished(ibid.StatusStopped)

	// And the other way round.
	there.tell("stop t2")
	there.says("stopped")
	here.saved(t, acc.MessageID, ibid.StatusStopped, 1, "here")
}

func TestStartTakesNothingFromTheLiving(t *testing.T) {
	dir := t.TempDir()
	here, tell := openScripted(t, dir, patient)
	acc := here.ask(t, "t1", "why")
	tell("say one")
	there := startProcess(t, dir)
	other, _ := there.works(here, "t2")
	third := startProcess(t, dir) // a start, while both work
	third.kill()                  // and a death
	fourth := startProcess(t, dir)
	tell("say two")
	tell("end")
	there.tell("say three")
	there.tell("end")
	for id, want := range map[string]string{acc.MessageID: "onetwo", other: "three"} {
		here.watch(t, id).finished(ibid.StatusCompleted)
		here.saved(t, id, ibid.StatusCompleted, 1, want)
	}
	fourth.kill()
}

// The only process is killed; the next one continues at its start, whatever is left of
// the lease.
func TestRestartContinuesAtOnce(t *testing.T) {
	dir := t.TempDir()
	only := startProcess(t, dir)
	only.tell("ask t1")
	id := only.says("asked")
	only.says("working")
	only.kill()
	next := startProcess(t, dir)
	next.says("working")
	next.tell("end")
	h := openHouse(t, dir, say(), patient)
	h.watch(t, id).finished(ibid.StatusCompleted)
}

// Without hints everything is seen a little later.
func TestWithoutHints(t *testing.T) {
	here, there := twoProcesses(t, patient, func(c *Config) { c.Notifier, c.Look = nil, 20*time.Millisecond })
	_, w := there.works(here, "t1")
	there.tell("say half")
	w.word("half")
	there.tell("end")
	w.finished(ibid.StatusCompleted)
}
