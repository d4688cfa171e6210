package sqlite

import (
	"context"
	"errors"
	"fmt"

	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
)

// Identity returns to which data directory the database belongs, "" where it does
// not say.
func (db *DB) Identity(ctx context.Context) (string, error) {
	return db.Setting(ctx, schema.IdentitySetting)
}

// SetIdentity says to which data directory the database belongs. When it returns,
// the database's file itself says so, and not only its log.
func (db *DB) SetIdentity(ctx context.Context, identity string) error {
	err := db.write(ctx, func(q querier) error {
		if err := file.SetMark(ctx, q, identity); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, schema.IdentitySetting, identity)
		return err
	})
	if err != nil {
		return fmt.Errorf("note to which data directory the database belongs: %w", err)
	}
	var busy, pages, moved int
	if err := db.readOnly.QueryRowContext(ctx, "PRAGMA wal_checkpoint(FULL)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("move the log into the database: %w", translate(err))
	}
	switch written, _, err := file.ReadMark(db.path); {
	case err != nil:
		return fmt.Errorf("look at the database: %w", err)
	case written != file.MarkOf(identity):
		return errors.New("the log could not be moved into the database")
	}
	_, err = db.MarkLog(ctx, identity)
	return err
}

// MarkLog writes the mark once more, so that it stands in the log too: should this
// process be killed, the next one can tell whose log it finds. It reports whether
// the database's file has the mark.
func (db *DB) MarkLog(ctx context.Context, identity string) (inFile bool, err error) {
	mark, _, err := file.ReadMark(db.path)
	if err != nil || mark != file.MarkOf(identity) {
		return false, err
	}
	return true, db.write(ctx, func(q querier) error { return file.SetMark(ctx, q, identity) })
}
