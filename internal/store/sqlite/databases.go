package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/seen"
)

// PutDatabase keeps an attached database, in the place of one with the same id.
func (db *DB) PutDatabase(ctx context.Context, d ibid.Database) error {
	data, err := json.Marshal(d) // without the source
	if err != nil {
		return fmt.Errorf("write database %s: %w", d.ID, err)
	}
	if d.Principal == "" {
		return seen.Nobodys("database", d.ID)
	}
	return db.write(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `INSERT INTO databases (id, principal, source, data, added_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET source = excluded.source, data = excluded.data`,
			d.ID, d.Principal, string(d.Source), string(data), millis(d.AddedAt.Time))
		return err
	})
}

// Databases returns the attached databases, the oldest first.
func (db *DB) Databases(ctx context.Context, view access.View) ([]ibid.Database, error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, source, data FROM databases WHERE removed_at IS NULL AND `+seen.By(view, "principal", 1)+` ORDER BY added_at, id`, seen.Who(view))
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	var all []ibid.Database
	for rows.Next() {
		d, err := scanDatabase(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, translate(rows.Err())
}

func scanDatabase(row interface{ Scan(...any) error }) (d ibid.Database, err error) {
	var source, data string
	if err := row.Scan(&d.Principal, &source, &data); err != nil {
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

// ForgetDatabases lets go of databases that were removed before a time, and
// returns their ids.
func (db *DB) ForgetDatabases(ctx context.Context, before time.Time) ([]string, error) {
	var ids []string
	err := db.closing(ctx, func(q querier) error {
		ids = nil
		rows, err := q.QueryContext(ctx, `DELETE FROM databases WHERE removed_at < ? RETURNING id`, millis(before))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	return ids, err
}
