package file

import (
	"database/sql"
	"time"

	"ibid"
)

// Collect reads all rows and closes them.
func Collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, Translate(rows.Err())
}

// CutPage returns what a page holds of the rows that were read for it, one more than its
// size at most, and the cursor of the page behind it: "" where that one more is not
// there. keys are the sort keys of a row.
func CutPage[T any](rows []T, page ibid.Page, keys func(T) []any) (items []T, next string) {
	size := page.Size()
	if len(rows) <= size {
		return rows, ""
	}
	return rows[:size], ibid.EncodeCursor(keys(rows[size-1])...)
}

// Millis is how times stand in tables: Unix milliseconds.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// FromMillis reads what Millis wrote.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Found returns the error of a write that should have changed something: err, or a
// NOT_FOUND where it changed nothing.
func Found(res sql.Result, err error, what, id string) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return ibid.Errorf(ibid.CodeNotFound, "there is no %s %s", what, id)
	}
	return nil
}

// Fenced returns the error of a write by a lease: err, or ibid.ErrLeaseLost where it
// changed nothing.
func Fenced(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return ibid.ErrLeaseLost
	}
	return nil
}
