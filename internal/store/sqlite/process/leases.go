package process

import (
	"context"
	"database/sql"
	"time"

	"ibid/internal/store/sqlite/file"
)

// HeldLease is a lease that is to be given up if it still ends before a time.
type HeldLease struct {
	ID     string
	Fence  int64
	Before int64 // Unix milliseconds
}

// LostLeases divides the leases that a query lists, as id, fence, owner and end, into those
// of owners that are gone and those that are over. The others are left out.
func LostLeases(ctx context.Context, db *sql.DB, path string, at time.Time, query string) (gone, over []HeldLease, err error) {
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
		case !lives[owner]:
			h.Before = until + 1
			gone = append(gone, h)
		case until <= now:
			h.Before = now + 1
			over = append(over, h)
		}
		return struct{}{}, nil
	})
	return gone, over, err
}
