package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/run"
	"ibid/internal/store/sqlite"
	"ibid/internal/store/sqlite/process"
)

// measureLog measures what committing every event before it is sent costs: the
// same runner streams the same answer to a reader with its log on disk, and
// with a log that is only kept in memory.
func measureLog(ctx context.Context, o options, t *table) error {
	var rates, delays [2][]time.Duration
	for range o.runs {
		for i, open := range []func(string) (logStore, error){onDisk, inMemory} {
			rate, delay, err := streamThrough(ctx, open)
			if err != nil {
				return err
			}
			rates[i], delays[i] = append(rates[i], rate), append(delays[i], delay...)
		}
	}
	perSecond := func(took []time.Duration) string {
		return fmt.Sprintf("%.0f events/s", logEvents/median(took).Seconds())
	}
	t.add("tool events through the log, committed one by one", perSecond(rates[0]), o.runs)
	t.add("the same with no log", perSecond(rates[1]), o.runs)
	t.add("delta emitted → read, p50 (with log / without)", millis(median(delays[0]))+" / "+millis(median(delays[1])), o.runs)
	t.add("delta emitted → read, p99 (with log / without)", millis(percentile(delays[0], 99))+" / "+millis(percentile(delays[1], 99)), o.runs)
	return nil
}

// logEvents is how many events are pushed as fast as they go; logDeltas how
// many deltas come at the pace of a fast model, one each 5 ms.
const (
	logEvents = 2000
	logDeltas = 200
	logPace   = 5 * time.Millisecond
)

// logStore is what a runner needs, and how it is closed.
type logStore interface {
	run.Store
	run.Leases
	run.Threads
	Join() (*process.Process, error)
	io.Closer
}

func onDisk(dir string) (logStore, error) {
	return sqlite.Open(context.Background(), filepath.Join(dir, "ibid.db"), nil)
}

// memoryLog is a database whose runs are kept in memory only.
type memoryLog struct {
	*sqlite.DB // conversations; asked before and after, never while events flow
	mu         sync.Mutex
	events     map[string][]ibid.Event
}

func inMemory(dir string) (logStore, error) {
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "ibid.db"), nil)
	return &memoryLog{DB: db, events: map[string][]ibid.Event{}}, err
}

// AppendEvents keeps events without writing them anywhere.
func (m *memoryLog) AppendEvents(_ context.Context, l ibid.Lease, events []ibid.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events[l.RunID] = append(m.events[l.RunID], events...)
	return nil
}

// FinishRun writes the whole log at the end, outside what is measured.
func (m *memoryLog) FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, msg ibid.Message, at time.Time) error {
	m.mu.Lock()
	all := append(m.events[l.RunID], events...)
	m.mu.Unlock()
	return m.DB.FinishRun(ctx, l, all, msg, at)
}

// streamThrough runs one answer and reads it: how long logEvents took from the
// first to the reader of the last, and how long each paced delta took.
func streamThrough(ctx context.Context, open func(dir string) (logStore, error)) (rate time.Duration, delays []time.Duration, err error) {
	dir, err := os.MkdirTemp("", "ibid-log-")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	store, err := open(dir)
	if err != nil {
		return 0, nil, err
	}
	defer store.Close()
	self, err := store.Join()
	if err != nil {
		return 0, nil, err
	}
	emitted := make([]time.Time, logDeltas)
	var began time.Time
	ids := 0
	runner := run.New(run.Config{Store: store, Leases: store, Threads: store, Owner: self.Owner(), Notifier: self, Now: time.Now,
		NewID: func() string { ids++; return fmt.Sprintf("id-%d", ids) },
		Answer: func(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
			began = time.Now()
			for i := range logEvents {
				if err := emit(ibid.ToolStarted{CallID: fmt.Sprint(i), Tool: "calculator", Input: []byte("{}")}); err != nil {
					return agent.Outcome{}, err
				}
			}
			for i := range emitted {
				time.Sleep(logPace)
				emitted[i] = time.Now()
				if err := emit(ibid.AnswerDelta{Text: "x"}); err != nil {
					return agent.Outcome{}, err
				}
			}
			return agent.Outcome{}, nil
		}})
	runner.Open()
	defer runner.Close(ctx)
	accepted, err := runner.Start(ctx, access.For(ibid.Owner), run.Ask{ThreadID: "t", Request: ibid.Request{Text: "go"}})
	if err != nil {
		return 0, nil, err
	}
	seen, deltas := 0, 0
	for tail := runner.Tail(access.For(ibid.Owner), accepted.MessageID, 0); ; {
		events, err := tail.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rate, delays, nil
		}
		if err != nil {
			return 0, nil, err
		}
		now := time.Now()
		for _, e := range events {
			switch d := e.Data.(type) {
			case ibid.ToolStarted:
				if seen++; seen == logEvents {
					rate = now.Sub(began)
				}
			case ibid.AnswerDelta:
				for range d.Text {
					delays = append(delays, now.Sub(emitted[deltas]))
					deltas++
				}
			}
		}
	}
}
