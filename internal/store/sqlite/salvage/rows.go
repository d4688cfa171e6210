package salvage

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
)

// salvagedTable is a table whose rows are taken over.
type salvagedTable struct {
	name string
	// check returns what to count the row with, nil for a row that makes no sense. It
	// may change the row's columns.
	check func(s *salvage, row map[string]any) *int
}

func salvagedTables() []salvagedTable {
	return []salvagedTable{
		{"settings", func(s *salvage, row map[string]any) *int {
			if row["name"] == schema.IdentitySetting {
				return nil // the new database gets one of its own
			}
			return new(int)
		}},
		{"documents", (*salvage).document},
		{"versions", func(s *salvage, row map[string]any) *int {
			var x ibid.Extract
			packed, _ := row["extract"].([]byte)
			if file.Unpack(packed, &x) != nil {
				return nil
			}
			s.postpone(row, "replaced_at")
			return &s.got.Texts
		}},
		{"threads", func(s *salvage, row map[string]any) *int {
			s.postpone(row, "removed_at")
			row["number"] = nil // a trigger gives it one
			return &s.got.Threads
		}},
		{"messages", (*salvage).message},
		{"files", func(s *salvage, _ map[string]any) *int { return &s.got.Files }},
		{"databases", func(s *salvage, row map[string]any) *int {
			var d ibid.Database
			if json.Unmarshal(jsonOf(row), &d) != nil {
				return nil
			}
			s.postpone(row, "removed_at")
			return &s.got.Databases
		}},
	}
}

func jsonOf(row map[string]any) []byte {
	text, _ := row["data"].(string)
	return []byte(text)
}

// postpone counts what was removed, or replaced, as removed now.
func (s *salvage) postpone(row map[string]any, column string) {
	if row[column] != nil {
		row[column] = file.Millis(s.now)
	}
}

// document lets a document wait for the pipeline again.
func (s *salvage) document(row map[string]any) *int {
	var d ibid.Document
	if json.Unmarshal(jsonOf(row), &d) != nil || d.ID != row["id"] {
		return nil
	}
	if row["removed_at"] != nil {
		s.postpone(row, "removed_at")
		return &s.got.Removed
	}
	pending, _ := row["pending"].(string)
	if pending == "" {
		pending = d.Version
	}
	if pending != "" { // "" when it was cancelled before it was read
		d.Status, d.Stage, d.Progress, d.PagesDone, d.ETA, d.Error, d.Version = ibid.DocumentQueued, "", 0, 0, 0, "", ""
	}
	data, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	row["status"], row["pending"], row["data"] = string(d.Status), pending, string(data)
	return &s.got.Documents
}

// message closes a message whose answer was being written.
func (s *salvage) message(row map[string]any) *int {
	var m ibid.Message
	if json.Unmarshal(jsonOf(row), &m) != nil || m.ID != row["id"] {
		return nil
	}
	if m.Status != "" && !m.Status.Done() {
		m.Status = ibid.StatusInterrupted
		data, err := json.Marshal(m)
		if err != nil {
			return nil
		}
		row["status"], row["data"] = string(m.Status), string(data)
	}
	return &s.got.Messages
}

// table takes over the rows of a table that can be read and make sense.
func (s *salvage) table(ctx context.Context, t salvagedTable) error {
	columns, err := s.columns(ctx, t.name)
	if err != nil || len(columns) == 0 {
		return err // a table that this format lacks
	}
	insert := `INSERT INTO "` + t.name + `" ("` + strings.Join(columns, `", "`) + `") VALUES (` + strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",") + `)`
	return s.rows(ctx, t.name, columns, func(row map[string]any) error {
		counter := t.check(s, row)
		if counter == nil {
			if row["name"] != schema.IdentitySetting {
				s.got.Gaps++
			}
			return nil
		}
		values := make([]any, len(columns))
		for i, c := range columns {
			values[i] = row[c]
		}
		switch _, err := s.fresh.ExecContext(ctx, insert, values...); {
		case file.IsConstraint(err):
			s.got.Gaps++
		case err != nil:
			return file.Translate(err)
		default:
			*counter++
		}
		return nil
	})
}

// columns are those that the new database's table has.
func (s *salvage) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := s.fresh.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, file.Translate(err)
	}
	return file.Collect(rows, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
}

// rows calls each with the rows of a damaged table, in the order of their numbers.
// At a page that cannot be read it goes on with the first row behind that page.
func (s *salvage) rows(ctx context.Context, table string, columns []string, each func(row map[string]any) error) error {
	query := `SELECT rowid, "` + strings.Join(columns, `", "`) + `" FROM "` + table + `" WHERE rowid > ? ORDER BY rowid`
	const last = int64(1) << 40 // no table of ibid's has that many rows
	for after := int64(0); ; {
		var broken error
		seen := after
		rows, err := s.damaged.QueryContext(ctx, query, after)
		if err != nil {
			broken = err
		} else {
			seen, broken, err = readRows(rows, columns, after, each)
			if err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if broken == nil {
			return nil
		}
		s.got.Gaps++
		// The least number behind which SQLite can read again: double the step until it
		// can, then halve it.
		bad, good := seen, seen+1
		for ; good < last && !s.readable(ctx, query, columns, good); good = seen + 2*(good-seen) {
			bad = good
		}
		if good >= last {
			return nil // nothing can be read behind it
		}
		for good-bad > 1 {
			if middle := bad + (good-bad)/2; s.readable(ctx, query, columns, middle) {
				good = middle
			} else {
				bad = middle
			}
		}
		after = good
	}
}

// readable reports whether SQLite finds a row behind a number, or the table's end.
func (s *salvage) readable(ctx context.Context, query string, columns []string, after int64) bool {
	rows, err := s.damaged.QueryContext(ctx, query+" LIMIT 1", after)
	if err != nil {
		return false
	}
	_, broken, _ := readRows(rows, columns, after, func(map[string]any) error { return nil })
	return broken == nil
}

// readRows returns the number of the last row that was read, and why reading ended
// there, nil at the end. err is each's.
func readRows(rows *sql.Rows, columns []string, after int64, each func(map[string]any) error) (seen int64, broken, err error) {
	defer rows.Close()
	seen = after
	for rows.Next() {
		values := make([]any, len(columns)+1)
		to := make([]any, len(values))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return seen, err, nil
		}
		number, ok := values[0].(int64)
		if !ok || number <= seen {
			return seen, errors.New("rows are out of order"), nil
		}
		seen = number
		row := map[string]any{}
		for i, c := range columns {
			row[c] = values[i+1]
			if b, ok := row[c].([]byte); ok {
				row[c] = slices.Clone(b)
			}
		}
		if err := each(row); err != nil {
			return seen, nil, err
		}
	}
	return seen, rows.Err(), nil
}

// connect makes up for rows whose others are lost: a text without its document, a
// message without its thread. And it notes anew what messages cite.
func (s *salvage) connect(ctx context.Context) error {
	if err := s.adoptTexts(ctx); err != nil {
		return err
	}
	for _, statement := range []string{
		`INSERT INTO threads (id, title, head_id, created_at, updated_at)
			SELECT thread_id, coalesce((SELECT substr(json_extract(q.data, '$.text'), 1, 60) FROM messages q
				WHERE q.thread_id = messages.thread_id AND q.role = 'user' ORDER BY q.created_at LIMIT 1), 'Recovered conversation'), '', min(created_at), max(created_at) FROM messages
			WHERE thread_id NOT IN (SELECT id FROM threads) GROUP BY thread_id`,
		`UPDATE threads SET head_id = coalesce((SELECT id FROM messages m WHERE m.thread_id = threads.id ORDER BY created_at DESC, role, id DESC LIMIT 1), '')
			WHERE head_id NOT IN (SELECT id FROM messages)`,
		`DELETE FROM threads WHERE head_id = ''`,
		`UPDATE messages SET data = data`, // a trigger reads its citations
	} {
		if _, err := s.fresh.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("connect what could be read: %w", file.Translate(err))
		}
	}
	if columns, err := s.columns(ctx, "threads"); err != nil {
		return err
	} else if slices.Contains(columns, "principal") {
		if _, err := s.fresh.ExecContext(ctx, `UPDATE threads SET principal = ? WHERE principal = ''`, ibid.Owner); err != nil {
			return fmt.Errorf("say whose conversations are: %w", file.Translate(err))
		}
	}
	if s.has(ctx, "files") {
		if _, err := s.fresh.ExecContext(ctx, `DELETE FROM files WHERE message_id NOT IN (SELECT id FROM messages)`); err != nil {
			return file.Translate(err)
		}
	}
	return nil
}

func (s *salvage) has(ctx context.Context, table string) bool {
	columns, err := s.columns(ctx, table)
	return err == nil && len(columns) > 0
}

// adoptTexts makes documents for versions whose document cannot be read: the
// newest of each is read again, under the old id. Whose they were is lost: they are
// the owner's.
func (s *salvage) adoptTexts(ctx context.Context) error {
	rows, err := s.fresh.QueryContext(ctx, `SELECT document_id, hash FROM versions v
		WHERE document_id NOT IN (SELECT id FROM documents) AND NOT EXISTS (
			SELECT 1 FROM versions n WHERE n.document_id = v.document_id AND (n.created_at, n.hash) > (v.created_at, v.hash))`)
	if err != nil {
		return file.Translate(err)
	}
	type orphan struct{ id, hash string }
	orphans, err := file.Collect(rows, func(r *sql.Rows) (o orphan, err error) { return o, r.Scan(&o.id, &o.hash) })
	if err != nil {
		return err
	}
	columns, err := s.columns(ctx, "documents")
	if err != nil {
		return err
	}
	whose := slices.Contains(columns, "principal")
	for _, o := range orphans {
		d := ibid.Document{ID: o.id, Name: RecoveredName(o.hash, ""), Source: "recovered:" + o.id, Status: ibid.DocumentQueued,
			AddedAt: ibid.At(s.now), ChangeAt: ibid.At(s.now)}
		data, err := json.Marshal(d)
		if err != nil {
			return err
		}
		columns, values := "id, source, status, pending, added_at, data", []any{d.ID, d.Source, d.Status, o.hash, file.Millis(s.now), string(data)}
		if whose {
			columns, values = columns+", principal", append(values, ibid.Owner)
		}
		if _, err := s.fresh.ExecContext(ctx, `INSERT INTO documents (`+columns+`) VALUES (`+strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")+`)`, values...); err != nil {
			return fmt.Errorf("make a document for a text: %w", file.Translate(err))
		}
		s.got.Documents++
	}
	return nil
}
