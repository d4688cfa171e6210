package run

import (
	"context"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/store/sqlite"
)

// gate holds back one call of a store, until it is opened.
type gate struct {
	reached, opened chan struct{}
	once            sync.Once
}

func (g *gate) pass(here bool) {
	if here {
		g.once.Do(func() {
			close(g.reached)
			<-g.opened
		})
	}
}

// gatedStore holds the first call back that is made at one moment of a run's life.
type gatedStore struct {
	*sqlite.DB
	moment string
	gate   gate
	asked  chan struct{} // closed when a stop stands in the store
	once   sync.Once
}

func (s *gatedStore) ClaimRun(ctx context.Context, owner string, lease time.Duration) (*ibid.Run, error) {
	run, err := s.DB.ClaimRun(ctx, owner, lease)
	s.gate.pass(s.moment == "claimed" && run != nil)
	return run, err
}

func (s *gatedStore) Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error) {
	s.gate.pass(s.moment == "reading its log")
	return s.DB.Events(ctx, view, runID, after, limit)
}

func (s *gatedStore) AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error {
	s.gate.pass(s.moment == "writing its log")
	return s.DB.AppendEvents(ctx, l, events)
}

func (s *gatedStore) RequestStop(ctx context.Context, runID string) error {
	err := s.DB.RequestStop(ctx, runID)
	s.once.Do(func() { close(s.asked) })
	return err
}

// TestStopAtAnyMoment stops a run between any two steps of its life. Stop returns when
// the run has ended as stopped, and the thread takes the next question at once. No
// lease runs out in this test: nothing but the stop itself ends the run.
func TestStopAtAnyMoment(t *testing.T) {
	for _, moment := range []string{"claimed", "reading its log", "writing its log"} {
		t.Run(moment, func(t *testing.T) {
			var store *gatedStore
			h := openHouse(t, t.TempDir(), func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
				if err := emit(ibid.QueryAnalyzed{}); err != nil {
					return agent.Outcome{}, err
				}
				<-ctx.Done()
				return agent.Outcome{}, ctx.Err()
			}, func(c *Config) {
				store = &gatedStore{DB: c.Leases.(*sqlite.DB), moment: moment, asked: make(chan struct{}),
					gate: gate{reached: make(chan struct{}), opened: make(chan struct{})}}
				c.Store, c.Leases, c.Lease = store, store, time.Hour
			})
			acc := h.ask(t, "t1", "a")
			<-store.gate.reached
			came := store.asked
			if a := h.running(acc.MessageID); a != nil {
				cancel := a.cancel
				came = make(chan struct{})
				came := sync.OnceFunc(func() { close(came) })
				a.cancel = func(err error) {
					cancel(err)
					came()
				}
			}
			stopped := make(chan error, 1)
			go func() {
				_, err := h.Stop(t.Context(), access.For(ibid.Owner), "t1")
				stopped <- err
			}()
			<-came
			close(store.gate.opened)
			if err := <-stopped; err != nil {
				t.Fatal(err)
			}
			m, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
			if err != nil || m.Status != ibid.StatusStopped {
				t.Fatalf("saved as %q, %v", m.Status, err)
			}
			live, err := h.db.LiveRun(t.Context(), access.For(ibid.Owner), "t1")
			if err != nil || live != nil {
				t.Fatalf("still live: %+v, %v", live, err)
			}
		})
	}
}
