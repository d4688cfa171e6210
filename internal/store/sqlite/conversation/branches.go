package conversation

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// A branch is the messages from a thread's first one to a certain message, its
// head. It is read from the head upwards, and no further than it is asked for.

// Branch returns messages of the branch of headID in a thread: the page's newest
// ones, oldest of them first. next leads to those before. There are none when
// headID is not in the thread.
func (db *Store) Branch(ctx context.Context, view access.View, threadID, headID string, page ibid.Page) (messages []ibid.Message, next string, err error) {
	if _, err := page.DecodeCursor(&headID); err != nil {
		return nil, "", err
	}
	rows, err := db.file.ReadOnly.QueryContext(ctx, `WITH RECURSIVE up (id, parent_id, n) AS (
			SELECT id, parent_id, 1 FROM messages m WHERE id = ?1 AND thread_id = ?2 AND `+seen.InThread(view, 4)+`
			UNION ALL
			SELECT m.id, m.parent_id, up.n + 1 FROM up JOIN messages m ON m.id = up.parent_id WHERE up.n < ?3)
		SELECT m.data FROM up JOIN messages m ON m.id = up.id ORDER BY up.n`, headID, threadID, page.Size(), seen.Who(view))
	if err != nil {
		return nil, "", file.Translate(err)
	}
	messages, err = file.Collect(rows, func(r *sql.Rows) (ibid.Message, error) { return scanMessage(r) })
	if err != nil || len(messages) == 0 {
		return nil, "", err
	}
	// The next page begins at the parent of the last message. It is named by its
	// id, which stays when messages below it are deleted.
	if parent := messages[len(messages)-1].ParentID; parent != "" {
		next = ibid.EncodeCursor(parent)
	}
	slices.Reverse(messages)
	return messages, next, nil
}

// BranchAround returns a part of a branch with a certain message in its middle, of
// at most limit messages, oldest first. next leads to those before it (with Branch),
// newer to those after it (with BranchAfter). The branch is that of headID where it
// holds the message, else the newest that does.
//
// All ids from the head to the message are read, so the cost grows with how far
// back the message is; the data is read of the returned messages only.
func (db *Store) BranchAround(ctx context.Context, view access.View, threadID, headID, messageID string, limit int) (messages []ibid.Message, next, newer string, err error) {
	limit = ibid.Page{Limit: limit}.Size()
	from, below, err := db.fromHead(ctx, view, threadID, headID, messageID, limit/2)
	if errors.Is(err, sql.ErrNoRows) {
		if headID, err = newestBelow(ctx, db.file.ReadOnly, view, threadID, messageID); err != nil {
			return nil, "", "", err
		}
		from, below, err = db.fromHead(ctx, view, threadID, headID, messageID, limit/2)
	}
	if err != nil {
		return nil, "", "", file.Translate(err)
	}
	if below > 0 {
		newer = ibid.EncodeCursor(headID, from)
	}
	messages, next, err = db.Branch(ctx, view, threadID, from, ibid.Page{Limit: limit})
	return messages, next, newer, err
}

// BranchAfter returns the messages that follow on a part of a branch, oldest first.
// Its cursor is a newer one, as BranchAround and BranchAfter return it.
func (db *Store) BranchAfter(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, newer string, err error) {
	var headID, after string
	if _, err := page.DecodeCursor(&headID, &after); err != nil {
		return nil, "", err
	}
	from, below, err := db.fromHead(ctx, view, threadID, headID, after, page.Size())
	if errors.Is(err, sql.ErrNoRows) || err == nil && from == after {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", file.Translate(err)
	}
	if below > 0 {
		newer = ibid.EncodeCursor(headID, from)
	}
	messages, _, err = db.Branch(ctx, view, threadID, from, ibid.Page{Limit: page.Size()})
	for i, m := range messages { // near the head there may be fewer than a page
		if m.ID == after {
			messages = messages[i+1:]
			break
		}
	}
	return messages, newer, err
}

// fromHead walks a branch from its head up to a message. It returns the message
// that stands steps below that one, or the head where there are not so many, and
// how many stand below it in turn. It fails with sql.ErrNoRows when the branch
// doesn't hold the message.
func (db *Store) fromHead(ctx context.Context, view access.View, threadID, headID, messageID string, steps int) (id string, below int, err error) {
	err = db.file.ReadOnly.QueryRowContext(ctx, `WITH RECURSIVE up (id, parent_id, n) AS MATERIALIZED (
			SELECT id, parent_id, 0 FROM messages m WHERE id = ?1 AND thread_id = ?2 AND `+seen.InThread(view, 5)+`
			UNION ALL
			SELECT m.id, m.parent_id, up.n + 1 FROM up JOIN messages m ON m.id = up.parent_id WHERE up.id <> ?3)
		SELECT id, n FROM up WHERE n = (SELECT max(0, n - ?4) FROM up WHERE id = ?3)`,
		headID, threadID, messageID, steps, seen.Who(view)).Scan(&id, &below)
	return id, below, err
}

// newestBelow returns the newest message among one and all that follow from it.
func newestBelow(ctx context.Context, q file.Querier, view access.View, threadID, messageID string) (string, error) {
	var id string
	err := q.QueryRowContext(ctx, `WITH RECURSIVE below (id, created_at, role) AS (
			SELECT id, created_at, role FROM messages m WHERE id = ?1 AND thread_id = ?2 AND `+seen.InThread(view, 3)+`
			UNION ALL
			SELECT m.id, m.created_at, m.role FROM below b JOIN messages m ON m.parent_id = b.id AND m.thread_id = ?2)
		SELECT id FROM below ORDER BY created_at DESC, role, id DESC LIMIT 1`, messageID, threadID, seen.Who(view)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ibid.Errorf(ibid.CodeNotFound, "message %s is not in thread %s", messageID, threadID)
	}
	return id, file.Translate(err)
}

// ShowBranch shows the branch of a thread that runs through a message: the head
// becomes the newest message that follows from it.
func (db *Store) ShowBranch(ctx context.Context, view access.View, threadID, messageID string) error {
	return db.file.Write(ctx, func(q file.Querier) error {
		head, err := newestBelow(ctx, q, view, threadID, messageID)
		if err != nil {
			return err
		}
		res, err := q.ExecContext(ctx, `UPDATE threads SET head_id = ? WHERE id = ?`, head, threadID)
		return file.Found(res, err, "thread", threadID)
	})
}

// Siblings returns, for each message that has any, the ids of the messages with
// the same parent and role, oldest first and itself among them. Of more than
// ibid.MaxLimit it returns the newest.
func (db *Store) Siblings(ctx context.Context, view access.View, messageIDs []string) (map[string][]string, error) {
	list, err := json.Marshal(messageIDs)
	if err != nil {
		return nil, err
	}
	rows, err := db.file.ReadOnly.QueryContext(ctx, `SELECT m.id, s.id FROM json_each(?1) j
		JOIN messages m ON m.id = j.value AND `+seen.Message(view, 2)+`
		JOIN messages s ON s.id IN (SELECT v.id FROM messages v WHERE v.parent_id = m.parent_id AND v.thread_id = m.thread_id AND v.role = m.role
			ORDER BY v.created_at DESC, v.id DESC LIMIT ?3)
		ORDER BY m.id, s.created_at, s.id`, string(list), seen.Who(view), ibid.MaxLimit)
	if err != nil {
		return nil, file.Translate(err)
	}
	siblings := map[string][]string{}
	_, err = file.Collect(rows, func(r *sql.Rows) (struct{}, error) {
		var id, sibling string
		err := r.Scan(&id, &sibling)
		siblings[id] = append(siblings[id], sibling)
		return struct{}{}, err
	})
	for id, all := range siblings {
		switch {
		case len(all) == 1:
			delete(siblings, id)
		case !slices.Contains(all, id):
			siblings[id] = append([]string{id}, all[1:]...) // older than those
		}
	}
	return siblings, err
}

// Questions returns how many questions stand on the branch of a message, itself
// included; none for the empty id.
func (db *Store) Questions(ctx context.Context, view access.View, messageID string) (n int, err error) {
	err = db.file.ReadOnly.QueryRowContext(ctx, `SELECT coalesce((SELECT questions FROM messages m WHERE id = ?1 AND `+seen.Message(view, 2)+`), 0)`,
		messageID, seen.Who(view)).Scan(&n)
	return n, file.Translate(err)
}
