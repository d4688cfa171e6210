package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// Setting returns a stored value, "" when there is none.
func (db *DB) Setting(ctx context.Context, name string) (string, error) {
	var v string
	err := db.readOnly.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = ?`, name).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, translate(err)
}

// SetSetting stores a value.
func (db *DB) SetSetting(ctx context.Context, name, value string) error {
	return db.write(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
		return err
	})
}
