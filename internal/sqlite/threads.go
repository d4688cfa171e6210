package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ibid"
)

func insertMessage(ctx context.Context, q querier, m ibid.Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO messages (id, thread_id, parent_id, role, status, created_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		m.ID, m.ThreadID, m.ParentID, m.Role, m.Status, millis(m.CreatedAt.Time), string(data))
	if isConstraint(err) {
		return ibid.Errorf(ibid.CodeConflict, "message %s exists already", m.ID)
	}
	if err != nil {
		return fmt.Errorf("save message %s: %w", m.ID, err)
	}
	return nil
}

const threadQuery = `SELECT t.id, t.title, t.head_id, t.created_at, t.updated_at, COALESCE(r.id, '')
	FROM threads t LEFT JOIN runs r ON r.thread_id = t.id AND r.status IN ('queued', 'running')`

func scanThread(row interface{ Scan(...any) error }) (ibid.Thread, error) {
	var t ibid.Thread
	var created, updated int64
	err := row.Scan(&t.ID, &t.Title, &t.HeadID, &created, &updated, &t.RunID)
	t.CreatedAt, t.UpdatedAt = ibid.At(fromMillis(created)), ibid.At(fromMillis(updated))
	return t, err
}

// Threads returns all threads, the one that changed last first.
func (db *DB) Threads(ctx context.Context) ([]ibid.Thread, error) {
	rows, err := db.readers.QueryContext(ctx, threadQuery+` WHERE t.removed_at IS NULL ORDER BY t.updated_at DESC, t.id`)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Thread, error) { return scanThread(r) })
}

// Thread returns one thread.
func (db *DB) Thread(ctx context.Context, id string) (ibid.Thread, error) {
	t, err := scanThread(db.readers.QueryRowContext(ctx, threadQuery+` WHERE t.id = ? AND t.removed_at IS NULL`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return t, ibid.Errorf(ibid.CodeNotFound, "there is no thread %s", id)
	}
	return t, translate(err)
}

// SetThread changes a thread's title or head; an empty value leaves it.
func (db *DB) SetThread(ctx context.Context, id, title, headID string) error {
	return db.write(ctx, func(q querier) error {
		if headID != "" {
			var found int
			if err := q.QueryRowContext(ctx, `SELECT count(*) FROM messages WHERE id = ? AND thread_id = ?`, headID, id).Scan(&found); err != nil {
				return err
			}
			if found == 0 {
				return ibid.Errorf(ibid.CodeNotFound, "message %s is not in thread %s", headID, id)
			}
		}
		res, err := q.ExecContext(ctx, `UPDATE threads SET
			title = CASE WHEN ?1 = '' THEN title ELSE ?1 END,
			head_id = CASE WHEN ?2 = '' THEN head_id ELSE ?2 END WHERE id = ?3 AND removed_at IS NULL`, title, headID, id)
		return found(res, err, "thread", id)
	})
}

// RemoveThread takes a thread away at once, with its messages, runs and files. They
// stay until they are swept, and so does what they cite. The error is a
// *ibid.LiveRunError while it is being answered.
func (db *DB) RemoveThread(ctx context.Context, id string, at time.Time) error {
	return db.write(ctx, func(q querier) error {
		if live, err := liveRun(ctx, q, id); err != nil {
			return err
		} else if live != nil {
			return &ibid.LiveRunError{RunID: live.ID, LastSeq: live.LastSeq}
		}
		res, err := q.ExecContext(ctx, `UPDATE threads SET removed_at = ? WHERE id = ? AND removed_at IS NULL`, millis(at), id)
		return found(res, err, "thread", id)
	})
}

// RestoreThread takes the removal of a thread back, and does nothing to one that
// is there. The error is a NOT_FOUND when it was removed before since or is gone.
func (db *DB) RestoreThread(ctx context.Context, id string, since time.Time) error {
	return db.write(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, `UPDATE threads SET removed_at = NULL WHERE id = ? AND (removed_at IS NULL OR removed_at >= ?)`, id, millis(since))
		if ibid.CodeOf(found(res, err, "thread", id)) == ibid.CodeNotFound {
			return ibid.NotRestorable("thread", id)
		}
		return err
	})
}

// SweepThreads deletes the threads that were removed before a time, with their
// messages, runs and files, and returns how many there were.
func (db *DB) SweepThreads(ctx context.Context, before time.Time) (int, error) {
	total := 0
	for {
		var n int64
		err := db.write(ctx, func(q querier) error {
			res, err := q.ExecContext(ctx, `DELETE FROM threads WHERE id IN (SELECT id FROM threads WHERE removed_at < ? LIMIT ?)`,
				millis(before), sweepThreads)
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

// inThread is true of a message or a run m whose thread is not removed.
const inThread = `EXISTS (SELECT 1 FROM threads t WHERE t.id = m.thread_id AND t.removed_at IS NULL)`

// Messages returns all messages of a thread, of every branch, oldest first.
func (db *DB) Messages(ctx context.Context, threadID string) ([]ibid.Message, error) {
	rows, err := db.readers.QueryContext(ctx,
		`SELECT data FROM messages m WHERE thread_id = ? AND `+inThread+` ORDER BY created_at, role DESC, id`, threadID)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Message, error) { return scanMessage(r) })
}

// Message returns one message as it was last saved.
func (db *DB) Message(ctx context.Context, id string) (ibid.Message, error) {
	m, err := scanMessage(db.readers.QueryRowContext(ctx, `SELECT data FROM messages m WHERE id = ? AND `+inThread, id))
	if errors.Is(err, sql.ErrNoRows) {
		return m, ibid.Errorf(ibid.CodeNotFound, "there is no message %s", id)
	}
	return m, translate(err)
}

func scanMessage(row interface{ Scan(...any) error }) (ibid.Message, error) {
	var m ibid.Message
	var data string
	if err := row.Scan(&data); err != nil {
		return m, err
	}
	return m, json.Unmarshal([]byte(data), &m)
}

// DeleteMessage removes a message and everything that follows from it. The
// thread's head moves to the message before it; a thread left without messages
// goes too.
func (db *DB) DeleteMessage(ctx context.Context, id string) error {
	const below = `WITH RECURSIVE below (id) AS (
		SELECT ? UNION SELECT m.id FROM messages m JOIN below b ON m.parent_id = b.id)`
	return db.write(ctx, func(q querier) error {
		var threadID, parentID string
		err := q.QueryRowContext(ctx, `SELECT thread_id, parent_id FROM messages m WHERE id = ? AND `+inThread, id).Scan(&threadID, &parentID)
		if errors.Is(err, sql.ErrNoRows) {
			return ibid.Errorf(ibid.CodeNotFound, "there is no message %s", id)
		}
		if err != nil {
			return err
		}
		var live, liveSeq = "", int64(0)
		err = q.QueryRowContext(ctx, below+` SELECT id, last_seq FROM runs
			WHERE id IN (SELECT id FROM below) AND status IN ('queued', 'running')`, id).Scan(&live, &liveSeq)
		if err == nil {
			return &ibid.LiveRunError{RunID: live, LastSeq: liveSeq}
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if _, err := q.ExecContext(ctx, below+` DELETE FROM messages WHERE id IN (SELECT id FROM below)`, id); err != nil {
			return fmt.Errorf("delete message %s: %w", id, err)
		}
		if _, err := q.ExecContext(ctx, `UPDATE threads SET head_id = ?1
			WHERE id = ?2 AND NOT EXISTS (SELECT 1 FROM messages WHERE id = threads.head_id)`, parentID, threadID); err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, `DELETE FROM threads WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM messages WHERE thread_id = ?1)`, threadID)
		return err
	})
}

func found(res sql.Result, err error, what, id string) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return ibid.Errorf(ibid.CodeNotFound, "there is no %s %s", what, id)
	}
	return nil
}
