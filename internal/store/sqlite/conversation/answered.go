package conversation

import (
	"context"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// maxAnswered bounds how many answered questions are remembered.
const maxAnswered = 10_000

// Answered returns the questions answered under a key, newest first, without
// those of a thread. Answers that were not completed are no answers.
func (db *Store) Answered(ctx context.Context, view access.View, key, notOfThread string, limit int) ([]ibid.Answered, error) {
	rows, err := db.file.ReadOnly.QueryContext(ctx, `SELECT a.message_id, a.question, a.answered_at
		FROM answered a JOIN messages m ON m.id = a.message_id
		WHERE a.key = ?1 AND a.thread_id <> ?2 AND m.status = ?3 AND `+seen.By(view, "a.principal", 5)+` AND `+seen.InThread(view, 5)+` ORDER BY a.answered_at DESC LIMIT ?4`,
		key, notOfThread, ibid.StatusCompleted, limit, seen.Who(view))
	if err != nil {
		return nil, file.Translate(err)
	}
	defer rows.Close()
	var all []ibid.Answered
	for rows.Next() {
		a := ibid.Answered{Key: key}
		var at int64
		if err := rows.Scan(&a.MessageID, &a.Question, &at); err != nil {
			return nil, file.Translate(err)
		}
		a.At = time.UnixMilli(at).UTC()
		all = append(all, a)
	}
	return all, file.Translate(rows.Err())
}

// KeepAnswered remembers a question that was answered. The oldest are forgotten
// beyond maxAnswered.
func (db *Store) KeepAnswered(ctx context.Context, a ibid.Answered) error {
	return db.file.Write(ctx, func(q file.Querier) error {
		_, err := q.ExecContext(ctx, `INSERT INTO answered (message_id, thread_id, principal, key, question, answered_at)
			SELECT m.id, m.thread_id, t.principal, ?2, ?3, ?4 FROM messages m JOIN threads t ON t.id = m.thread_id WHERE m.id = ?1
			ON CONFLICT (message_id) DO UPDATE SET key = excluded.key, question = excluded.question, answered_at = excluded.answered_at`,
			a.MessageID, a.Key, a.Question, a.At.UnixMilli())
		if err != nil {
			return err
		}
		// Rowids are given in order, so the oldest are found without counting.
		_, err = q.ExecContext(ctx, `DELETE FROM answered WHERE rowid <= (SELECT max(rowid) FROM answered) - ?`, maxAnswered)
		return err
	})
}
