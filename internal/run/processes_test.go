package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

// childEnv holds the directory that a second process works in: this test binary,
// started again, that does what its standard input says (see child).
const childEnv = "IBID_RUN_CHILD"

// child is a process with a runner of its own over a directory that others work in,
// too. It reads lines:
//
//	ask THREAD   accept a question
//	count THREAD accept work of another kind, which "next" and "end" lead on
//	say WORD     add to the answer that is being given here
//	end          finish it
//	stop THREAD  stop the run of a thread
//
// and writes: "asked RUN", "working", "counting", "cut CAUSE", "stopped".
func TestChild(t *testing.T) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		t.Skip("started by other tests as a process of its own")
	}
	lines := make(chan string)
	h := openHouse(t, dir, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		fmt.Println("working")
		return scripted(ctx, lines, emit)
	}, func(c *Config) { c.Kinds = []Kind{count(lines)} })
	fmt.Println("open")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		verb, rest, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "ask":
			fmt.Println("asked", h.ask(t, rest, "why").MessageID)
		case "count":
			fmt.Println("asked", h.startCount(t, rest).MessageID)
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
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
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

// says waits for a line that begins in a way, and returns its rest.
func (p *process) says(beginning string) string {
	p.t.Helper()
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
		case <-limit:
			p.t.Fatalf("the process does not say %q", beginning)
		}
	}
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// reader follows a run, in this process, word by word.
type reader struct {
	t    *testing.T
	tail *Tail
	got  []ibid.Event
}

func (r *reader) until(what string, found func(ibid.EventData) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for {
		events, err := r.tail.Next(ctx)
		if err != nil {
			r.t.Fatalf("while waiting for %s: %v", what, err)
		}
		r.got = append(r.got, events...)
		for _, e := range events {
			if found(e.Data) {
				return
			}
		}
	}
}

func (r *reader) word(word string) {
	r.t.Helper()
	r.until(word, func(d ibid.EventData) bool {
		delta, ok := d.(ibid.AnswerDelta)
		return ok && strings.Contains(delta.Text, word)
	})
}

func (r *reader) finished(status ibid.Status) {
	r.t.Helper()
	r.until("the end", func(d ibid.EventData) bool {
		end, ok := d.(ibid.RunFinished)
		if ok && end.Status != status {
			r.t.Errorf("the run ended as %s, not %s", end.Status, status)
		}
		return ok
	})
	if _, err := r.tail.Next(r.t.Context()); !errors.Is(err, io.EOF) {
		r.t.Errorf("after the end: %v", err)
	}
	for i, e := range r.got[1:] {
		if e.Seq <= r.got[i].Seq {
			r.t.Errorf("event %d comes after %d", e.Seq, r.got[i].Seq)
		}
	}
}

// patient looks for what other processes do so rarely that a test which needs no hints
// would not end: what it waits for comes by a hint.
func patient(c *Config) { c.Look = time.Hour }

// twoProcesses returns a runner in this process and one in another, over one
// directory. What this one works on says what it is told through words.
func twoProcesses(t *testing.T, change ...func(*Config)) (here *house, there *process, words chan string) {
	t.Helper()
	dir := t.TempDir()
	words = make(chan string)
	here = openHouse(t, dir, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		return scripted(ctx, words, emit)
	}, change...)
	return here, startProcess(t, dir), words
}

func TestWatchAnotherProcess(t *testing.T) {
	here, there, _ := twoProcesses(t, patient)
	there.tell("ask t1")
	id := there.says("asked")
	there.says("working")
	r := &reader{t: t, tail: here.Tail(access.For(ibid.Owner), id, 0)}
	for _, word := range []string{"one", "two", "three"} { // each is read before the next is said
		there.tell("say " + word)
		r.word(word)
	}
	there.tell("end")
	r.finished(ibid.StatusCompleted)
	saved, err := here.db.Message(t.Context(), access.For(ibid.Owner), id)
	if err != nil || saved.Text != "onetwothree" {
		t.Errorf("saved is %q, %v", saved.Text, err)
	}
}

func TestStopInAnotherProcess(t *testing.T) {
	here, there, words := twoProcesses(t, patient)
	there.tell("ask t1")
	id := there.says("asked")
	there.says("working")
	r := &reader{t: t, tail: here.Tail(access.For(ibid.Owner), id, 0)}
	there.tell("say half")
	r.word("half")
	if stopped, err := here.Stop(t.Context(), access.For(ibid.Owner), "t1"); err != nil || stopped != id {
		t.Fatalf("stopped %q, %v", stopped, err)
	}
	// It has ended, with what there was, when Stop returns.
	if saved, err := here.db.Message(t.Context(), access.For(ibid.Owner), id); err != nil || saved.Status != ibid.StatusStopped || saved.Text != "half" {
		t.Errorf("saved is %q (%s), %v", saved.Text, saved.Status, err)
	}
	if cause := there.says("cut"); cause != errStopped.Error() {
		t.Errorf("the other process was cut because %s", cause)
	}
	r.finished(ibid.StatusStopped)

	// And the other way round.
	acc := here.ask(t, "t2", "why")
	words <- "say here"
	there.tell("stop t2")
	there.says("stopped")
	if saved, err := here.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID); err != nil || saved.Status != ibid.StatusStopped || saved.Text != "here" {
		t.Errorf("saved is %q (%s), %v", saved.Text, saved.Status, err)
	}
}

func TestStartTakesNothingFromTheLiving(t *testing.T) {
	here, there, words := twoProcesses(t, patient)
	acc := here.ask(t, "t1", "why")
	words <- "say one"
	third := startProcess(t, here.dir) // a start, while both work
	third.kill()                       // and a death
	there.tell("ask t2")
	other := there.says("asked")
	there.says("working")
	fourth := startProcess(t, here.dir)
	words <- "say two"
	words <- "end"
	there.tell("say three")
	there.tell("end")
	for id, want := range map[string]string{acc.MessageID: "onetwo", other: "three"} {
		r := &reader{t: t, tail: here.Tail(access.For(ibid.Owner), id, 0)}
		r.finished(ibid.StatusCompleted)
		run, err := here.db.Run(t.Context(), access.For(ibid.Owner), id)
		if m, _ := here.db.Message(t.Context(), access.For(ibid.Owner), id); err != nil || run.Attempt != 1 || m.Text != want {
			t.Errorf("%q after %d attempts, %v", m.Text, run.Attempt, err)
		}
	}
	fourth.kill()
}

func TestKilledProcessIsContinuedByAnother(t *testing.T) {
	often := func(c *Config) { c.Lease = 3 * time.Second } // looked at three times in that time
	here, there, words := twoProcesses(t, often)
	there.tell("ask t1")
	id := there.says("asked")
	there.says("working")
	r := &reader{t: t, tail: here.Tail(access.For(ibid.Owner), id, 0)}
	there.tell("say lost")
	r.word("lost")
	there.kill()
	words <- "say found" // taken by the run that goes on here
	words <- "end"
	r.finished(ibid.StatusCompleted)
	run, err := here.db.Run(t.Context(), access.For(ibid.Owner), id)
	if err != nil || run.Attempt != 2 {
		t.Errorf("run %+v, %v", run, err)
	}
	// A stop of what a process held that is gone needs nobody's answer.
	last := startProcess(t, here.dir)
	last.tell("ask t2")
	second := last.says("asked")
	last.says("working")
	last.kill()
	if stopped, err := here.Stop(t.Context(), access.For(ibid.Owner), "t2"); err != nil || stopped != second {
		t.Fatalf("stopped %q, %v", stopped, err)
	}
	if m, err := here.db.Message(t.Context(), access.For(ibid.Owner), second); err != nil || m.Status != ibid.StatusStopped {
		t.Errorf("%+v, %v", m, err)
	}
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
	r := &reader{t: t, tail: h.Tail(access.For(ibid.Owner), id, 0)}
	r.finished(ibid.StatusCompleted)
}

// Without hints everything is seen a little later.
func TestWithoutHints(t *testing.T) {
	here, there, _ := twoProcesses(t, func(c *Config) { c.Notifier, c.Look = nil, 20*time.Millisecond })
	there.tell("ask t1")
	id := there.says("asked")
	there.says("working")
	r := &reader{t: t, tail: here.Tail(access.For(ibid.Owner), id, 0)}
	there.tell("say half")
	r.word("half")
	there.tell("end")
	r.finished(ibid.StatusCompleted)
}
