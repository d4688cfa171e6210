package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// house is a runner over a real database whose answers the test scripts.
type house struct {
	*Runner
	db   *sqlite.DB
	dir  string
	stop func()
}

type answerFunc = func(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error)

func openHouse(t *testing.T, dir string, answer answerFunc, change ...func(*Config)) *house {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	self, err := db.Join()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	ids := 0
	cfg := Config{Store: db, Leases: db, Threads: db, Answer: answer, Owner: self.Owner(), Notifier: self, Now: time.Now,
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			ids++
			return fmt.Sprintf("m%d-%d", ids, time.Now().UnixNano())
		}}
	for _, c := range change {
		c(&cfg)
	}
	h := &house{Runner: New(cfg), db: db, dir: dir}
	h.Open()
	h.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // no soft wait
		h.Close(ctx)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(h.stop)
	return h
}

func (h *house) ask(t *testing.T, thread, text string) Accepted {
	t.Helper()
	acc, err := h.Start(t.Context(), access.For(ibid.Owner), Ask{ThreadID: thread, Request: ibid.Request{Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	return acc
}

// read follows a run from a position to its end.
func (h *house) read(t *testing.T, runID string, after int64) []ibid.Event {
	t.Helper()
	var all []ibid.Event
	for tail := h.Tail(access.For(ibid.Owner), runID, after); ; {
		events, err := tail.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events...)
	}
}

func say(words ...string) answerFunc {
	return func(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		for _, w := range words {
			if err := emit(ibid.AnswerDelta{Text: w}); err != nil {
				return agent.Outcome{}, err
			}
		}
		return agent.Outcome{Iterations: 1}, nil
	}
}

func TestAnswerIsSavedAndStreamed(t *testing.T) {
	h := openHouse(t, t.TempDir(), say("one ", "two ", "three"))
	acc := h.ask(t, "t1", "count")
	events := h.read(t, acc.MessageID, 0)
	if last, ok := events[len(events)-1].Data.(ibid.RunFinished); !ok || last.Status != ibid.StatusCompleted {
		t.Fatalf("last event %+v", events[len(events)-1])
	}
	folded := ibid.FoldEvents(events)
	saved, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if err != nil || saved.Text != "one two three" || saved.Text != folded.Text || saved.Status != ibid.StatusCompleted {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	if saved.Finished.Timing.TotalMS <= 0 || saved.Finished.Timing.FirstAnswerMS <= 0 || saved.Memory.UsedChars != len("count")+len("one two three") {
		t.Fatalf("timing %+v, memory %+v", saved.Finished.Timing, saved.Memory)
	}
	user, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.UserMessageID)
	if err != nil || user.Text != "count" || saved.ParentID != user.ID {
		t.Fatalf("user message %+v, %v", user, err)
	}
}

func TestReadersFromEveryPositionSeeTheSame(t *testing.T) {
	var words []string
	for i := range 200 {
		words = append(words, fmt.Sprintf("word%d ", i))
	}
	h := openHouse(t, t.TempDir(), say(words...))
	acc := h.ask(t, "t1", "count")
	whole := h.read(t, acc.MessageID, 0)
	log, err := h.db.Events(t.Context(), access.For(ibid.Owner), acc.MessageID, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range log {
		var f ibid.Fold
		for _, e := range log[:cut] {
			f.Add(e)
		}
		for _, e := range h.read(t, acc.MessageID, int64(cut)) {
			f.Add(e)
		}
		if got, want := f.Message().Text, ibid.FoldEvents(whole).Text; got != want {
			t.Fatalf("cut at %d gives %q, want %q", cut, got, want)
		}
	}
	if len(whole) > 10 {
		t.Errorf("a late reader got %d events for one answer", len(whole))
	}
}

func TestOneRunPerThread(t *testing.T) {
	release := make(chan struct{})
	h := openHouse(t, t.TempDir(), func(ctx context.Context, _ agent.Task, _ func(ibid.EventData) error) (agent.Outcome, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return agent.Outcome{}, ctx.Err()
	})
	first := h.ask(t, "t1", "a")
	_, err := h.Start(t.Context(), access.For(ibid.Owner), Ask{ThreadID: "t1", Request: ibid.Request{Text: "b"}})
	var live *ibid.LiveRunError
	if !errors.As(err, &live) || live.RunID != first.MessageID {
		t.Fatalf("a second question gave %v", err)
	}
	h.ask(t, "t2", "c")
	close(release)
	h.read(t, first.MessageID, 0)
	second := h.ask(t, "t1", "b")
	h.read(t, second.MessageID, 0)
}

func TestStopSavesWhatThereIs(t *testing.T) {
	said := make(chan struct{})
	closed := false
	h := openHouse(t, t.TempDir(), func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.AnswerDelta{Text: "half an "})
		close(said)
		<-ctx.Done()
		closed = true // stands for the model's connection
		return agent.Outcome{}, ctx.Err()
	})
	acc := h.ask(t, "t1", "a")
	<-said
	id, err := h.Stop(t.Context(), access.For(ibid.Owner), "t1")
	if err != nil || id != acc.MessageID || !closed {
		t.Fatalf("stop gave %q, %v; model closed: %v", id, err, closed)
	}
	m, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if err != nil || m.Status != ibid.StatusStopped || m.Text != "half an " {
		t.Fatalf("saved %+v, %v", m, err)
	}
	if id, err := h.Stop(t.Context(), access.For(ibid.Owner), "t1"); id != "" || err != nil {
		t.Fatalf("a second stop gave %q, %v", id, err)
	}
}

func TestQueueIsFairAndSaysSo(t *testing.T) {
	var mu sync.Mutex
	var order []string
	gate := make(chan struct{})
	h := openHouse(t, t.TempDir(), func(ctx context.Context, task agent.Task, _ func(ibid.EventData) error) (agent.Outcome, error) {
		mu.Lock()
		order = append(order, task.Request.Text)
		mu.Unlock()
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return agent.Outcome{}, ctx.Err()
	}, func(c *Config) { c.MaxRuns = 1 })
	var asked []Accepted
	for _, text := range []string{"a", "b", "c"} {
		asked = append(asked, h.ask(t, "t-"+text, text))
	}
	// The third waits behind the second once the first is worked on.
	var positions []int
	for tail := h.Tail(access.For(ibid.Owner), asked[2].MessageID, 0); len(positions) == 0 || positions[len(positions)-1] != 2; {
		events, err := tail.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if q, ok := e.Data.(ibid.RunQueued); ok {
				positions = append(positions, q.Position)
			}
		}
	}
	if id, err := h.Stop(t.Context(), access.For(ibid.Owner), "t-b"); err != nil || id != asked[1].MessageID {
		t.Fatalf("stop of a waiting run: %q, %v", id, err)
	}
	if m, _ := h.db.Message(t.Context(), access.For(ibid.Owner), asked[1].MessageID); m.Status != ibid.StatusStopped {
		t.Fatalf("status %s", m.Status)
	}
	close(gate)
	h.read(t, asked[2].MessageID, 0)
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(order, ""); got != "ac" {
		t.Fatalf("worked on %q", got)
	}
}

func TestFailuresEndAsSavedMessages(t *testing.T) {
	for name, c := range map[string]struct {
		answer answerFunc
		code   ibid.Code
		text   string
	}{
		"unexpected": {func(context.Context, agent.Task, func(ibid.EventData) error) (agent.Outcome, error) {
			return agent.Outcome{}, errors.New("secret detail")
		}, ibid.CodeInternal, "Something went wrong. Please try again."},
		"panic": {func(context.Context, agent.Task, func(ibid.EventData) error) (agent.Outcome, error) {
			panic("secret detail")
		}, ibid.CodeInternal, "Something went wrong. Please try again."},
		"provider": {func(context.Context, agent.Task, func(ibid.EventData) error) (agent.Outcome, error) {
			return agent.Outcome{}, &ibid.Error{Code: ibid.CodeLLMUnavailable, Message: "no model answers", Hint: "start it", Retryable: true}
		}, ibid.CodeLLMUnavailable, "no model answers"},
		"half an answer": {func(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
			_ = emit(ibid.AnswerDelta{Text: "half"})
			return agent.Outcome{}, ibid.Errorf(ibid.CodeLLM, "garbage")
		}, ibid.CodeLLM, "half"},
	} {
		t.Run(name, func(t *testing.T) {
			h := openHouse(t, t.TempDir(), c.answer)
			acc := h.ask(t, "t1", "a")
			events := h.read(t, acc.MessageID, 0)
			failed, ok := events[len(events)-2].Data.(ibid.RunFailed)
			if !ok || failed.Code != c.code || strings.Contains(failed.Message, "secret") {
				t.Fatalf("before the end: %+v", events[len(events)-2])
			}
			m, _ := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
			if m.Status != ibid.StatusFailed || m.Text != c.text || m.Error == nil || m.Error.Code != c.code {
				t.Fatalf("saved %+v", m)
			}
			next := h.ask(t, "t1", "again") // the thread is not stuck
			h.read(t, next.MessageID, 0)
		})
	}
}

func TestTimeoutShowsWhatWasFound(t *testing.T) {
	h := openHouse(t, t.TempDir(), func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.AnswerDelta{Text: "so far"})
		<-ctx.Done()
		return agent.Outcome{}, ctx.Err()
	})
	ibidtest.Patiently(t, 30*time.Millisecond, func(limit time.Duration) error {
		acc, err := h.Start(t.Context(), access.For(ibid.Owner), Ask{ThreadID: "t1", Request: ibid.Request{Text: "a", TimeoutMS: limit.Milliseconds()}})
		if err != nil {
			return err
		}
		h.read(t, acc.MessageID, 0)
		m, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
		if m.Status != ibid.StatusFailed || m.Error.Code != ibid.CodeTimeout || m.Text != "so far" {
			return fmt.Errorf("saved %+v, %v", m, err)
		}
		return nil
	})
}

// TestShutdownHandsBack closes the runner in the middle of an answer and opens
// another over the same data: the run goes on from its log.
func TestShutdownHandsBack(t *testing.T) {
	dir := t.TempDir()
	said := make(chan struct{})
	h := openHouse(t, dir, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.ToolFinished{CallID: "c1", Tool: "x", OK: true, Output: "found"})
		_ = emit(ibid.AnswerDelta{Text: "half"})
		close(said)
		<-ctx.Done()
		return agent.Outcome{}, ctx.Err()
	})
	acc := h.ask(t, "t1", "a")
	<-said
	h.stop()

	var log []ibid.Event
	again := openHouse(t, dir, func(_ context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		log = task.Log
		_ = emit(ibid.AnswerRetracted{Reason: "continued"})
		_ = emit(ibid.AnswerDelta{Text: "whole"})
		return agent.Outcome{}, nil
	})
	events := again.read(t, acc.MessageID, 0)
	m, err := again.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if err != nil || m.Status != ibid.StatusCompleted || m.Text != "whole" || m.Attempts != 2 || m.Retracted != 1 {
		t.Fatalf("saved %+v, %v", m, err)
	}
	if len(log) != 3 {
		t.Fatalf("the second process was given %d events", len(log))
	}
	finished := 0
	for i, e := range events {
		if e.Seq < int64(i)+1 {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
		if _, ok := e.Data.(ibid.RunFinished); ok {
			finished++
		}
	}
	if finished != 1 {
		t.Fatalf("%d ends", finished)
	}
}

func TestARunThatKillsItsProcessIsClosed(t *testing.T) {
	dir := t.TempDir()
	h := openHouse(t, dir, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.AnswerDelta{Text: "half"})
		<-ctx.Done()
		return agent.Outcome{}, ctx.Err()
	}, func(c *Config) { c.MaxAttempts = 1 })
	acc := h.ask(t, "t1", "a")
	for tail, seen := h.Tail(access.For(ibid.Owner), acc.MessageID, 0), 0; seen < 2; {
		events, err := tail.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen += len(events)
	}
	h.stop()
	again := openHouse(t, dir, say("never"), func(c *Config) { c.MaxAttempts = 1 })
	again.read(t, acc.MessageID, 0)
	m, _ := again.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if m.Status != ibid.StatusInterrupted || m.Text != "half" {
		t.Fatalf("saved %+v", m)
	}
}

func TestHistoryFollowsTheBranchAndTheBudget(t *testing.T) {
	var got []ibid.Turn
	h := openHouse(t, t.TempDir(), func(_ context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		got = task.History
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "answer to " + task.Request.Text + " [c_00ff][t_0a1b] [q_ff]"})
	}, func(c *Config) { c.MemoryChars = 100 })
	first := h.ask(t, "t1", "first")
	h.read(t, first.MessageID, 0)
	second := h.ask(t, "t1", "second")
	h.read(t, second.MessageID, 0)
	if len(got) != 2 || got[0].Text() != "first" || got[0].Parts[0].Past == nil || got[1].Text() != "answer to first" {
		t.Fatalf("history of the second question: %+v", got)
	}
	edited, err := h.Start(t.Context(), access.For(ibid.Owner), Ask{ThreadID: "t1", EditMessageID: second.UserMessageID, Request: ibid.Request{Text: "other second"}})
	if err != nil {
		t.Fatal(err)
	}
	h.read(t, edited.MessageID, 0)
	for _, turn := range got {
		if turn.Text() == "second" || strings.Contains(turn.Text(), "to second") {
			t.Fatalf("the edited question is still remembered: %+v", got)
		}
	}
	// 12 + 46 characters are remembered of the question before, 20 + 54 are this one's:
	// both fit while it is answered, and one of them afterwards.
	long := h.ask(t, "t1", strings.Repeat("x", 20))
	h.read(t, long.MessageID, 0)
	m, _ := h.db.Message(t.Context(), access.For(ibid.Owner), long.MessageID)
	if want := (ibid.Memory{UsedChars: 74, BudgetChars: 100, Pairs: 1, DroppedPairs: 2}); len(got) != 2 || *m.Memory != want {
		t.Fatalf("memory %+v, want %+v; %d turns", *m.Memory, want, len(got))
	}
}

func TestAReaderAtTheEndIsTold(t *testing.T) {
	h := openHouse(t, t.TempDir(), say("short"))
	acc := h.ask(t, "t1", "a")
	events := h.read(t, acc.MessageID, 0)
	tail := h.Tail(access.For(ibid.Owner), acc.MessageID, events[len(events)-1].Seq)
	for range 2 {
		if more, err := tail.Next(t.Context()); !errors.Is(err, io.EOF) || len(more) != 0 {
			t.Fatalf("after the end: %+v, %v", more, err)
		}
	}
	h.hub.mu.Lock()
	defer h.hub.mu.Unlock()
	if n := len(h.hub.recent) + len(h.hub.waits); n != 0 {
		t.Errorf("%d runs are remembered after their end", n)
	}
}
