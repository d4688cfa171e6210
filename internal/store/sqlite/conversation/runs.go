package conversation

import (
	"cmp"
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

// StartRun accepts a question in one transaction: the thread where it does not
// exist yet, the user's message, the empty assistant message, the run (queued)
// and its first events. It fails with *ibid.LiveRunError while another run of
// the thread is active, with a CodeBusy while maxQueued runs wait, and with a
// CONFLICT when the thread was removed.
func (db *Store) StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error {
	files := run.Request.Attachments
	run.Request.Attachments = withoutData(files)
	if user.Request != nil {
		user.Request = &run.Request
	}
	request, err := json.Marshal(run.Request)
	if err != nil {
		return err
	}
	return db.file.Write(ctx, func(q file.Querier) error {
		if err := ownThread(ctx, q, thread); err != nil {
			return err
		}
		if live, err := liveRun(ctx, q, access.For(run.Principal), run.ThreadID); err != nil {
			return err
		} else if live != nil {
			return &ibid.LiveRunError{RunID: live.ID, LastSeq: live.LastSeq}
		}
		if err := notRemoved(ctx, q, thread.ID); err != nil {
			return err
		}
		if err := roomFor(ctx, q, maxQueued); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `INSERT INTO threads (id, principal, title, head_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET head_id = excluded.head_id, updated_at = excluded.updated_at`,
			thread.ID, thread.Principal, thread.Title, assistant.ID, file.Millis(thread.CreatedAt.Time), file.Millis(thread.UpdatedAt.Time))
		if err != nil {
			return fmt.Errorf("save thread: %w", err)
		}
		for _, m := range []ibid.Message{user, assistant} {
			if err := insertMessage(ctx, q, m); err != nil {
				return err
			}
		}
		for n, f := range files {
			if err := insertFile(ctx, q, user.ID, n, f); err != nil {
				return err
			}
		}
		_, err = q.ExecContext(ctx, `INSERT INTO runs (id, principal, kind, thread_id, user_message_id, request, status, last_seq, accepted_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			run.ID, run.Principal, cmp.Or(run.Kind, ibid.KindAnswer), run.ThreadID, run.UserMessageID, string(request), ibid.StatusQueued, len(events), file.Millis(run.AcceptedAt))
		if err != nil {
			return fmt.Errorf("save run: %w", err)
		}
		return insertEvents(ctx, q, events)
	})
}

// ownThread refuses a question to a thread of somebody else's, as if it were not
// there, and one that is nobody's.
func ownThread(ctx context.Context, q file.Querier, thread ibid.Thread) error {
	if thread.Principal == "" {
		return seen.Nobodys("thread", thread.ID)
	}
	var others bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM threads WHERE id = ? AND principal <> ?)`, thread.ID, thread.Principal).Scan(&others)
	if err != nil || !others {
		return err
	}
	return ibid.Errorf(ibid.CodeNotFound, "there is no thread %s", thread.ID)
}

// busyRetry is after how long, in milliseconds, one whose question was refused is to
// ask again.
const busyRetry = 5000

// roomFor refuses one more run where so many wait already.
func roomFor(ctx context.Context, q file.Querier, maxQueued int) error {
	var waiting int
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM runs WHERE status = 'queued'`).Scan(&waiting); err != nil {
		return err
	}
	if waiting < maxQueued {
		return nil
	}
	return &ibid.Error{Code: ibid.CodeBusy, Message: fmt.Sprintf("%d questions wait to be answered already", waiting),
		Hint: "nothing was saved; ask again in a while", Retryable: true, RetryAfter: busyRetry}
}

// notRemoved refuses a question to a thread that was removed and can be restored.
func notRemoved(ctx context.Context, q file.Querier, threadID string) error {
	var removed bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM threads WHERE id = ? AND removed_at IS NOT NULL)`, threadID).Scan(&removed)
	if err != nil || !removed {
		return err
	}
	return &ibid.Error{Code: ibid.CodeConflict, Message: "this conversation was removed",
		Hint: "ask in a new one, or restore it first: ibid undo " + threadID}
}

const runColumns = `id, principal, kind, thread_id, user_message_id, request, status, attempt, fence, last_seq, accepted_at, stop_requested`

func scanRun(row interface{ Scan(...any) error }) (*ibid.Run, error) {
	var r ibid.Run
	var request string
	var accepted int64
	err := row.Scan(&r.ID, &r.Principal, &r.Kind, &r.ThreadID, &r.UserMessageID, &request, &r.Status, &r.Attempt, &r.Fence, &r.LastSeq, &accepted, &r.StopRequested)
	if err != nil {
		return nil, err
	}
	r.AcceptedAt = file.FromMillis(accepted)
	if err := json.Unmarshal([]byte(request), &r.Request); err != nil {
		return nil, fmt.Errorf("decode the request of run %s: %w", r.ID, err)
	}
	return &r, nil
}

func liveRun(ctx context.Context, q file.Querier, view access.View, threadID string) (*ibid.Run, error) {
	r, err := scanRun(q.QueryRowContext(ctx,
		`SELECT `+runColumns+` FROM runs m WHERE thread_id = ?1 AND status IN ('queued', 'running') AND `+seen.Message(view, 2), threadID, seen.Who(view)))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return r, err
}

// AppendEvents adds the next events of a run. Their Seq must follow the last
// one in the log.
func (db *Store) AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error {
	return db.file.Write(ctx, func(q file.Querier) error {
		return appendEvents(ctx, q, l, events)
	})
}

func appendEvents(ctx context.Context, q file.Querier, l ibid.Lease, events []ibid.Event) error {
	if len(events) == 0 {
		return nil
	}
	first, last := events[0].Seq, events[len(events)-1].Seq
	res, err := q.ExecContext(ctx, `UPDATE runs SET last_seq = ? WHERE id = ? AND fence = ? AND status = 'running' AND last_seq = ?`,
		last, l.RunID, l.Fence, first-1)
	if err := file.Fenced(res, err); err != nil {
		return err
	}
	return insertEvents(ctx, q, events)
}

func insertEvents(ctx context.Context, q file.Querier, events []ibid.Event) error {
	for _, e := range events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return fmt.Errorf("encode event %s: %w", e.Data.EventType(), err)
		}
		_, err = q.ExecContext(ctx, `INSERT INTO events (run_id, seq, at, type, data) VALUES (?, ?, ?, ?, ?)`,
			e.Run, e.Seq, file.Millis(e.At), e.Data.EventType(), string(data))
		if err != nil {
			return fmt.Errorf("append event %d of run %s: %w", e.Seq, e.Run, err)
		}
	}
	return nil
}

// NoteQueued appends the run's place in the queue to the log of a run that
// nobody holds, and returns the event; nil when someone has claimed it since, or the
// log ends with that very place: each process that has no room says it.
func (db *Store) NoteQueued(ctx context.Context, runID string, data ibid.RunQueued, at time.Time) (*ibid.Event, error) {
	place, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var event *ibid.Event
	err = db.file.Write(ctx, func(q file.Querier) error {
		event = nil
		var said bool
		err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM events WHERE run_id = ?1 AND seq = (SELECT last_seq FROM runs WHERE id = ?1)
			AND type = ?2 AND data = ?3)`, runID, data.EventType(), string(place)).Scan(&said)
		if err != nil || said {
			return err
		}
		var seq int64
		err = q.QueryRowContext(ctx, `UPDATE runs SET last_seq = last_seq + 1 WHERE id = ? AND status = 'queued' RETURNING last_seq`,
			runID).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		event = &ibid.Event{Seq: seq, Run: runID, At: at, Data: data}
		return insertEvents(ctx, q, []ibid.Event{*event})
	})
	return event, err
}

// FinishRun writes the last events, the finished message and the run's end in
// one transaction.
func (db *Store) FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error {
	return db.file.Closing(ctx, func(q file.Querier) error {
		if err := appendEvents(ctx, q, l, events); err != nil {
			return err
		}
		return finish(ctx, q, l.RunID, m, at)
	})
}

func finish(ctx context.Context, q file.Querier, runID string, m ibid.Message, at time.Time) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := q.ExecContext(ctx, `UPDATE messages SET status = ?, data = ? WHERE id = ?`, m.Status, string(data), m.ID); err != nil {
		return fmt.Errorf("save message %s: %w", m.ID, err)
	}
	if _, err := q.ExecContext(ctx, `UPDATE runs SET status = ?, finished_at = ?, owner = '', lease_until = 0 WHERE id = ?`,
		m.Status, file.Millis(at), runID); err != nil {
		return fmt.Errorf("finish run %s: %w", runID, err)
	}
	_, err = q.ExecContext(ctx, `UPDATE threads SET updated_at = ? WHERE id = ?`, file.Millis(at), m.ThreadID)
	return err
}

// Run returns a run by its id.
func (db *Store) Run(ctx context.Context, view access.View, id string) (*ibid.Run, error) {
	r, err := scanRun(db.file.ReadOnly.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs m WHERE id = ?1 AND `+seen.InThread(view, 2), id, seen.Who(view)))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ibid.Errorf(ibid.CodeNotFound, "there is no run %s", id)
	}
	return r, file.Translate(err)
}

// LiveRun returns the active run of a thread, or nil.
func (db *Store) LiveRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error) {
	return liveRun(ctx, db.file.ReadOnly, view, threadID)
}

// LatestRun returns the run of a thread that was accepted last, or nil.
func (db *Store) LatestRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error) {
	r, err := scanRun(db.file.ReadOnly.QueryRowContext(ctx,
		`SELECT `+runColumns+` FROM runs m WHERE thread_id = ?1 AND `+seen.InThread(view, 2)+` ORDER BY accepted_at DESC, id DESC LIMIT 1`, threadID, seen.Who(view)))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return r, file.Translate(err)
}

// WaitingRuns returns a page of the ids of the queued runs, the next one first.
func (db *Store) WaitingRuns(ctx context.Context, page ibid.Page) (runIDs []string, next string, err error) {
	var accepted int64
	var last string
	behind, err := page.DecodeCursor(&accepted, &last)
	if err != nil {
		return nil, "", err
	}
	where := `status = 'queued'`
	if behind {
		where += ` AND (accepted_at, id) > (?1, ?2)`
	}
	rows, err := db.file.ReadOnly.QueryContext(ctx, `SELECT id, accepted_at FROM runs WHERE `+where+` ORDER BY accepted_at, id LIMIT ?3`, accepted, last, page.Size()+1)
	if err != nil {
		return nil, "", file.Translate(err)
	}
	type waiting struct {
		id       string
		accepted int64
	}
	all, err := file.Collect(rows, func(r *sql.Rows) (w waiting, err error) { return w, r.Scan(&w.id, &w.accepted) })
	all, next = file.CutPage(all, page, func(w waiting) []any { return []any{w.accepted, w.id} })
	for _, w := range all {
		runIDs = append(runIDs, w.id)
	}
	return runIDs, next, err
}

// Events returns up to limit events of a run after a position, in order.
func (db *Store) Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error) {
	rows, err := db.file.ReadOnly.QueryContext(ctx,
		`SELECT seq, at, type, data FROM events WHERE run_id = ?1 AND seq > ?2 AND `+seen.Run(view, 4)+` ORDER BY seq LIMIT ?3`, runID, after, limit, seen.Who(view))
	if err != nil {
		return nil, file.Translate(err)
	}
	return file.Collect(rows, func(r *sql.Rows) (ibid.Event, error) {
		e := ibid.Event{Run: runID}
		var at int64
		var typ, data string
		if err := r.Scan(&e.Seq, &at, &typ, &data); err != nil {
			return e, err
		}
		e.At = file.FromMillis(at)
		var err error
		e.Data, err = ibid.DecodeEventData(typ, []byte(data))
		return e, err
	})
}
