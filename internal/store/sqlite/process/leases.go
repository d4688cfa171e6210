package process

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ibid/internal/store/sqlite/file"
)

// HeldLease is a lease that is to be given up if it still ends before a time.
type HeldLease struct {
	ID     string
	Fence  int64
	Before int64 // Unix milliseconds
}

// MaxReleased is how many leases one call of ReleaseLost gives up at most. What is lost
// beyond that is given up by the next call.
const MaxReleased = 500

var errEnough = errors.New("enough leases are lost")

// lostLeases divides the leases that a query lists, as id, fence, owner and end, into those
// of owners that are gone and those that are over, MaxReleased together at most. The others
// are left out.
func lostLeases(ctx context.Context, db *sql.DB, path string, at time.Time, query string) (gone, over []HeldLease, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, file.Translate(err)
	}
	now := file.Millis(at)
	lives := map[string]bool{}
	_, err = file.Collect(rows, func(r *sql.Rows) (struct{}, error) {
		var h HeldLease
		var owner string
		var until int64
		if err := r.Scan(&h.ID, &h.Fence, &owner, &until); err != nil {
			return struct{}{}, err
		}
		if _, asked := lives[owner]; !asked {
			lives[owner] = !Gone(path, owner)
		}
		switch {
		case len(gone)+len(over) == MaxReleased:
			return struct{}{}, errEnough
		case !lives[owner]:
			h.Before = until + 1
			gone = append(gone, h)
		case until <= now:
			h.Before = now + 1
			over = append(over, h)
		}
		return struct{}{}, nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return gone, over, err
}

// ReleaseLost gives up the leases of owners that are gone, and those that are over at a
// time, MaxReleased at most, by a write that release makes of them. The query lists all leases, as id, fence,
// owner and end.
func ReleaseLost(ctx context.Context, f *file.File, path string, at time.Time, query string, release func(held []HeldLease) func(file.Querier) error) error {
	gone, over, err := lostLeases(ctx, f.ReadOnly, path, at, query)
	if err != nil {
		return fmt.Errorf("look for leases whose holder is gone: %w", err)
	}
	if len(gone) > 0 {
		err = f.Closing(ctx, release(gone))
	}
	if err == nil && len(over) > 0 {
		// Not closing: while the disk is full no lease can be renewed, and none is lost by that.
		err = f.Write(ctx, release(over))
	}
	return err
}
