package file

import (
	"database/sql"
	"time"
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

// Millis is how times stand in tables: Unix milliseconds.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// FromMillis reads what Millis wrote.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
