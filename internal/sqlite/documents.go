package sqlite

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid"
)

// PutDocument takes in a document, or a new version of one that has the same
// source, and returns it as it then stands. version is the content hash that
// waits for the pipeline. Where the document is ready with that very version,
// only its title, category and folder are changed and unchanged is true.
func (db *DB) PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error) {
	err = db.write(ctx, func(q querier) error {
		old, err := scanDocument(q.QueryRowContext(ctx, `SELECT data FROM documents WHERE source = ? AND removed_at IS NULL`, d.Source))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			d.Status = ibid.DocumentQueued
			stored, unchanged = d, false
			return insertDocument(ctx, q, d, version)
		case err != nil:
			return err
		}
		stored = old
		stored.Name, stored.Folder, stored.Category = d.Name, d.Folder, d.Category
		unchanged = old.Status == ibid.DocumentReady && old.Version == version
		if !unchanged {
			stored.Status, stored.Stage, stored.Progress, stored.Error = ibid.DocumentQueued, "", 0, ""
			stored.ChangeAt = d.ChangeAt
			if _, err := q.ExecContext(ctx, `UPDATE documents SET pending = ? WHERE id = ?`, version, old.ID); err != nil {
				return err
			}
		} else if scopeChanged(old, stored) {
			if err := bumpChange(ctx, q, old.ID); err != nil {
				return err
			}
		}
		return updateDocument(ctx, q, stored)
	})
	return stored, unchanged, err
}

func scopeChanged(a, b ibid.Document) bool { return a.Folder != b.Folder || a.Category != b.Category }

func insertDocument(ctx context.Context, q querier, d ibid.Document, pending string) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO documents (id, source, status, pending, added_at, data) VALUES (?, ?, ?, ?, ?, ?)`,
		d.ID, d.Source, d.Status, pending, millis(d.AddedAt), string(data))
	if err != nil {
		return fmt.Errorf("save document %s: %w", d.Name, err)
	}
	return nil
}

func updateDocument(ctx context.Context, q querier, d ibid.Document) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	res, err := q.ExecContext(ctx, `UPDATE documents SET status = ?, data = ? WHERE id = ? AND removed_at IS NULL`,
		d.Status, string(data), d.ID)
	return found(res, err, "document", d.ID)
}

func bumpChange(ctx context.Context, q querier, id string) error {
	_, err := q.ExecContext(ctx, `UPDATE documents SET change = (SELECT max(change) FROM documents) + 1 WHERE id = ?`, id)
	return err
}

func scanDocument(row interface{ Scan(...any) error }) (ibid.Document, error) {
	var d ibid.Document
	var data string
	if err := row.Scan(&data); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(data), &d)
}

// NextDocument returns the document that has waited longest for the pipeline
// and the version that waits, or ok false.
func (db *DB) NextDocument(ctx context.Context) (d ibid.Document, version string, ok bool, err error) {
	err = db.write(ctx, func(q querier) error {
		var data string
		err := q.QueryRowContext(ctx, `SELECT data, pending FROM documents WHERE status = ? AND removed_at IS NULL
			ORDER BY added_at, id LIMIT 1`, ibid.DocumentQueued).Scan(&data, &version)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(data), &d); err != nil {
			return err
		}
		ok = true
		d.Status, d.Stage, d.Progress, d.Error = ibid.DocumentProcessing, "extract", 0, ""
		return updateDocument(ctx, q, d)
	})
	return d, version, ok, err
}

// RequeueDocuments puts back what was being processed when the process ended.
func (db *DB) RequeueDocuments(ctx context.Context) error {
	return db.write(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `UPDATE documents SET status = 'queued', data = json_set(data, '$.status', 'queued')
			WHERE status = 'processing' AND removed_at IS NULL`)
		return err
	})
}

// SetProgress saves how far a document has come, and nothing else of it.
func (db *DB) SetProgress(ctx context.Context, documentID, stage string, progress float64, pages int) error {
	return db.write(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, `UPDATE documents SET data = json_set(data, '$.stage', ?, '$.progress', ?, '$.pages', ?)
			WHERE id = ? AND removed_at IS NULL`, stage, progress, pages, documentID)
		return found(res, err, "document", documentID)
	})
}

// SettleDocument writes down how the work on a version ended, without changing
// what is searched. Where a newer version came in meanwhile, the document waits
// again instead.
func (db *DB) SettleDocument(ctx context.Context, d ibid.Document, version string) error {
	return db.write(ctx, func(q querier) error {
		now, pending, err := waiting(ctx, q, d.ID)
		if err != nil {
			return err
		}
		d.Name, d.Folder, d.Category = now.Name, now.Folder, now.Category
		if pending != "" && pending != version {
			d.Status, d.Stage, d.Error = ibid.DocumentQueued, "", ""
		}
		return updateDocument(ctx, q, d)
	})
}

// waiting returns a document as it stands and the version that waits.
func waiting(ctx context.Context, q querier, id string) (d ibid.Document, pending string, err error) {
	var data string
	err = q.QueryRowContext(ctx, `SELECT data, pending FROM documents WHERE id = ? AND removed_at IS NULL`, id).Scan(&data, &pending)
	if err != nil {
		return d, "", gone(err, id)
	}
	return d, pending, json.Unmarshal([]byte(data), &d)
}

// FinishDocument makes a version the one that is searched, in one transaction:
// its text, its chunks in place of the old ones, and the document as ready. A
// newer version that came in meanwhile leaves the document queued. It returns
// the document's change number.
func (db *DB) FinishDocument(ctx context.Context, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, at time.Time) (change int64, err error) {
	packed, err := pack(x)
	if err != nil {
		return 0, err
	}
	err = db.write(ctx, func(q querier) error {
		now, pending, err := waiting(ctx, q, d.ID)
		if err != nil {
			return err
		}
		d.Name, d.Folder, d.Category = now.Name, now.Folder, now.Category
		if _, err := q.ExecContext(ctx, `INSERT INTO versions (document_id, hash, created_at, extract) VALUES (?, ?, ?, ?)
			ON CONFLICT (document_id, hash) DO UPDATE SET extract = excluded.extract`, d.ID, d.Version, millis(at), packed); err != nil {
			return fmt.Errorf("save the text of %s: %w", d.Name, err)
		}
		if err := replaceChunks(ctx, q, d.ID, chunks); err != nil {
			return err
		}
		if pending != "" && pending != d.Version {
			d.Status, d.Stage = ibid.DocumentQueued, ""
		} else if _, err := q.ExecContext(ctx, `UPDATE documents SET pending = '' WHERE id = ?`, d.ID); err != nil {
			return err
		}
		if err := updateDocument(ctx, q, d); err != nil {
			return err
		}
		if err := bumpChange(ctx, q, d.ID); err != nil {
			return err
		}
		return q.QueryRowContext(ctx, `SELECT change FROM documents WHERE id = ?`, d.ID).Scan(&change)
	})
	return change, err
}

// replaceChunks keeps the rows of chunks that the new version still has, and
// with them their embeddings.
func replaceChunks(ctx context.Context, q querier, documentID string, chunks []ibid.Chunk) error {
	ids := make([]string, len(chunks))
	for i, c := range chunks {
		ids[i] = c.ID
	}
	keep, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	if _, err := q.ExecContext(ctx, `DELETE FROM chunks WHERE document_id = ? AND id NOT IN (SELECT value FROM json_each(?))`,
		documentID, string(keep)); err != nil {
		return fmt.Errorf("drop old chunks: %w", err)
	}
	for _, c := range chunks {
		heading, _ := json.Marshal(c.Heading)
		pages, _ := json.Marshal(c.Pages)
		_, err := q.ExecContext(ctx, `INSERT INTO chunks (id, document_id, version, ordinal, level, parent_id, heading, pages, start_at, end_at, text)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET version = excluded.version, ordinal = excluded.ordinal, parent_id = excluded.parent_id,
				heading = excluded.heading, pages = excluded.pages, start_at = excluded.start_at, end_at = excluded.end_at`,
			c.ID, documentID, c.Version, c.Ordinal, c.Level, c.ParentID, string(heading), string(pages), c.Start, c.End, c.Text)
		if err != nil {
			return fmt.Errorf("save chunk %d: %w", c.Ordinal, err)
		}
	}
	return nil
}

// RemoveDocument takes a document out of the library at once. Its row stays as
// a tombstone, so that an index can be brought up to date, and its versions
// stay until they are swept.
func (db *DB) RemoveDocument(ctx context.Context, id string, at time.Time) error {
	return db.write(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, `UPDATE documents SET removed_at = ?, status = 'removed', pending = '' WHERE id = ? AND removed_at IS NULL`, millis(at), id)
		if err := found(res, err, "document", id); err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, `DELETE FROM chunks WHERE document_id = ?`, id); err != nil {
			return err
		}
		return bumpChange(ctx, q, id)
	})
}

// Document returns one document of the library.
func (db *DB) Document(ctx context.Context, id string) (ibid.Document, error) {
	d, err := scanDocument(db.readers.QueryRowContext(ctx, `SELECT data FROM documents WHERE id = ? AND removed_at IS NULL`, id))
	return d, gone(err, id)
}

// Documents returns the documents in a scope, by name.
func (db *DB) Documents(ctx context.Context, scope ibid.Scope) ([]ibid.Document, error) {
	rows, err := db.readers.QueryContext(ctx, `SELECT data FROM documents WHERE removed_at IS NULL ORDER BY json_extract(data, '$.name'), id`)
	if err != nil {
		return nil, translate(err)
	}
	all, err := collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
	if err != nil || scope.IsZero() {
		return all, err
	}
	in := all[:0]
	for _, d := range all {
		if scope.Includes(d) {
			in = append(in, d)
		}
	}
	return in, nil
}

// DocumentsByID returns those of the named documents that are in the library,
// in no particular order.
func (db *DB) DocumentsByID(ctx context.Context, ids []string) ([]ibid.Document, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.readers.QueryContext(ctx, `SELECT data FROM documents WHERE removed_at IS NULL AND id IN (`+marks(len(ids))+`)`, anys(ids)...)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
}

// Extract returns what a version of a document says; version "" is the one that
// is searched. Removed documents keep their texts until they are swept.
func (db *DB) Extract(ctx context.Context, documentID, version string) (ibid.Extract, error) {
	var x ibid.Extract
	var packed []byte
	err := db.readers.QueryRowContext(ctx, `SELECT extract FROM versions
		WHERE document_id = ?1 AND hash = CASE WHEN ?2 = '' THEN
			(SELECT json_extract(data, '$.version') FROM documents WHERE id = ?1) ELSE ?2 END`, documentID, version).Scan(&packed)
	if err != nil {
		return x, gone(err, documentID)
	}
	return x, unpack(packed, &x)
}

// Chunks returns the named chunks that exist, in no particular order.
func (db *DB) Chunks(ctx context.Context, ids []string) ([]ibid.Chunk, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return db.chunks(ctx, `id IN (`+marks(len(ids))+`)`, anys(ids)...)
}

// DocumentChunks returns a document's chunks in order.
func (db *DB) DocumentChunks(ctx context.Context, documentID string) ([]ibid.Chunk, error) {
	return db.chunks(ctx, `document_id = ? ORDER BY level, ordinal`, documentID)
}

func (db *DB) chunks(ctx context.Context, where string, args ...any) ([]ibid.Chunk, error) {
	rows, err := db.readers.QueryContext(ctx, `SELECT id, document_id, version, ordinal, level, parent_id, heading, pages, start_at, end_at, text
		FROM chunks WHERE `+where, args...)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Chunk, error) {
		var c ibid.Chunk
		var heading, pages string
		err := r.Scan(&c.ID, &c.DocumentID, &c.Version, &c.Ordinal, &c.Level, &c.ParentID, &heading, &pages, &c.Start, &c.End, &c.Text)
		if err != nil {
			return c, err
		}
		return c, errors.Join(json.Unmarshal([]byte(heading), &c.Heading), json.Unmarshal([]byte(pages), &c.Pages))
	})
}

// ChangedDocuments returns what changed in the library after a change number,
// in order: documents that are searched now, and the ids of removed ones.
func (db *DB) ChangedDocuments(ctx context.Context, after int64) (ready []ibid.Document, removed []string, last int64, err error) {
	last = after
	rows, err := db.readers.QueryContext(ctx, `SELECT id, change, removed_at IS NOT NULL, data FROM documents WHERE change > ? ORDER BY change`, after)
	if err != nil {
		return nil, nil, after, translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, data string
		var gone bool
		if err := rows.Scan(&id, &last, &gone, &data); err != nil {
			return nil, nil, after, err
		}
		if gone {
			removed = append(removed, id)
			continue
		}
		var d ibid.Document
		if err := json.Unmarshal([]byte(data), &d); err != nil {
			return nil, nil, after, err
		}
		ready = append(ready, d)
	}
	return ready, removed, last, translate(rows.Err())
}

// Counts returns how many documents, chunks and threads there are.
func (db *DB) Counts(ctx context.Context) (documents, chunks, threads int, err error) {
	err = db.readers.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM documents WHERE removed_at IS NULL),
		(SELECT count(*) FROM chunks), (SELECT count(*) FROM threads)`).Scan(&documents, &chunks, &threads)
	return documents, chunks, threads, translate(err)
}

// Setting returns a stored value, "" when there is none.
func (db *DB) Setting(ctx context.Context, name string) (string, error) {
	var v string
	err := db.readers.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = ?`, name).Scan(&v)
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

func gone(err error, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ibid.Errorf(ibid.CodeNotFound, "there is no document %s", id)
	}
	return translate(err)
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

func anys(ss []string) []any {
	out := make([]any, len(ss))
	for i, s := range ss {
		out[i] = s
	}
	return out
}

func pack(v any) ([]byte, error) {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(z).Encode(v); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func unpack(b []byte, v any) error {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("unpack a version: %w", err)
	}
	defer z.Close()
	if err := json.NewDecoder(z).Decode(v); err != nil {
		return fmt.Errorf("unpack a version: %w", err)
	}
	return nil
}
