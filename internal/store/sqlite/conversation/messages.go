package conversation

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

func insertMessage(ctx context.Context, q file.Querier, m ibid.Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO messages (id, thread_id, parent_id, role, status, created_at, data, questions)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (?4 = 'user') + coalesce((SELECT questions FROM messages WHERE id = ?3), 0))`,
		m.ID, m.ThreadID, m.ParentID, m.Role, m.Status, file.Millis(m.CreatedAt.Time), string(data))
	if file.IsConstraint(err) {
		return ibid.Errorf(ibid.CodeConflict, "message %s exists already", m.ID)
	}
	if err != nil {
		return fmt.Errorf("save message %s: %w", m.ID, err)
	}
	return nil
}

// Messages returns messages of a thread, of every branch: the page's newest ones,
// oldest of them first. next leads to those before.
func (db *Store) Messages(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, next string, err error) {
	var at int64
	var role, id string
	before, err := page.DecodeCursor(&at, &role, &id)
	if err != nil {
		return nil, "", err
	}
	query := `SELECT data FROM messages m WHERE thread_id = ?1 AND ` + seen.InThread(view, 6)
	if before {
		// The first condition is the range that the index is read from; the others
		// are for messages of the same millisecond.
		query += ` AND created_at <= ?3 AND (created_at < ?3 OR role > ?4 OR role = ?4 AND id < ?5)`
	}
	rows, err := db.file.ReadOnly.QueryContext(ctx, query+` ORDER BY created_at DESC, role, id DESC LIMIT ?2`, threadID, page.Size()+1, at, role, id, seen.Who(view))
	if err != nil {
		return nil, "", file.Translate(err)
	}
	messages, err = file.Collect(rows, func(r *sql.Rows) (ibid.Message, error) { return scanMessage(r) })
	if err != nil {
		return nil, "", err
	}
	if len(messages) > page.Size() {
		messages = messages[:page.Size()]
		last := messages[len(messages)-1]
		next = ibid.EncodeCursor(file.Millis(last.CreatedAt.Time), string(last.Role), last.ID)
	}
	slices.Reverse(messages)
	return messages, next, nil
}

// Message returns one message as it was last saved.
func (db *Store) Message(ctx context.Context, view access.View, id string) (ibid.Message, error) {
	m, err := scanMessage(db.file.ReadOnly.QueryRowContext(ctx, `SELECT data FROM messages m WHERE id = ?1 AND `+seen.InThread(view, 2), id, seen.Who(view)))
	if errors.Is(err, sql.ErrNoRows) {
		return m, ibid.Errorf(ibid.CodeNotFound, "there is no message %s", id)
	}
	return m, file.Translate(err)
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
func (db *Store) DeleteMessage(ctx context.Context, view access.View, id string) error {
	const below = `WITH RECURSIVE below (id) AS (
		SELECT ? UNION SELECT m.id FROM messages m JOIN below b ON m.parent_id = b.id)`
	return db.file.Closing(ctx, func(q file.Querier) error {
		var threadID, parentID string
		err := q.QueryRowContext(ctx, `SELECT thread_id, parent_id FROM messages m WHERE id = ?1 AND `+seen.InThread(view, 2), id, seen.Who(view)).Scan(&threadID, &parentID)
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
