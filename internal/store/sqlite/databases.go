package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// PutDatabase keeps an attached database, in the place of one with the same id. A
// principal has ibid.MaxDatabases at most.
func (db *DB) PutDatabase(ctx context.Context, d ibid.Database) error {
	data, err := json.Marshal(d) // without the source
	if err != nil {
		return fmt.Errorf("write database %s: %w", d.ID, err)
	}
	if d.Principal == "" {
		return seen.Nobodys("database", d.ID)
	}
	return db.write(ctx, func(q querier) error {
		if err := roomForDatabase(ctx, q, d); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `INSERT INTO databases (id, principal, source, data, added_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET source = excluded.source, data = excluded.data`,
			d.ID, d.Principal, string(d.Source), string(data), millis(d.AddedAt.Time))
		return err
	})
}

// roomForDatabase is an error where a principal has as many databases as there may be,
// d not among them.
func roomForDatabase(ctx context.Context, q querier, d ibid.Database) error {
	var full bool
	err := q.QueryRowContext(ctx, `SELECT count(*) >= ? FROM databases WHERE principal = ? AND removed_at IS NULL AND id <> ?`, ibid.MaxDatabases, d.Principal, d.ID).Scan(&full)
	if err == nil && full {
		err = ibid.TooManyDatabases()
	}
	return err
}

// Databases returns a page of the attached databases, the oldest first.
func (db *DB) Databases(ctx context.Context, view access.View, page ibid.Page) (databases []ibid.Database, next string, err error) {
	added, last := int64(math.MinInt64), ""
	if _, err := page.DecodeCursor(&added, &last); err != nil {
		return nil, "", err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, source, data, added_at FROM databases
		WHERE removed_at IS NULL AND (added_at, id) > (?2, ?3) AND `+seen.By(view, "principal", 1)+` ORDER BY added_at, id LIMIT ?4`, seen.Who(view), added, last, page.Size()+1)
	if err != nil {
		return nil, "", translate(err)
	}
	type found struct {
		ibid.Database
		added int64
	}
	all, err := collect(rows, func(r *sql.Rows) (f found, err error) {
		f.Database, err = scanDatabase(r, &f.added)
		return f, err
	})
	all, next = file.CutPage(all, page, func(f found) []any { return []any{f.added, f.ID} })
	for _, f := range all {
		databases = append(databases, f.Database)
	}
	return databases, next, err
}

// scanDatabase reads the columns principal, source and data, and into more what stands
// behind them.
func scanDatabase(row interface{ Scan(...any) error }, more ...any) (d ibid.Database, err error) {
	var source, data string
	if err := row.Scan(append([]any{&d.Principal, &source, &data}, more...)...); err != nil {
		return d, err
	}
	err = json.Unmarshal([]byte(data), &d)
	d.Source = ibid.Secret(source)
	return d, err
}

// RemoveDatabase detaches a database; it can be restored until it is forgotten.
func (db *DB) RemoveDatabase(ctx context.Context, view access.View, id string, at time.Time) error {
	return db.closing(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, `UPDATE databases SET removed_at = ?1 WHERE id = ?2 AND removed_at IS NULL AND `+seen.By(view, "principal", 3), millis(at), id, seen.Who(view))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ibid.Errorf(ibid.CodeNotFound, "there is no database %s", id))
		}
		return nil
	})
}

// RestoreDatabase attaches a removed database again. Its name may have been
// given to another one since; then it gets a number.
func (db *DB) RestoreDatabase(ctx context.Context, view access.View, id string) (d ibid.Database, err error) {
	err = db.write(ctx, func(q querier) error {
		d, err = scanDatabase(q.QueryRowContext(ctx, `SELECT principal, source, data FROM databases WHERE id = ?1 AND removed_at IS NOT NULL AND `+seen.By(view, "principal", 2), id, seen.Who(view)))
		if errors.Is(err, sql.ErrNoRows) {
			return ibid.Errorf(ibid.CodeNotFound, "there is no removed database %s", id)
		}
		if err != nil {
			return err
		}
		if err := roomForDatabase(ctx, q, d); err != nil {
			return err
		}
		for base, n := d.Name, 2; ; n++ {
			var taken bool
			err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM databases WHERE removed_at IS NULL AND principal = ? AND lower(json_extract(data, '$.name')) = lower(?))`,
				d.Principal, d.Name).Scan(&taken)
			if err != nil {
				return err
			}
			if !taken {
				break
			}
			d.Name = fmt.Sprintf("%s-%d", base, n)
		}
		data, err := json.Marshal(d)
		if err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, `UPDATE databases SET removed_at = NULL, data = ? WHERE id = ?`, string(data), id)
		return err
	})
	return d, err
}

// ForgetDatabases lets go of databases that were removed before a time, limit of them
// at most, and returns their ids.
func (db *DB) ForgetDatabases(ctx context.Context, before time.Time, limit int) (ids []string, err error) {
	err = db.closing(ctx, func(q querier) error {
		rows, err := q.QueryContext(ctx, `DELETE FROM databases WHERE id IN (SELECT id FROM databases WHERE removed_at < ? ORDER BY removed_at, id LIMIT ?) RETURNING id`, millis(before), limit)
		if err != nil {
			return err
		}
		ids, err = collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
		return err
	})
	return ids, err
}
