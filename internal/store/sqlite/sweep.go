package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
	"unicode/utf8"

	"ibid"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
)

// sweepBatch bounds how many versions one write lets go, so that nobody waits
// long behind a sweep.
const sweepBatch = 200

// SweepVersions lets go of the texts of versions that were replaced or removed
// before a time and that nothing needs: no message cites them, nor does an
// answer that is being written, and the pipeline does not wait for them. It
// returns how many there were.
//
// Documents that were removed before that time and never read let go of the
// version that waited.
func (db *DB) SweepVersions(ctx context.Context, before time.Time) (int, error) {
	err := db.closing(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `UPDATE documents SET pending = '' WHERE removed_at < ? AND pending <> ''`, millis(before))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("let go of what was never read: %w", err)
	}
	total := 0
	for {
		var n int64
		err := db.closing(ctx, func(q querier) error {
			res, err := q.ExecContext(ctx, `DELETE FROM versions WHERE rowid IN (
				SELECT v.rowid FROM versions v
				WHERE v.replaced_at < ?
				AND NOT EXISTS (SELECT 1 FROM cited c WHERE c.document_id = v.document_id AND c.version = v.hash)
				AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = v.document_id AND d.pending = v.hash)
				AND NOT EXISTS (SELECT 1 FROM runs r CROSS JOIN events e ON e.run_id = r.id
					WHERE r.status IN ('queued', 'running') AND e.type = 'citation.added' AND instr(e.data, v.hash) > 0)
				LIMIT ?)`, millis(before), sweepBatch)
			if err != nil {
				return fmt.Errorf("let go of old versions: %w", err)
			}
			n, err = res.RowsAffected()
			return err
		})
		total += int(n)
		if err != nil || n < sweepBatch {
			return total, err
		}
	}
}

// SweepTombstones forgets documents that were removed before a time and of
// which nothing is left. upTo is the change that the index's snapshot on disk
// has: a later removal must still be told to it. The latest change always
// stays, so that change numbers never come again.
func (db *DB) SweepTombstones(ctx context.Context, before time.Time, upTo int64) error {
	return db.closing(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `DELETE FROM documents WHERE removed_at < ? AND change <= ?
			AND change < (SELECT max(change) FROM documents)
			AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document_id = documents.id)`, millis(before), upTo)
		return err
	})
}

// VersionInUse reports whether anything refers to the bytes of a version.
func (db *DB) VersionInUse(ctx context.Context, hash string) (bool, error) {
	var used bool
	err := db.readOnly.QueryRowContext(ctx, "SELECT "+fmt.Sprintf(schema.InUse, "?1"), hash).Scan(&used)
	return used, translate(err)
}

// Discarded returns a page of the hashes whose originals may be deleted, in order: this
// database once listed them and lists them no more. Those that have come back into use
// are taken off the list first.
func (db *DB) Discarded(ctx context.Context, page ibid.Page) (hashes []string, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	err = db.closing(ctx, func(q querier) error {
		rows, err := q.QueryContext(ctx, "SELECT hash FROM discarded WHERE hash > ? AND NOT "+fmt.Sprintf(schema.InUse, "discarded.hash")+" ORDER BY hash LIMIT ?", after, page.Size()+1)
		if err != nil {
			return err
		}
		found, err := collect(rows, func(r *sql.Rows) (hash string, err error) { return hash, r.Scan(&hash) })
		if err != nil {
			return err
		}
		hashes, next = file.CutPage(found, page, func(hash string) []any { return []any{hash} })
		passed := string(utf8.MaxRune) // how far this page has looked; a hash is hexadecimal
		if next != "" {
			passed = hashes[len(hashes)-1]
		}
		_, err = q.ExecContext(ctx, "DELETE FROM discarded WHERE hash > ? AND hash <= ? AND "+fmt.Sprintf(schema.InUse, "discarded.hash"), after, passed)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list the originals that may go: %w", err)
	}
	return hashes, next, nil
}

// ForgetDiscarded takes a hash off the list, once its original is deleted.
func (db *DB) ForgetDiscarded(ctx context.Context, hash string) error {
	return db.closing(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, "DELETE FROM discarded WHERE hash = ?", hash)
		return err
	})
}

// ListsVersion reports whether this database knows where the bytes of a version
// come from: something refers to them, or did and they wait to be deleted.
func (db *DB) ListsVersion(ctx context.Context, hash string) (bool, error) {
	var listed bool
	err := db.readOnly.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM discarded WHERE hash = ?1) OR "+fmt.Sprintf(schema.InUse, "?1"), hash).Scan(&listed)
	return listed, translate(err)
}
