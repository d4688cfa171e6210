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
	"sync"

	"ibid"
	"ibid/internal/access"
)

func scanDocument(row interface{ Scan(...any) error }) (ibid.Document, error) {
	var d ibid.Document
	var data string
	if err := row.Scan(&data); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(data), &d)
}

// Document returns one document of the library.
func (db *DB) Document(ctx context.Context, view access.View, id string) (ibid.Document, error) {
	d, err := scanDocument(db.readers.QueryRowContext(ctx, `SELECT data FROM documents WHERE id = ? AND removed_at IS NULL`, id))
	return d, gone(err, id)
}

// DocumentsByID returns those of the named documents that are in the library,
// in no particular order.
func (db *DB) DocumentsByID(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.readers.QueryContext(ctx, `SELECT data FROM documents WHERE removed_at IS NULL AND id IN (SELECT value FROM json_each(?))`, jsonList(ids))
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
}

// Extract returns what a version of a document says; version "" is the one that
// is searched. Removed documents keep their texts until they are swept.
func (db *DB) Extract(ctx context.Context, view access.View, documentID, version string) (ibid.Extract, error) {
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

// ChunkSets returns, by document, the fingerprint of its passages' ids.
func (db *DB) ChunkSets(ctx context.Context) (map[string]ibid.ChunkSet, error) {
	rows, err := db.readers.QueryContext(ctx, `SELECT document_id, id FROM chunks WHERE level = 2`)
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	sets := map[string]ibid.ChunkSet{}
	var document, id sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&document, &id); err != nil {
			return nil, err
		}
		sets[string(document)] = sets[string(document)].With(string(id))
	}
	return sets, translate(rows.Err())
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

// packers reuses writers: each takes some 800 KB to set up.
var packers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return z
}}

func pack(v any) ([]byte, error) {
	var buf bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&buf)
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
