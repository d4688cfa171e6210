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
)

// NextDocument returns the document that the pipeline is to read next and the
// version of it that waits, or ok false. The one that has waited longest comes
// first, but what was in work when ibid ended comes behind the rest, and only once
// maxCrashes allows as many ends as it has seen.
func (db *DB) NextDocument(ctx context.Context, maxCrashes int) (d ibid.Document, version string, a ibid.Attempts, ok bool, err error) {
	err = db.write(ctx, func(q querier) error {
		d, ok = ibid.Document{}, false
		var err error
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending, reader_kills, crashes FROM documents
			WHERE status = 'queued' AND removed_at IS NULL AND crashes <= ?
			ORDER BY crashes, added_at, id LIMIT 1`, maxCrashes), &version, &a.Killed, &a.Crashes)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA, d.Error = ibid.DocumentProcessing, "extract", 0, 0, 0, ""
		return updateDocument(ctx, q, d)
	})
	return d, version, a, ok, err
}

// RequeueDocuments puts back what was in work when the process before this one
// ended without a word, and counts that. A document that has seen maxCrashes of
// them fails with the line giveUp; failed is how many did. What was published
// already is ready: only its vectors may lack, and those are made beside the
// pipeline.
func (db *DB) RequeueDocuments(ctx context.Context, maxCrashes int, giveUp string) (failed int, err error) {
	err = db.closing(ctx, func(q querier) error {
		if err := settlePublished(ctx, q); err != nil {
			return err
		}
		res, err := q.ExecContext(ctx, `UPDATE documents SET status = 'failed', crashes = crashes + 1,
				data = json_set(data, '$.status', 'failed', '$.stage', '', '$.progress', 0, '$.error', ?)
			WHERE id IN (SELECT id FROM document_keys WHERE status = 'processing') AND removed_at IS NULL AND crashes + 1 >= ?`, giveUp, maxCrashes)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		failed = int(n)
		_, err = q.ExecContext(ctx, `UPDATE documents SET status = 'queued', crashes = crashes + 1, data = json_set(data, '$.status', 'queued')
			WHERE id IN (SELECT id FROM document_keys WHERE status = 'processing') AND removed_at IS NULL`)
		return err
	})
	return failed, err
}

// ReleaseDocuments puts back what is in work, at an orderly end.
func (db *DB) ReleaseDocuments(ctx context.Context) error {
	return db.closing(ctx, func(q querier) error {
		if err := settlePublished(ctx, q); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `UPDATE documents SET status = 'queued', data = json_set(data, '$.status', 'queued')
			WHERE id IN (SELECT id FROM document_keys WHERE status = 'processing') AND removed_at IS NULL`)
		return err
	})
}

func settlePublished(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, `UPDATE documents SET status = 'ready', data = json_set(data, '$.status', 'ready', '$.stage', '', '$.progress', 1)
		WHERE id IN (SELECT id FROM document_keys WHERE status = 'processing') AND pending = '' AND removed_at IS NULL`)
	return err
}

// PutBackDocument lets a document wait again whose work could not be written down,
// as the disk was full. The error is that of SettleDocument.
func (db *DB) PutBackDocument(ctx context.Context, id, version string) error {
	return db.closing(ctx, func(q querier) error {
		d, err := wanted(ctx, q, id, version)
		if err != nil {
			return err
		}
		var pending string
		if err := q.QueryRowContext(ctx, `SELECT pending FROM documents WHERE id = ?`, id).Scan(&pending); err != nil {
			return err
		}
		d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA = ibid.DocumentQueued, "", 0, 0, 0
		if pending == "" { // it was published: only vectors may lack
			d.Status, d.Progress = ibid.DocumentReady, 1
		}
		return updateDocument(ctx, q, d)
	})
}

// NoteReaderKilled puts a document back whose reader was killed from outside, and
// counts that. The error is that of SettleDocument.
func (db *DB) NoteReaderKilled(ctx context.Context, id, version string) error {
	return db.closing(ctx, func(q querier) error {
		d, err := wanted(ctx, q, id, version)
		if err != nil {
			return err
		}
		d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA = ibid.DocumentQueued, "", 0, 0, 0
		if _, err := q.ExecContext(ctx, `UPDATE documents SET reader_kills = reader_kills + 1 WHERE id = ?`, id); err != nil {
			return err
		}
		return updateDocument(ctx, q, d)
	})
}

// RetryDocument lets a document that failed, or of which something is missing
// because its reader was killed, be read again, as if for the first time. The
// error is a CONFLICT when it is neither.
func (db *DB) RetryDocument(ctx context.Context, view access.View, id string, at time.Time) (ibid.Document, error) {
	var d ibid.Document
	err := db.write(ctx, func(q querier) error {
		d = ibid.Document{}
		var pending string
		var err error
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending FROM documents
			WHERE id = ?1 AND removed_at IS NULL AND `+seen(view, "principal", 2), id, who(view)), &pending)
		if err != nil {
			return gone(err, id)
		}
		short := d.Status == ibid.DocumentReady && strings.Contains(d.Notice, ibid.ReaderKilled)
		if d.Status != ibid.DocumentFailed && !short {
			return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("%s has not failed", d.Name), Hint: "only what failed is read again; a file that has changed is added again"}
		}
		if pending == "" {
			pending = d.Version
		}
		if pending == "" {
			return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("the file of %s is not kept any more", d.Name), Hint: "add it again"}
		}
		d.Status, d.Stage, d.Progress, d.Error, d.ChangeAt = ibid.DocumentQueued, "", 0, "", ibid.At(at)
		if _, err := q.ExecContext(ctx, `UPDATE documents SET pending = ?, reader_kills = 0, crashes = 0 WHERE id = ?`, pending, id); err != nil {
			return err
		}
		return updateDocument(ctx, q, d)
	})
	return d, err
}
