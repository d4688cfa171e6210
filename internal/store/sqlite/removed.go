package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// What is removed keeps its row, so that it can be restored, until it is swept.
// A removed document loses its chunks alone: those are made again from the text
// of its version. Its data says what status it had, and pending what waited.

// Removed lists what can be restored, the latest removal first: what was removed
// at since or later. Until is for the caller to fill in.
func (db *DB) Removed(ctx context.Context, view access.View, since time.Time, page ibid.Page) (removed []ibid.Removed, next string, err error) {
	var at int64
	var id string
	behind, err := page.DecodeCursor(&at, &id)
	if err != nil {
		return nil, "", err
	}
	where := `removed_at >= ?1 AND ` + seen.By(view, "principal", 5)
	if behind {
		where += ` AND (removed_at, id) < (?2, ?3)`
	}
	rows, err := db.readOnly.QueryContext(ctx, `
		SELECT 'document', id, json_extract(data, '$.name'), coalesce(json_extract(data, '$.folder'), ''), removed_at AS at
			FROM documents WHERE `+where+` AND (removed_with = id OR EXISTS (
				SELECT 1 FROM documents a WHERE a.id = documents.removed_with AND a.removed_at IS NULL))
		UNION ALL SELECT 'thread', id, title, '', removed_at FROM threads WHERE `+where+`
		UNION ALL SELECT 'database', id, json_extract(data, '$.name'), '', removed_at FROM databases WHERE `+where+`
		ORDER BY at DESC, id DESC LIMIT ?4`, millis(since), at, id, page.Size()+1, seen.Who(view))
	if err != nil {
		return nil, "", translate(err)
	}
	removed, err = collect(rows, func(r *sql.Rows) (one ibid.Removed, err error) {
		var at int64
		err = r.Scan(&one.Kind, &one.ID, &one.Name, &one.Folder, &at)
		one.RemovedAt = ibid.At(fromMillis(at))
		return one, err
	})
	if err == nil && len(removed) > page.Size() {
		removed = removed[:page.Size()]
		last := removed[len(removed)-1]
		next = ibid.EncodeCursor(millis(last.RemovedAt.Time), last.ID)
	}
	return removed, next, translate(err)
}

// RemoveDocument takes a document out of the library at once, and with it what
// came out of it. Their rows stay as tombstones, so that an index can be brought
// up to date, and their versions stay until they are swept. It returns the ids
// of what was removed and the last change number; hasArchive bounds how many they are.
func (db *DB) RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) (removed []string, change int64, err error) {
	err = db.closing(ctx, func(q querier) error {
		// The plus lets the index of archives be used: it has no affinity.
		rows, err := q.QueryContext(ctx, `WITH RECURSIVE doomed (id) AS (
			SELECT id FROM documents WHERE id = ?1 AND removed_at IS NULL AND `+seen.By(view, "principal", 2)+`
			UNION SELECT d.id FROM doomed CROSS JOIN documents d ON json_extract(d.data, '$.part_of') = +doomed.id WHERE d.removed_at IS NULL)
			SELECT id FROM doomed`, id, seen.Who(view))
		if err != nil {
			return err
		}
		removed, err = collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
		if err != nil {
			return err
		}
		if len(removed) == 0 {
			return gone(sql.ErrNoRows, id)
		}
		for _, one := range removed {
			if change, err = removeOne(ctx, q, one, id, at); err != nil {
				return fmt.Errorf("remove document %s: %w", one, err)
			}
		}
		return nil
	})
	return removed, change, err
}

func removeOne(ctx context.Context, q querier, id, with string, at time.Time) (change int64, err error) {
	if _, err := q.ExecContext(ctx, `UPDATE documents SET removed_at = ?, removed_with = ?, status = 'removed' WHERE id = ?`, millis(at), with, id); err != nil {
		return 0, err
	}
	if _, err := q.ExecContext(ctx, `UPDATE versions SET replaced_at = ? WHERE document_id = ? AND replaced_at IS NULL`, millis(at), id); err != nil {
		return 0, err
	}
	if _, err := q.ExecContext(ctx, `DELETE FROM chunks WHERE document_id = ?`, id); err != nil {
		return 0, err
	}
	if err := bumpChange(ctx, q, id); err != nil {
		return 0, err
	}
	return change, q.QueryRowContext(ctx, `SELECT change FROM documents WHERE id = ?`, id).Scan(&change)
}

// RemovedWith returns a page of a removed document and what went with it, as far as it
// was removed at since or later and is not restored yet: the one itself first, then
// what came out of it, outer archives before inner ones.
func (db *DB) RemovedWith(ctx context.Context, view access.View, id string, since time.Time, page ibid.Page) (removed []ibid.Document, next string, err error) {
	var depth int
	var last string
	behind, err := page.DecodeCursor(&depth, &last)
	if err != nil {
		return nil, "", err
	}
	if !behind {
		depth = -1
	}
	// The depth of a document is how many archives it lies in, its own row counting
	// as none.
	const depthOf = `CASE id WHEN ?1 THEN 0 ELSE 1 + (length(source) - length(replace(source, '!/', ''))) / 2 END`
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, data, `+depthOf+` AS depth FROM documents
		WHERE (removed_with = ?1 OR id = ?1) AND removed_at >= ?2 AND (`+depthOf+`, id) > (?4, ?5) AND `+seen.By(view, "principal", 3)+`
		ORDER BY depth, id LIMIT ?6`, id, millis(since), seen.Who(view), depth, last, page.Size()+1)
	if err != nil {
		return nil, "", translate(err)
	}
	type found struct {
		ibid.Document
		depth int
	}
	all, err := collect(rows, func(r *sql.Rows) (f found, err error) {
		f.Document, err = scanDocument(r, &f.depth)
		return f, err
	})
	all, next = file.CutPage(all, page, func(f found) []any { return []any{f.depth, f.ID} })
	for _, f := range all {
		removed = append(removed, f.Document)
	}
	return removed, next, err
}

// HalfRestored returns a page of the archives that are restored while some of what went
// with them is not, by id: a crash came in between.
func (db *DB) HalfRestored(ctx context.Context, page ibid.Page) (documentIDs []string, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT DISTINCT d.removed_with FROM documents d JOIN documents a ON a.id = d.removed_with
		WHERE d.removed_with > ? AND d.removed_at IS NOT NULL AND d.removed_with IS NOT NULL AND a.removed_at IS NULL ORDER BY d.removed_with LIMIT ?`, after, page.Size()+1)
	if err != nil {
		return nil, "", translate(err)
	}
	documentIDs, err = collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
	documentIDs, next = file.CutPage(documentIDs, page, func(id string) []any { return []any{id} })
	return documentIDs, next, err
}

// RestoreDocument takes the removal of one document back, in one transaction. It
// stands as it did: ready, failed, or waiting again where it was in work. chunks
// of all levels, and what they name, are those of the version that was searched.
// restored is false when it is not removed (any more). The error is a CONFLICT
// when another document has taken its place, and a NOT_FOUND when it was removed
// before since or is gone.
func (db *DB) RestoreDocument(ctx context.Context, view access.View, id string, since time.Time, chunks []ibid.Chunk, named []ibid.Naming) (d ibid.Document, change int64, restored bool, err error) {
	err = db.write(ctx, func(q querier) error {
		var pending string
		var removedAt sql.NullInt64
		var err error
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending, removed_at FROM documents WHERE id = ?1 AND `+seen.By(view, "principal", 2), id, seen.Who(view)),
			&pending, &removedAt)
		if errors.Is(err, sql.ErrNoRows) || err == nil && removedAt.Valid && removedAt.Int64 < millis(since) {
			return ibid.NotRestorable("document", id)
		}
		if err != nil {
			return err
		}
		if restored = removedAt.Valid; !restored {
			return nil
		}
		if err := takePlace(ctx, q, &d); err != nil {
			return err
		}
		if d.Version != "" {
			res, err := q.ExecContext(ctx, `UPDATE versions SET replaced_at = NULL WHERE document_id = ? AND hash = ?`, id, d.Version)
			if err := file.Found(res, err, "text of document", id); err != nil {
				return err
			}
		}
		reopen(&d, pending)
		if _, err := q.ExecContext(ctx, `UPDATE documents SET removed_at = NULL, removed_with = NULL, source = ? WHERE id = ?`, d.Source, id); err != nil {
			return err
		}
		if err := updateDocument(ctx, q, d); err != nil {
			return err
		}
		if err := replaceChunks(ctx, q, id, chunks); err != nil {
			return err
		}
		if err := nameChunks(ctx, q, named, ibid.NamedByHeuristic, `document_id = ? AND named_by = 0`, id); err != nil {
			return err
		}
		if err := bumpChange(ctx, q, id); err != nil {
			return err
		}
		return q.QueryRowContext(ctx, `SELECT change FROM documents WHERE id = ?`, id).Scan(&change)
	})
	return d, change, restored, err
}

// reopen says where a document stands that was removed and is restored.
func reopen(d *ibid.Document, pending string) {
	if d.Status == ibid.DocumentReady || d.Status == ibid.DocumentFailed {
		return
	}
	d.Stage, d.Progress, d.PagesDone, d.ETA, d.Error = "", 0, 0, 0, ""
	switch {
	case pending != "":
		d.Status = ibid.DocumentQueued
	case d.Version != "": // only its vectors were missing
		d.Status, d.Progress = ibid.DocumentReady, 1
	default: // removed by an ibid that did not keep what waited
		d.Status, d.Error = ibid.DocumentFailed, "its file was not kept; add it again"
	}
}

// takePlace holds that nothing else stands where a removed document stood. Path
// and URL belong to one document; of uploads it is the name in the folder, as
// their source is no more than a label of ours.
func takePlace(ctx context.Context, q querier, d *ibid.Document) error {
	if d.PartOf != "" {
		err := hasArchive(ctx, q, *d)
		if ibid.CodeOf(err) == ibid.CodeNotFound && err != nil {
			return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("the archive that %s lay in is removed", d.Name),
				Hint: "restore the archive, " + d.PartOf + ", first"}
		}
		if err != nil {
			return err
		}
	}
	if strings.HasPrefix(d.Source, uploadMark) && d.PartOf == "" {
		other, err := named(ctx, q, d.Principal, d.Folder, d.Name)
		if err != nil {
			return err
		}
		if other != nil {
			return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("there is another %s in its folder now", d.Name),
				Hint: "rename, move or remove that one, " + other.ID + ", then restore this one"}
		}
		d.Source, err = freeSource(ctx, q, *d)
		return err
	}
	var other string
	err := q.QueryRowContext(ctx, `SELECT id FROM documents WHERE principal = ? AND source = ? AND removed_at IS NULL`, d.Principal, d.Source).Scan(&other)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("another document is added from %s now", d.Source),
		Hint: "remove that one, " + other + ", then restore this one"}
}
