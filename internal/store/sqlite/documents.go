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
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// A document's row has two versions in it: the one that is searched, in its
// data, and in the column pending the one that the pipeline is to read, '' for
// none. Whoever works on a version has a lease on it (document_leases.go); when another
// is wanted the lease ends, and the work changes nothing any more.

// PutDocument takes in a document, or a new version of one that has the same
// source, and returns it as it then stands. version is the content hash that
// waits for the pipeline. Where the document is ready with that very version,
// or it waits already, only what people say of it is changed; unchanged is true
// when it is ready.
func (db *DB) PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error) {
	err = db.write(ctx, func(q querier) error {
		var err error
		stored, unchanged, err = putVersion(ctx, q, d, version)
		return err
	})
	return stored, unchanged, err
}

func putVersion(ctx context.Context, q querier, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error) {
	if d.Principal == "" {
		return d, false, seen.Nobodys("document", d.ID)
	}
	var pending string
	old, err := scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending FROM documents
		WHERE principal = ? AND source = ? AND removed_at IS NULL`, d.Principal, d.Source), &pending)
	if errors.Is(err, sql.ErrNoRows) {
		if err := hasArchive(ctx, q, d); err != nil {
			return d, false, err
		}
		d.Status = ibid.DocumentQueued
		return d, false, insertDocument(ctx, q, d, version)
	}
	if err != nil {
		return d, false, err
	}
	stored = old.Described(d)
	unchanged = old.Status == ibid.DocumentReady && old.Version == version
	inWork := (old.Status == ibid.DocumentQueued || old.Status == ibid.DocumentProcessing) && pending == version
	switch {
	case unchanged && !old.SameDescription(stored):
		if err := bumpChange(ctx, q, old.ID); err != nil {
			return d, false, err
		}
	case !unchanged && !inWork:
		stored.Status, stored.Stage, stored.Progress, stored.Error = ibid.DocumentQueued, "", 0, ""
		stored.ChangeAt = d.ChangeAt
		if err := endLease(ctx, q, old.ID); err != nil {
			return d, false, err
		}
		if _, err := q.ExecContext(ctx, `UPDATE documents SET pending = ?, reader_kills = 0, crashes = 0 WHERE id = ?`, version, old.ID); err != nil {
			return d, false, err
		}
	}
	return stored, unchanged, updateDocument(ctx, q, stored)
}

// ChangeDocument lets change alter what people say of a document, and returns
// it as it then stands. It must alter nothing else.
func (db *DB) ChangeDocument(ctx context.Context, view access.View, id string, change func(*ibid.Document) error) (ibid.Document, error) {
	var d ibid.Document
	err := db.write(ctx, func(q querier) error {
		var err error
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data FROM documents WHERE id = ?1 AND removed_at IS NULL AND `+seen.By(view, "principal", 2), id, seen.Who(view)))
		if err != nil {
			return gone(err, id)
		}
		if err := change(&d); err != nil {
			return err
		}
		if err := moveSource(ctx, q, id, d.Source); err != nil {
			return err
		}
		if err := updateDocument(ctx, q, d); err != nil {
			return err
		}
		if d.Version == "" {
			return nil // not searched yet
		}
		return bumpChange(ctx, q, id)
	})
	return d, err
}

func insertDocument(ctx context.Context, q querier, d ibid.Document, pending string) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO documents (id, principal, source, status, pending, added_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		d.ID, d.Principal, d.Source, d.Status, pending, millis(d.AddedAt.Time), string(data))
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
	return file.Found(res, err, "document", d.ID)
}

func bumpChange(ctx context.Context, q querier, id string) error {
	_, err := q.ExecContext(ctx, `UPDATE documents SET change = (SELECT max(change) FROM documents) + 1 WHERE id = ?`, id)
	return err
}

// SetProgress saves how far a document in work has come, and nothing else of it;
// ErrLeaseLost when it is not in work under that lease any more.
func (db *DB) SetProgress(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error {
	return db.write(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, `UPDATE documents
			SET data = json_set(data, '$.stage', ?, '$.progress', ?, '$.pages', ?, '$.pages_done', ?, '$.eta_seconds', ?)
			WHERE id = ? AND status = 'processing' AND removed_at IS NULL AND EXISTS (SELECT 1 FROM document_leases WHERE fence = ? AND document_id = documents.id)`,
			d.Stage, d.Progress, d.Pages, d.PagesDone, d.ETA, l.DocumentID, l.Fence)
		return file.Fenced(res, err)
	})
}

// CancelDocument takes a document out of work and returns it as it then stands:
// ready with the version that was searched before, else failed. The error is a
// CONFLICT when it was not in work.
func (db *DB) CancelDocument(ctx context.Context, view access.View, id string) (ibid.Document, error) {
	var d ibid.Document
	err := db.closing(ctx, func(q querier) error {
		var err error
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data FROM documents WHERE id = ?1 AND removed_at IS NULL AND `+seen.By(view, "principal", 2), id, seen.Who(view)))
		if err != nil {
			return gone(err, id)
		}
		if d.Status != ibid.DocumentQueued && d.Status != ibid.DocumentProcessing {
			return ibid.Errorf(ibid.CodeConflict, "%s is not being processed", d.Name)
		}
		d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA, d.Error = ibid.DocumentFailed, "", 0, 0, 0, "cancelled before it was read"
		if d.Version != "" {
			d.Status, d.Progress, d.Error = ibid.DocumentReady, 1, ""
			var packed []byte
			var x ibid.Extract
			if err := q.QueryRowContext(ctx, `SELECT extract FROM versions WHERE document_id = ? AND hash = ?`, id, d.Version).Scan(&packed); err != nil {
				return err
			}
			if err := file.Unpack(packed, &x); err != nil {
				return err
			}
			d.Pages = x.Pages // not those of the version that was being read
		}
		if err := endLease(ctx, q, id); err != nil {
			return err
		}
		// The bytes of a document that was never read stay, so that it can be retried.
		if _, err := q.ExecContext(ctx, `UPDATE documents SET pending = '' WHERE id = ? AND ?`, id, d.Version != ""); err != nil {
			return err
		}
		return updateDocument(ctx, q, d)
	})
	return d, err
}

// SettleDocument writes down how the work on a version ended, without changing
// what is searched. The error is a NOT_FOUND when the document is not there any more,
// and ErrLeaseLost when the work is of no use.
func (db *DB) SettleDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error {
	return db.closing(ctx, func(q querier) error {
		now, _, err := leased(ctx, q, l)
		if err != nil {
			return err
		}
		if err := endLease(ctx, q, l.DocumentID); err != nil {
			return err
		}
		return updateDocument(ctx, q, asPeopleSay(d, now))
	})
}

// asPeopleSay takes over what people may have changed of a document while the
// pipeline worked on it.
func asPeopleSay(d, now ibid.Document) ibid.Document {
	d.Principal, d.Source = now.Principal, now.Source
	d.Name, d.Folder, d.Category, d.Tags, d.Metadata = now.Name, now.Folder, now.Category, now.Tags, now.Metadata
	if now.Title != "" {
		d.Title = now.Title
	}
	return d
}

// FinishDocument makes a version the one that is searched, in one transaction:
// its text, its chunks in place of the old ones, what the new ones among them
// name, and the document as it stands, which stays in work. It returns the document as
// it was stored and its change number. The error is that of SettleDocument.
func (db *DB) FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (stored ibid.Document, change int64, err error) {
	packed, err := file.Pack(x)
	if err != nil {
		return d, 0, err
	}
	err = db.write(ctx, func(q querier) error {
		now, _, err := leased(ctx, q, l)
		if err != nil {
			return err
		}
		stored = asPeopleSay(d, now)
		if _, err := q.ExecContext(ctx, `INSERT INTO versions (document_id, hash, created_at, extract) VALUES (?, ?, ?, ?)
			ON CONFLICT (document_id, hash) DO UPDATE SET extract = excluded.extract`, d.ID, d.Version, millis(at), packed); err != nil {
			return fmt.Errorf("save the text of %s: %w", d.Name, err)
		}
		if _, err := q.ExecContext(ctx, `UPDATE versions SET replaced_at = CASE WHEN hash = ?1 THEN NULL ELSE coalesce(replaced_at, ?2) END
			WHERE document_id = ?3`, d.Version, millis(at), d.ID); err != nil {
			return fmt.Errorf("note which version is searched: %w", err)
		}
		if err := replaceChunks(ctx, q, d.ID, chunks); err != nil {
			return err
		}
		if err := nameChunks(ctx, q, named, ibid.NamedByHeuristic, `document_id = ? AND named_by = 0`, d.ID); err != nil {
			return err
		}
		if err := updateDocument(ctx, q, stored); err != nil {
			return err
		}
		if err := bumpChange(ctx, q, d.ID); err != nil {
			return err
		}
		return q.QueryRowContext(ctx, `UPDATE documents SET pending = '', reader_kills = 0, crashes = 0 WHERE id = ? RETURNING change`, d.ID).Scan(&change)
	})
	return stored, change, err
}
