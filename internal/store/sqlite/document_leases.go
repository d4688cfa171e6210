package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"ibid"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/process"
)

// A document is in work, and has the status processing, while there is a lease on it
// (document_leases). Whatever makes the work on it useless deletes the lease in the same
// transaction: then whoever held it can write nothing more.

// ClaimDocument gives owner the document that is to be read next, for the time of a
// lease, or ok false where none waits. The one that has waited longest comes first, but
// what was in work when a process ended comes behind the rest, and only once maxCrashes
// allows as many ends as it has seen. What others have the password of (HoldVersion) is
// left to them.
func (db *DB) ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error) {
	const next = ` FROM documents d WHERE status = 'queued' AND removed_at IS NULL AND crashes <= ?
		AND (NOT EXISTS (SELECT 1 FROM held_versions h WHERE h.hash = d.pending)
			OR EXISTS (SELECT 1 FROM held_versions h WHERE h.hash = d.pending AND h.owner = ?))
		ORDER BY crashes, added_at, id LIMIT 1`
	// Looking for work writes nothing where there is none.
	var id string
	err = db.readOnly.QueryRowContext(ctx, `SELECT id`+next, maxCrashes, owner).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return d, l, a, false, nil
	}
	if err != nil {
		return d, l, a, false, translate(err)
	}
	err = db.write(ctx, func(q querier) error {
		d, l, ok = ibid.Document{}, ibid.DocumentLease{Owner: owner}, false
		var err error
		// reader_kills counts workers: the column is older than the word.
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending, reader_kills, crashes`+next, maxCrashes, owner), &l.Version, &a.Killed, &a.Crashes)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if l.DocumentID = d.ID; l.Version == "" {
			l.Version = d.Version
		}
		d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA, d.Error = ibid.DocumentProcessing, "extract", 0, 0, 0, ""
		if err := updateDocument(ctx, q, d); err != nil {
			return err
		}
		if err := endLease(ctx, q, d.ID); err != nil {
			return err
		}
		ok = true
		return q.QueryRowContext(ctx, `INSERT INTO document_leases (document_id, version, owner, lease_until) VALUES (?, ?, ?, ?) RETURNING fence`,
			d.ID, l.Version, owner, millis(db.now().Add(lease))).Scan(&l.Fence)
	})
	return d, l, a, ok && err == nil, err
}

// RenewDocument lets a lease last for that long from now; ErrLeaseLost when there is
// none any more.
func (db *DB) RenewDocument(ctx context.Context, l ibid.DocumentLease, lease time.Duration) error {
	return db.write(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, `UPDATE document_leases SET lease_until = ? WHERE fence = ? AND document_id = ?`,
			millis(db.now().Add(lease)), l.Fence, l.DocumentID)
		return file.Fenced(res, err)
	})
}

// leased returns a document that is worked on under a lease, and what waits of it. The
// error is a NOT_FOUND when the document is not there any more, and ErrLeaseLost when
// the lease is not.
func leased(ctx context.Context, q querier, l ibid.DocumentLease) (d ibid.Document, pending string, err error) {
	var held bool
	d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending, EXISTS (SELECT 1 FROM document_leases WHERE fence = ? AND document_id = documents.id)
		FROM documents WHERE id = ? AND removed_at IS NULL`, l.Fence, l.DocumentID), &pending, &held)
	if err != nil {
		return d, "", gone(err, l.DocumentID)
	}
	if !held {
		return d, "", ibid.ErrLeaseLost
	}
	return d, pending, nil
}

// endLease ends the work on a document, if there is any.
func endLease(ctx context.Context, q querier, documentID string) error {
	_, err := q.ExecContext(ctx, `DELETE FROM document_leases WHERE document_id = ?`, documentID)
	return err
}

// waitAgain puts a document back that was in work: as ready where it was published, as
// then only its vectors may lack, and those are made beside the pipeline.
func waitAgain(ctx context.Context, q querier, d ibid.Document, pending string) error {
	d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA = ibid.DocumentQueued, "", 0, 0, 0
	if pending == "" {
		d.Status, d.Progress = ibid.DocumentReady, 1
	}
	if err := endLease(ctx, q, d.ID); err != nil {
		return err
	}
	return updateDocument(ctx, q, d)
}

// PutBackDocument lets a document wait again whose work could not be written down,
// as the disk was full. The error is that of SettleDocument.
func (db *DB) PutBackDocument(ctx context.Context, l ibid.DocumentLease) error {
	return db.closing(ctx, func(q querier) error {
		d, pending, err := leased(ctx, q, l)
		if err != nil {
			return err
		}
		return waitAgain(ctx, q, d, pending)
	})
}

// NoteWorkerKilled puts a document back whose worker was killed from outside, and
// counts that. The error is that of SettleDocument.
func (db *DB) NoteWorkerKilled(ctx context.Context, l ibid.DocumentLease) error {
	return db.closing(ctx, func(q querier) error {
		d, _, err := leased(ctx, q, l)
		if err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, `UPDATE documents SET reader_kills = reader_kills + 1 WHERE id = ?`, d.ID); err != nil {
			return err
		}
		return waitAgain(ctx, q, d, l.Version)
	})
}

// ReleaseDocuments puts back what an owner has in work, at its orderly end, which is not
// counted, and forgets whose passwords it has.
func (db *DB) ReleaseDocuments(ctx context.Context, owner string) error {
	return db.closing(ctx, func(q querier) error {
		rows, err := q.QueryContext(ctx, `SELECT document_id, fence FROM document_leases WHERE owner = ?`, owner)
		if err != nil {
			return err
		}
		held, err := collect(rows, func(r *sql.Rows) (l ibid.DocumentLease, err error) { return l, r.Scan(&l.DocumentID, &l.Fence) })
		if err != nil {
			return err
		}
		for _, l := range held {
			d, pending, err := leased(ctx, q, l)
			if err == nil {
				err = waitAgain(ctx, q, d, pending)
			}
			if err != nil {
				return err
			}
		}
		_, err = q.ExecContext(ctx, `DELETE FROM held_versions WHERE owner = ?`, owner)
		return err
	})
}

// ReleaseLostDocuments puts back what others had in work when they ended without a
// word, or whose lease is over, and counts that. A document that has seen maxCrashes of
// them fails with the line giveUp. It returns the documents that it has changed, of which
// there are process.MaxReleased at most, and how many of them failed.
func (db *DB) ReleaseLostDocuments(ctx context.Context, maxCrashes int, giveUp string) (documentIDs []string, failed int, err error) {
	release := func(held []process.HeldLease) func(querier) error {
		before, failedBefore := documentIDs, failed
		return func(q querier) error {
			documentIDs, failed = before, failedBefore
			for _, h := range held {
				gaveUp, err := releaseLost(ctx, q, h, maxCrashes, giveUp)
				if errors.Is(err, ibid.ErrLeaseLost) || ibid.CodeOf(err) == ibid.CodeNotFound && err != nil {
					continue // meanwhile it has ended, or goes on
				}
				if err != nil {
					return err
				}
				documentIDs = append(documentIDs, h.ID)
				if gaveUp {
					failed++
				}
			}
			return nil
		}
	}
	err = process.ReleaseLost(ctx, db.file, db.path, db.now(), `SELECT document_id, fence, owner, lease_until FROM document_leases`, release)
	if err == nil {
		err = db.forgetHolders(ctx)
	}
	return documentIDs, failed, err
}

func releaseLost(ctx context.Context, q querier, h process.HeldLease, maxCrashes int, giveUp string) (gaveUp bool, err error) {
	var there bool
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM document_leases WHERE fence = ? AND lease_until < ?)`, h.Fence, h.Before).Scan(&there)
	if err != nil {
		return false, err
	}
	if !there {
		return false, ibid.ErrLeaseLost
	}
	d, pending, err := leased(ctx, q, ibid.DocumentLease{DocumentID: h.ID, Fence: h.Fence})
	if err != nil {
		return false, err
	}
	if pending == "" {
		return false, waitAgain(ctx, q, d, pending)
	}
	var crashes int
	if err := q.QueryRowContext(ctx, `UPDATE documents SET crashes = crashes + 1 WHERE id = ? RETURNING crashes`, d.ID).Scan(&crashes); err != nil {
		return false, err
	}
	if crashes < maxCrashes {
		return false, waitAgain(ctx, q, d, pending)
	}
	d.Status, d.Stage, d.Progress, d.Error = ibid.DocumentFailed, "", 0, giveUp
	if err := endLease(ctx, q, d.ID); err != nil {
		return false, err
	}
	return true, updateDocument(ctx, q, d)
}

// HoldVersion notes that an owner has the password of a version in its memory: while it
// lives, only those who do read the version. ReleaseVersion takes that back.
func (db *DB) HoldVersion(ctx context.Context, owner, version string) error {
	return db.write(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `INSERT OR IGNORE INTO held_versions (hash, owner) VALUES (?, ?)`, version, owner)
		return err
	})
}

func (db *DB) ReleaseVersion(ctx context.Context, owner, version string) error {
	return db.closing(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `DELETE FROM held_versions WHERE hash = ? AND owner = ?`, version, owner)
		return err
	})
}

// forgetHolders lets anyone read what owners that are gone had the passwords of.
func (db *DB) forgetHolders(ctx context.Context) error {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT DISTINCT owner FROM held_versions`)
	if err != nil {
		return translate(err)
	}
	owners, err := collect(rows, func(r *sql.Rows) (owner string, err error) { return owner, r.Scan(&owner) })
	for _, owner := range owners {
		if err == nil && process.Gone(db.path, owner) {
			err = db.closing(ctx, func(q querier) error {
				_, err := q.ExecContext(ctx, `DELETE FROM held_versions WHERE owner = ?`, owner)
				return err
			})
		}
	}
	return err
}
