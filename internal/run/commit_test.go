package run

import (
	"context"
	"errors"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/store/sqlite"
)

// slowDisk lets an append through only when the test says so.
type slowDisk struct {
	*sqlite.DB
	asked chan struct{}
	allow chan error
}

func (s *slowDisk) AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error {
	s.asked <- struct{}{}
	if err := <-s.allow; err != nil {
		return err
	}
	return s.DB.AppendEvents(ctx, l, events)
}

// TestNothingIsShownBeforeItIsOnDisk holds a commit back and sees that no reader
// gets the event; and that a commit that fails ends the run as a saved message.
func TestNothingIsShownBeforeItIsOnDisk(t *testing.T) {
	disk := &slowDisk{asked: make(chan struct{}), allow: make(chan error)}
	h := openHouse(t, t.TempDir(), func(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		if err := emit(ibid.ToolStarted{CallID: "a", Tool: "calculator", Input: []byte(`{}`)}); err != nil {
			return agent.Outcome{}, err
		}
		return agent.Outcome{}, emit(ibid.ToolFinished{CallID: "a", Tool: "calculator"})
	}, func(c *Config) {
		disk.DB = c.Leases.(*sqlite.DB)
		c.Leases = disk
	})
	acc := h.ask(t, "t1", "a")
	tail := h.Tail(access.For(ibid.Owner), acc.MessageID, 0)
	next := func(wait time.Duration) []ibid.Event {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		events, err := tail.Next(ctx)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		return events
	}
	if events := next(time.Minute); len(events) != 1 {
		t.Fatalf("first %+v", events)
	}
	<-disk.asked
	if events := next(50 * time.Millisecond); len(events) != 0 {
		t.Fatalf("shown before it was on disk: %+v", events)
	}
	disk.allow <- nil
	if events := next(time.Minute); len(events) != 1 || events[0].Data.EventType() != "tool.started" {
		t.Fatalf("shown after the commit: %+v", events)
	}
	<-disk.asked
	disk.allow <- &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full"}
	h.read(t, acc.MessageID, tail.Position())
	m, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if err != nil || m.Status != ibid.StatusFailed || m.Error.Code != ibid.CodeDiskFull {
		t.Fatalf("saved %+v, %v", m, err)
	}
	folded, err := h.db.Events(t.Context(), access.For(ibid.Owner), acc.MessageID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range folded {
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
}
