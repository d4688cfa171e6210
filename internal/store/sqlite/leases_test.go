package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// shared is a database for a suite of processes.
type shared struct{ *sqlite.DB }

func (s shared) Join() (ibidtest.Process, error) { return s.DB.Join() }

func openShared(t testing.TB, path string) shared {
	t.Helper()
	db, err := sqlite.OpenWith(t.Context(), path, nil, recordedDriver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return shared{db}
}

func leasePlace(t testing.TB) ibidtest.Opener[ibidtest.LeaseStore] {
	path := filepath.Join(t.TempDir(), "ibid.db")
	return func(t testing.TB) ibidtest.LeaseStore { return openShared(t, path) }
}

func TestLeases(t *testing.T) { ibidtest.Run(t, ibidtest.LeaseCases, leasePlace) }

// faulty is a store with one fault: each mutant below overrides what is wrong with it.
type faulty struct {
	shared
	fault string
}

func (f faulty) db() *sqlite.DB { return f.DB }

// later is how long a fault that looks first and takes later leaves to the others, so
// that it is a fault each time.
func later() { time.Sleep(5 * time.Millisecond) }

func (f faulty) claim(ctx context.Context, id, owner string) (*ibid.Run, error) {
	if err := f.db().Exec(`UPDATE runs SET status = 'running', owner = ?, fence = fence + 1, attempt = attempt + 1, lease_until = ? WHERE id = ?`,
		owner, time.Now().Add(time.Minute).UnixMilli(), id); err != nil {
		return nil, err
	}
	return f.db().Run(ctx, access.For(ibid.Owner), id)
}

func (f faulty) ClaimRun(ctx context.Context, owner string, lease time.Duration) (*ibid.Run, error) {
	switch f.fault {
	case "a claim looks first and takes later":
		waiting, err := ibidtest.Whole(f.db().WaitingRuns(ctx, ibidtest.Everything))
		if err != nil || len(waiting) == 0 {
			return nil, err
		}
		later()
		return f.claim(ctx, waiting[0], owner)
	case "a claim takes what others work on":
		var id string
		if err := f.db().Get(&id, `SELECT id FROM runs WHERE status IN ('queued', 'running') ORDER BY accepted_at LIMIT 1`); err != nil {
			return nil, nil
		}
		return f.claim(ctx, id, owner)
	case "fences are not raised":
		run, err := f.DB.ClaimRun(ctx, owner, lease)
		if run != nil {
			run.Fence = 1
			err = f.db().Exec(`UPDATE runs SET fence = 1 WHERE id = ?`, run.ID)
		}
		return run, err
	case "a claim forgets the stop":
		run, err := f.DB.ClaimRun(ctx, owner, lease)
		if run != nil {
			run.StopRequested = false
		}
		return run, err
	}
	return f.DB.ClaimRun(ctx, owner, lease)
}

func (f faulty) ClaimQueued(ctx context.Context, id, owner string, lease time.Duration) (*ibid.Run, error) {
	if f.fault != "a certain claim looks first and takes later" {
		return f.DB.ClaimQueued(ctx, id, owner, lease)
	}
	run, err := f.db().Run(ctx, access.For(ibid.Owner), id)
	if err != nil || run.Status != ibid.StatusQueued {
		return nil, err
	}
	later()
	return f.claim(ctx, id, owner)
}

func (f faulty) RenewLease(ctx context.Context, l ibid.Lease, lease time.Duration) (bool, error) {
	switch f.fault {
	case "a renewal asks for no fence":
		err := f.db().Exec(`UPDATE runs SET lease_until = ? WHERE id = ?`, time.Now().Add(lease).UnixMilli(), l.RunID)
		return false, err
	case "a renewal does nothing":
		return false, nil
	case "a renewal is silent about the stop":
		_, err := f.DB.RenewLease(ctx, l, lease)
		return false, err
	}
	return f.DB.RenewLease(ctx, l, lease)
}

func (f faulty) ReleaseRun(ctx context.Context, l ibid.Lease) error {
	if f.fault != "what is handed back is handed back by anyone" {
		return f.DB.ReleaseRun(ctx, l)
	}
	return f.db().Exec(`UPDATE runs SET status = 'queued', owner = '', lease_until = 0 WHERE id = ?`, l.RunID)
}

func (f faulty) ReleaseLostRuns(ctx context.Context) (int, error) {
	switch f.fault {
	case "a start takes from the living":
		return 0, f.db().Exec(`UPDATE runs SET status = 'queued', owner = '', lease_until = 0 WHERE status = 'running'`)
	case "the dead keep what they hold":
		return 0, f.db().Exec(`UPDATE runs SET status = 'queued' WHERE status = 'running' AND lease_until < ?`, time.Now().UnixMilli())
	}
	return f.DB.ReleaseLostRuns(ctx)
}

func (f faulty) RequestStop(ctx context.Context, id string) error {
	switch f.fault {
	case "a stop is forgotten":
		return nil
	case "a stop reaches all":
		return f.db().Exec(`UPDATE runs SET stop_requested = 1`)
	}
	return f.DB.RequestStop(ctx, id)
}

func (f faulty) NoteQueued(ctx context.Context, id string, data ibid.RunQueued, at time.Time) (*ibid.Event, error) {
	if f.fault == "a place is said by everyone" {
		if err := f.db().Exec(`UPDATE events SET data = '{}' WHERE run_id = ? AND type = 'run.queued'`, id); err != nil {
			return nil, err
		}
	}
	return f.DB.NoteQueued(ctx, id, data, at)
}

func (f faulty) StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error {
	if f.fault == "room is looked for outside the transaction" {
		waiting, err := ibidtest.Whole(f.db().WaitingRuns(ctx, ibidtest.Everything))
		if err != nil {
			return err
		}
		later()
		if len(waiting) < maxQueued {
			maxQueued = 1 << 30
		}
	}
	return f.DB.StartRun(ctx, thread, user, assistant, run, events, maxQueued)
}

func (f faulty) AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error {
	switch f.fault {
	case "an append asks for no fence", "an append asks for the fence outside its transaction":
		run, err := f.db().Run(ctx, access.For(ibid.Owner), l.RunID)
		if err != nil {
			return err
		}
		if f.fault != "an append asks for no fence" && (run.Fence != l.Fence || run.LastSeq+1 != events[0].Seq) {
			return ibid.ErrLeaseLost
		}
		later()
		last := events[len(events)-1]
		return f.db().Exec(`UPDATE runs SET last_seq = ? WHERE id = ?`, last.Seq, l.RunID)
	}
	return f.DB.AppendEvents(ctx, l, events)
}

func (f faulty) FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error {
	if f.fault == "a run ends as often as it is ended" {
		if err := f.DB.FinishRun(ctx, l, events, m, at); err != nil {
			return f.db().Exec(`UPDATE messages SET status = ? WHERE id = ?`, m.Status, m.ID)
		}
		return nil
	}
	return f.DB.FinishRun(ctx, l, events, m, at)
}

func (f faulty) Join() (ibidtest.Process, error) {
	p, err := f.shared.Join()
	return faultyProcess{p, f.fault}, err
}

type faultyProcess struct {
	ibidtest.Process
	fault string
}

func (p faultyProcess) Notify(ctx context.Context, topic string) {
	if p.fault != "hints are not sent" {
		p.Process.Notify(ctx, topic)
	}
}

func (p faultyProcess) Listen(ctx context.Context) <-chan string {
	if p.fault == "hints that are not taken at once are lost" {
		few := make(chan string, 10)
		go func() {
			for topic := range p.Process.Listen(ctx) {
				if topic == "" {
					continue // nor is it said
				}
				select {
				case few <- topic:
				default:
				}
			}
		}()
		return few
	}
	return p.Process.Listen(ctx)
}

func TestLeaseMutants(t *testing.T) {
	var mutants []ibidtest.Mutant[ibidtest.LeaseStore]
	for fault, notices := range map[string]string{
		"a claim looks first and takes later":                  "forty runs are handed out once each",
		"a claim takes what others work on":                    "nothing is taken from the living",
		"a certain claim looks first and takes later":          "a certain run is claimed by one",
		"fences are not raised":                                "an older holder writes nothing",
		"a renewal asks for no fence":                          "an older holder writes nothing",
		"an append asks for no fence":                          "an older holder writes nothing",
		"what is handed back is handed back by anyone":         "an older holder writes nothing",
		"an append asks for the fence outside its transaction": "one log grows in order, whoever writes",
		"a renewal does nothing":                               "a lease that is over can be taken, a renewed one not",
		"a start takes from the living":                        "nothing is taken from the living",
		"the dead keep what they hold":                         "what the dead held is handed on at once",
		"a stop is forgotten":                                  "a stop reaches whoever holds the run",
		"a stop reaches all":                                   "a stop reaches whoever holds the run",
		"a renewal is silent about the stop":                   "a stop reaches whoever holds the run",
		"a claim forgets the stop":                             "a stop outlives its holder",
		"a place is said by everyone":                          "a place in the queue is said once",
		"room is looked for outside the transaction":           "only so many runs wait, whoever accepts them",
		"a run ends as often as it is ended":                   "a run ends once",
		"hints are not sent":                                   "hints reach the others",
		"hints that are not taken at once are lost":            "hints outlive one that reads none",
	} {
		mutants = append(mutants, ibidtest.Mutant[ibidtest.LeaseStore]{Name: fault, Case: notices,
			Break: func(s ibidtest.LeaseStore) ibidtest.LeaseStore { return faulty{s.(shared), fault} }})
	}
	ibidtest.Mutants(t, ibidtest.LeaseCases, leasePlace, mutants)
}
