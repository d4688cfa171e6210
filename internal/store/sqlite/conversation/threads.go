package conversation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

const threadQuery = `SELECT t.principal, t.id, t.title, t.head_id, t.created_at, t.updated_at, COALESCE(r.id, '')
	FROM threads t LEFT JOIN runs r ON r.thread_id = t.id AND r.status IN ('queued', 'running')`

func scanThread(row interface{ Scan(...any) error }) (ibid.Thread, error) {
	var t ibid.Thread
	var created, updated int64
	err := row.Scan(&t.Principal, &t.ID, &t.Title, &t.HeadID, &created, &updated, &t.RunID)
	t.CreatedAt, t.UpdatedAt = ibid.At(file.FromMillis(created)), ibid.At(file.FromMillis(updated))
	return t, err
}

// Thread returns one thread.
func (db *Store) Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error) {
	t, err := scanThread(db.file.ReadOnly.QueryRowContext(ctx, threadQuery+` WHERE t.id = ?1 AND t.removed_at IS NULL AND `+seen.By(view, "t.principal", 2), id, seen.Who(view)))
	if errors.Is(err, sql.ErrNoRows) {
		return t, ibid.Errorf(ibid.CodeNotFound, "there is no thread %s", id)
	}
	return t, file.Translate(err)
}

// SetThread changes a thread's title or head; an empty value leaves it.
func (db *Store) SetThread(ctx context.Context, view access.View, id, title, headID string) error {
	return db.file.Write(ctx, func(q file.Querier) error {
		if headID != "" {
			var found int
			if err := q.QueryRowContext(ctx, `SELECT count(*) FROM messages m WHERE id = ?1 AND thread_id = ?2 AND `+seen.InThread(view, 3), headID, id, seen.Who(view)).Scan(&found); err != nil {
				return err
			}
			if found == 0 {
				return ibid.Errorf(ibid.CodeNotFound, "message %s is not in thread %s", headID, id)
			}
		}
		res, err := q.ExecContext(ctx, `UPDATE threads SET
			title = CASE WHEN ?1 = '' THEN title ELSE ?1 END,
			head_id = CASE WHEN ?2 = '' THEN head_id ELSE ?2 END WHERE id = ?3 AND removed_at IS NULL AND `+seen.By(view, "principal", 4), title, headID, id, seen.Who(view))
		return file.Found(res, err, "thread", id)
	})
}

// RemoveThread takes a thread away at once, with its messages, runs and files. They
// stay until they are swept, and so does what they cite. The error is a
// *ibid.LiveRunError while it is being answered.
func (db *Store) RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error {
	return db.file.Closing(ctx, func(q file.Querier) error {
		if live, err := liveRun(ctx, q, view, id); err != nil {
			return err
		} else if live != nil {
			return &ibid.LiveRunError{RunID: live.ID, LastSeq: live.LastSeq}
		}
		res, err := q.ExecContext(ctx, `UPDATE threads SET removed_at = ?1 WHERE id = ?2 AND removed_at IS NULL AND `+seen.By(view, "principal", 3), file.Millis(at), id, seen.Who(view))
		return file.Found(res, err, "thread", id)
	})
}

// RestoreThread takes the removal of a thread back, and does nothing to one that
// is there. The error is a NOT_FOUND when it was removed before since or is gone.
func (db *Store) RestoreThread(ctx context.Context, view access.View, id string, since time.Time) error {
	return db.file.Write(ctx, func(q file.Querier) error {
		res, err := q.ExecContext(ctx, `UPDATE threads SET removed_at = NULL WHERE id = ?1 AND (removed_at IS NULL OR removed_at >= ?2) AND `+seen.By(view, "principal", 3),
			id, file.Millis(since), seen.Who(view))
		if ibid.CodeOf(file.Found(res, err, "thread", id)) == ibid.CodeNotFound {
			return ibid.NotRestorable("thread", id)
		}
		return err
	})
}

// SweepThreads deletes the threads that were removed before a time, with their
// messages, runs and files, and returns how many there were.
func (db *Store) SweepThreads(ctx context.Context, before time.Time) (int, error) {
	total := 0
	for {
		var n int64
		err := db.file.Closing(ctx, func(q file.Querier) error {
			res, err := q.ExecContext(ctx, `DELETE FROM threads WHERE id IN (SELECT id FROM threads WHERE removed_at < ? LIMIT ?)`,
				file.Millis(before), sweepThreads)
			if err != nil {
				return fmt.Errorf("let go of removed threads: %w", err)
			}
			n, err = res.RowsAffected()
			return err
		})
		total += int(n)
		if err != nil || n < sweepThreads {
			return total, err
		}
	}
}

// sweepThreads bounds how many threads one write lets go, so that nobody waits
// long behind a sweep: a thread may have thousands of messages.
const sweepThreads = 5
