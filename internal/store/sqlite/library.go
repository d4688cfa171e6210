package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// scanDocument reads the columns principal and data, and into more what stands
// behind them.
func scanDocument(row interface{ Scan(...any) error }, more ...any) (ibid.Document, error) {
	var d ibid.Document
	var data string
	if err := row.Scan(append([]any{&d.Principal, &data}, more...)...); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(data), &d)
}

// Document returns one document of the library.
func (db *DB) Document(ctx context.Context, view access.View, id string) (ibid.Document, error) {
	d, err := scanDocument(db.readOnly.QueryRowContext(ctx, `SELECT principal, data FROM documents WHERE id = ?1 AND removed_at IS NULL AND `+seen.By(view, "principal", 2), id, seen.Who(view)))
	return d, gone(err, id)
}

// DocumentsByID returns those of the named documents that are in the library,
// in no particular order.
func (db *DB) DocumentsByID(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, data FROM documents
		WHERE removed_at IS NULL AND id IN (SELECT value FROM json_each(?1)) AND `+seen.By(view, "principal", 2), jsonList(ids), seen.Who(view))
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
}

// HasVersion reports whether a document has or had a version, or waits to be read with
// it. The document may have been removed.
func (db *DB) HasVersion(ctx context.Context, view access.View, documentID, version string) (has bool, err error) {
	err = db.readOnly.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM documents WHERE id = ?1 AND `+seen.By(view, "principal", 3)+`
		AND (pending = ?2 OR json_extract(data, '$.version') = ?2 OR EXISTS (SELECT 1 FROM versions v WHERE v.document_id = ?1 AND v.hash = ?2)))`,
		documentID, version, seen.Who(view)).Scan(&has)
	return has, translate(err)
}

// Known returns those of some ids that are documents', removed ones among them.
func (db *DB) Known(ctx context.Context, view access.View, ids []string) ([]string, error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?1)) AND `+seen.By(view, "principal", 2),
		jsonList(ids), seen.Who(view))
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
}

// Extract returns what a version of a document says; version "" is the one that
// is searched. Removed documents keep their texts until they are swept.
func (db *DB) Extract(ctx context.Context, view access.View, documentID, version string) (ibid.Extract, error) {
	var x ibid.Extract
	var packed []byte
	err := db.readOnly.QueryRowContext(ctx, `SELECT extract FROM versions
		WHERE document_id = ?1 AND hash = CASE WHEN ?2 = '' THEN
			(SELECT json_extract(data, '$.version') FROM documents WHERE id = ?1) ELSE ?2 END
		AND (SELECT `+seen.By(view, "principal", 3)+` FROM documents WHERE id = ?1)`, documentID, version, seen.Who(view)).Scan(&packed)
	if err != nil {
		return x, gone(err, documentID)
	}
	return x, file.Unpack(packed, &x)
}

// ChunkSets returns the fingerprints of the documents' passages, by id. Documents
// that were removed are left out.
func (db *DB) ChunkSets(ctx context.Context, page ibid.Page) (sets []ibid.DocumentChunkSet, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT d.id, d.change, c.id FROM
			(SELECT id, change FROM documents WHERE id > ? AND removed_at IS NULL ORDER BY id LIMIT ?) d
		LEFT JOIN chunks c ON c.document_id = d.id AND c.level = 2 ORDER BY d.id`, after, page.Size())
	if err != nil {
		return nil, "", translate(err)
	}
	defer rows.Close()
	var document, id sql.RawBytes
	var change int64
	for rows.Next() {
		if err := rows.Scan(&document, &change, &id); err != nil {
			return nil, "", err
		}
		if n := len(sets); n == 0 || sets[n-1].DocumentID != string(document) {
			sets = append(sets, ibid.DocumentChunkSet{DocumentID: string(document), Number: change})
		}
		if d := &sets[len(sets)-1]; id != nil {
			d.Chunks = d.Chunks.With(string(id))
		}
	}
	if len(sets) == page.Size() {
		next = ibid.EncodeCursor(sets[len(sets)-1].DocumentID)
	}
	return sets, next, translate(rows.Err())
}

// Changes returns the changes of what is searched after a change number, in order.
// There are at most limit; an empty list says that there are no more.
func (db *DB) Changes(ctx context.Context, after int64, limit int) ([]ibid.Change, error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, data, change, removed_at IS NOT NULL FROM documents
		WHERE change > ? ORDER BY change LIMIT ?`, after, limit)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Change, error) { return scanChange(r) })
}

// LastNumber returns the highest change number that there is.
func (db *DB) LastNumber(ctx context.Context) (int64, error) {
	var number int64
	err := db.readOnly.QueryRowContext(ctx, `SELECT coalesce(max(change), 0) FROM documents`).Scan(&number)
	return number, translate(err)
}

// LastChange returns the last change of one document, which may have been removed.
func (db *DB) LastChange(ctx context.Context, documentID string) (ibid.Change, error) {
	c, err := scanChange(db.readOnly.QueryRowContext(ctx, `SELECT principal, data, change, removed_at IS NOT NULL FROM documents WHERE id = ?`, documentID))
	return c, gone(err, documentID)
}

func scanChange(row interface{ Scan(...any) error }) (c ibid.Change, err error) {
	c.Document, err = scanDocument(row, &c.Number, &c.Removed)
	return c, err
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
