package conversation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/process"
)

// ClaimRun gives owner the oldest run that waits, for the time of a lease, or nil
// when there is none.
func (db *Store) ClaimRun(ctx context.Context, owner string, lease time.Duration) (*ibid.Run, error) {
	run, err := db.claimRun(ctx, owner, lease, `SELECT id FROM runs WHERE status = 'queued' ORDER BY accepted_at, id LIMIT 1`)
	if err != nil {
		return nil, fmt.Errorf("claim a run: %w", err)
	}
	return run, nil
}

// ClaimQueued gives owner one certain run that waits, or nil when it does not
// wait any more.
func (db *Store) ClaimQueued(ctx context.Context, runID, owner string, lease time.Duration) (*ibid.Run, error) {
	return db.claimRun(ctx, owner, lease, `SELECT id FROM runs WHERE status = 'queued' AND id = ?`, runID)
}

// claimRun claims the run that a query finds. The query is asked beside the writer
// first, so that looking for work writes nothing where there is none; what counts is
// what it finds in the transaction.
func (db *Store) claimRun(ctx context.Context, owner string, lease time.Duration, which string, args ...any) (*ibid.Run, error) {
	var id string
	err := db.file.ReadOnly.QueryRowContext(ctx, which, args...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, file.Translate(err)
	}
	var run *ibid.Run
	err = db.file.Write(ctx, func(q file.Querier) error {
		run = nil
		r, err := scanRun(q.QueryRowContext(ctx, `UPDATE runs
			SET status = 'running', owner = ?, fence = fence + 1, attempt = attempt + 1, lease_until = ?
			WHERE id = (`+which+`) RETURNING `+runColumns, append([]any{owner, file.Millis(db.now().Add(lease))}, args...)...))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		run = r
		return err
	})
	return run, err
}

// RenewLease lets a lease last for that long from now, and reports whether the run is
// to be stopped; ErrLeaseLost when the lease is someone else's.
func (db *Store) RenewLease(ctx context.Context, l ibid.Lease, lease time.Duration) (stop bool, err error) {
	err = db.file.Write(ctx, func(q file.Querier) error {
		err := q.QueryRowContext(ctx, `UPDATE runs SET lease_until = ? WHERE id = ? AND fence = ? AND status = 'running' RETURNING stop_requested`,
			file.Millis(db.now().Add(lease)), l.RunID, l.Fence).Scan(&stop)
		if errors.Is(err, sql.ErrNoRows) {
			return ibid.ErrLeaseLost
		}
		return err
	})
	return stop, err
}

// ReleaseRun hands a run back: it waits again for whoever claims it next.
func (db *Store) ReleaseRun(ctx context.Context, l ibid.Lease) error {
	return db.file.Closing(ctx, func(q file.Querier) error {
		res, err := q.ExecContext(ctx, `UPDATE runs SET status = 'queued', owner = '', lease_until = 0
			WHERE id = ? AND fence = ? AND status = 'running'`, l.RunID, l.Fence)
		return file.Fenced(res, err)
	})
}

// ReleaseLostRuns lets those runs wait again whose holder is gone, and those whose
// lease is over. It returns how many there were.
func (db *Store) ReleaseLostRuns(ctx context.Context) (int, error) {
	released := 0
	release := func(held []process.HeldLease) func(file.Querier) error {
		before := released
		return func(q file.Querier) error {
			released = before
			for _, h := range held {
				res, err := q.ExecContext(ctx, `UPDATE runs SET status = 'queued', owner = '', lease_until = 0
					WHERE id = ? AND fence = ? AND status = 'running' AND lease_until < ?`, h.ID, h.Fence, h.Before)
				if err != nil {
					return err
				}
				n, err := res.RowsAffected()
				if err != nil {
					return err
				}
				released += int(n)
			}
			return nil
		}
	}
	err := process.ReleaseLost(ctx, db.file, db.path, db.now(), `SELECT id, fence, owner, lease_until FROM runs WHERE status = 'running'`, release)
	return released, err
}

// RequestStop notes that a run that has not ended is to be stopped, by whoever holds it.
func (db *Store) RequestStop(ctx context.Context, runID string) error {
	return db.file.Closing(ctx, func(q file.Querier) error {
		_, err := q.ExecContext(ctx, `UPDATE runs SET stop_requested = 1 WHERE id = ? AND status IN ('queued', 'running')`, runID)
		return err
	})
}
