package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

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
	rows, err := db.readers.QueryContext(ctx, threadQuery+` ORDER BY t.updated_at DESC, t.id`)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Thread, error) { return scanThread(r) })
}

// Thread returns one thread.
func (db *DB) Thread(ctx context.Context, id string) (ibid.Thread, error) {
	t, err := scanThread(db.readers.QueryRowContext(ctx, threadQuery+` WHERE t.id = ?`, id))
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
			head_id = CASE WHEN ?2 = '' THEN head_id ELSE ?2 END WHERE id = ?3`, title, headID, id)
		return found(res, err, "thread", id)
	})
}

// DeleteThread removes a thread with its messages, runs and logs.
func (db *DB) DeleteThread(ctx context.Context, id string) error {
	return db.write(ctx, func(q querier) error {
		if live, err := liveRun(ctx, q, id); err != nil {
			return err
		} else if live != nil {
			return &ibid.LiveRunError{RunID: live.ID, LastSeq: live.LastSeq}
		}
		res, err := q.ExecContext(ctx, `DELETE FROM threads WHERE id = ?`, id)
		return found(res, err, "thread", id)
	})
}

// Messages returns all messages of a thread, of every branch, oldest first.
func (db *DB) Messages(ctx context.Context, threadID string) ([]ibid.Message, error) {
	rows, err := db.readers.QueryContext(ctx,
		`SELECT data FROM messages WHERE thread_id = ? ORDER BY created_at, role DESC, id`, threadID)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Message, error) { return scanMessage(r) })
}

// Message returns one message as it was last saved.
func (db *DB) Message(ctx context.Context, id string) (ibid.Message, error) {
	m, err := scanMessage(db.readers.QueryRowContext(ctx, `SELECT data FROM messages WHERE id = ?`, id))
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
		err := q.QueryRowContext(ctx, `SELECT thread_id, parent_id FROM messages WHERE id = ?`, id).Scan(&threadID, &parentID)
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
