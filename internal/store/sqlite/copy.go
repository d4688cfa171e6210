package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	sqlitelib "modernc.org/sqlite"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
	"ibid/internal/store/sqlite/seen"
)

// copyPages is how many pages of 4 KiB are copied at once: a step takes about a
// millisecond.
const copyPages = 256

// CopyTo writes the database, as it is now, to a new file. Writes go on beside it
// and are not in the copy. after is called after each step with the bytes that are
// copied and those that there are; it may wait, and ends the copy by an error. The
// file is not synced.
//
// One read transaction is open meanwhile, so that what is written since waits in
// the database's log.
func (db *DB) CopyTo(ctx context.Context, path string, after func(done, total int64) error) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	conn, err := db.readOnly.Conn(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Close()
	// With a transaction open all steps see one state, and none begins anew
	// because somebody has written.
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return translate(err)
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	var pageBytes int64
	if err := conn.QueryRowContext(ctx, "SELECT page_size FROM pragma_page_size, (SELECT count(*) FROM sqlite_schema)").Scan(&pageBytes); err != nil {
		return translate(err)
	}
	return conn.Raw(func(driver any) error {
		source, ok := driver.(interface {
			NewBackup(target string) (*sqlitelib.Backup, error)
		})
		if !ok {
			return errors.New("this SQLite driver makes no backups")
		}
		// The copy is synced, and named, by whoever asked for it.
		b, err := source.NewBackup(file.DSN(path) + "?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
		if err != nil {
			return fmt.Errorf("copy the database to %s: %w", path, translate(err))
		}
		more := true
		for more && err == nil {
			if more, err = b.Step(copyPages); err == nil {
				total := int64(b.PageCount()) * pageBytes
				err = after(total-int64(b.Remaining())*pageBytes, total)
			}
			if err == nil {
				err = ctx.Err()
			}
		}
		if finished := b.Finish(); err == nil {
			err = finished
		}
		if err != nil {
			return fmt.Errorf("copy the database to %s: %w", path, translate(err))
		}
		return nil
	})
}

// Originals returns a page of the hashes of the originals that are in use, in order.
func (db *DB) Originals(ctx context.Context, page ibid.Page) (hashes []string, next string, err error) {
	return schema.ListOriginals(ctx, db.readOnly, page)
}

// NamesOfVersions returns, for each of the hashes that a document or one of its
// versions has, the name of that document: one name a hash.
func (db *DB) NamesOfVersions(ctx context.Context, view access.View, hashes []string) (map[string]string, error) {
	names := map[string]string{}
	for _, hash := range hashes {
		var name string
		err := db.readOnly.QueryRowContext(ctx, `SELECT coalesce(json_extract(data, '$.name'), '') FROM documents
			WHERE id IN (SELECT document_id FROM versions WHERE hash = ?1 UNION SELECT id FROM documents WHERE pending = ?1 AND pending <> '') AND `+seen.By(view, "+principal", 2)+`
			ORDER BY removed_at IS NOT NULL LIMIT 1`, hash, seen.Who(view)).Scan(&name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, translate(err)
		default:
			names[hash] = name
		}
	}
	return names, nil
}
