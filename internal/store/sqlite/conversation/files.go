package conversation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// withoutData returns attachments as a message names them: their bytes are kept
// apart.
func withoutData(files []ibid.Attachment) []ibid.Attachment {
	var named []ibid.Attachment
	for _, f := range files {
		f.Bytes = max(f.Bytes, int64(len(f.Data)))
		f.Data = nil
		named = append(named, f)
	}
	return named
}

func insertFile(ctx context.Context, q file.Querier, messageID string, n int, f ibid.Attachment) error {
	_, err := q.ExecContext(ctx, `INSERT INTO files (message_id, n, name, mime, data, version) VALUES (?, ?, ?, ?, ?, ?)`,
		messageID, n, f.Name, f.MIME, f.Data, ibid.VersionOf(f.Data))
	if err != nil {
		return fmt.Errorf("save file %q of message %s: %w", f.Name, messageID, err)
	}
	_, err = q.ExecContext(ctx, `UPDATE messages SET files = files + 1 WHERE id = ?`, messageID)
	return err
}

// AddFile gives a message one more file and returns its place.
func (db *Store) AddFile(ctx context.Context, messageID string, f ibid.Attachment) (n int, err error) {
	err = db.file.Write(ctx, func(q file.Querier) error {
		if err := q.QueryRowContext(ctx, `SELECT coalesce(max(n) + 1, 0) FROM files WHERE message_id = ?`, messageID).Scan(&n); err != nil {
			return err
		}
		err := insertFile(ctx, q, messageID, n, f)
		if file.IsConstraint(err) {
			return ibid.Errorf(ibid.CodeNotFound, "there is no message %s", messageID)
		}
		return err
	})
	return n, err
}

// fileColumns are what scanFile reads. The bytes come along where their hash has to
// be worked out still.
const fileColumns = `f.message_id, f.n, f.name, f.mime, length(f.data), f.version, CASE f.version WHEN '' THEN f.data END`

func scanFile(scan func(...any) error, more ...any) (f ibid.File, err error) {
	var unhashed []byte
	err = scan(append([]any{&f.MessageID, &f.N, &f.Name, &f.MIME, &f.Bytes, &f.Version, &unhashed}, more...)...)
	if err == nil && f.Version == "" {
		f.Version = ibid.VersionOf(unhashed)
	}
	return f, err
}

// Files returns a page of the files of a thread without their bytes, the newest first:
// those of the latest message, the last of them first, and so on.
func (db *Store) Files(ctx context.Context, view access.View, threadID string, page ibid.Page) (files []ibid.File, next string, err error) {
	var at int64
	var role, messageID string
	var n int
	behind, err := page.DecodeCursor(&at, &role, &messageID, &n)
	if err != nil {
		return nil, "", err
	}
	where := `true`
	if behind { // in descending order, but for the role
		where = `m.created_at <= ?3 AND (m.created_at < ?3 OR m.role > ?4 OR m.role = ?4 AND (m.id, f.n) < (?5, ?6))`
	}
	rows, err := db.file.ReadOnly.QueryContext(ctx, `SELECT `+fileColumns+`, m.created_at, m.role FROM messages m CROSS JOIN files f ON f.message_id = m.id
		WHERE m.thread_id = ?1 AND m.files > 0 AND `+where+` AND `+seen.InThread(view, 2)+`
		ORDER BY m.created_at DESC, m.role, m.id DESC, f.n DESC LIMIT ?7`, threadID, seen.Who(view), at, role, messageID, n, page.Size()+1)
	if err != nil {
		return nil, "", file.Translate(err)
	}
	type found struct {
		ibid.File
		at   int64
		role string
	}
	all, err := file.Collect(rows, func(r *sql.Rows) (f found, err error) {
		f.File, err = scanFile(r.Scan, &f.at, &f.role)
		return f, err
	})
	all, next = file.CutPage(all, page, func(f found) []any { return []any{f.at, f.role, f.MessageID, f.N} })
	for _, f := range all {
		files = append(files, f.File)
	}
	return files, next, err
}

// File returns one file with its bytes.
func (db *Store) File(ctx context.Context, view access.View, messageID string, n int) (ibid.File, error) {
	var data []byte
	f, err := scanFile(db.file.ReadOnly.QueryRowContext(ctx, `SELECT `+fileColumns+`, f.data FROM files f JOIN messages m ON m.id = f.message_id
		WHERE f.message_id = ?1 AND f.n = ?2 AND `+seen.InThread(view, 3), messageID, n, seen.Who(view)).Scan, &data)
	f.Data = data
	if errors.Is(err, sql.ErrNoRows) {
		return f, ibid.Errorf(ibid.CodeNotFound, "message %s has no file %d", messageID, n)
	}
	return f, file.Translate(err)
}

// FileText returns what a file says, a NOT_FOUND error until SetFileText has kept
// that.
func (db *Store) FileText(ctx context.Context, view access.View, messageID string, n int) (ibid.Extract, error) {
	var x ibid.Extract
	var packed []byte
	err := db.file.ReadOnly.QueryRowContext(ctx, `SELECT f.extract FROM files f JOIN messages m ON m.id = f.message_id
		WHERE f.message_id = ?1 AND f.n = ?2 AND `+seen.Message(view, 3), messageID, n, seen.Who(view)).Scan(&packed)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && packed == nil:
		return x, ibid.Errorf(ibid.CodeNotFound, "file %d of message %s has not been read", n, messageID)
	case err != nil:
		return x, file.Translate(err)
	}
	return x, file.Unpack(packed, &x)
}

// SetFileText keeps what a file says.
func (db *Store) SetFileText(ctx context.Context, messageID string, n int, x ibid.Extract) error {
	packed, err := file.Pack(x)
	if err != nil {
		return err
	}
	return db.file.Write(ctx, func(q file.Querier) error {
		_, err := q.ExecContext(ctx, `UPDATE files SET extract = ? WHERE message_id = ? AND n = ?`, packed, messageID, n)
		return err
	})
}
