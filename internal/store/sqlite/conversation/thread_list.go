package conversation

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"ibid"
	"ibid/internal/access"

	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
	sqlitelib "modernc.org/sqlite"
)

const (
	// trigram is how many characters a text must have to be found by its trigrams.
	trigram = 3
	// fewThreads is up to how many matching threads are sorted. Where more match, they
	// stand so close together that going through all threads in their order soon finds
	// a page of them.
	fewThreads = 2000
)

// RegisterHolds makes ibid_holds(text, lower) known to SQL: whether a text holds a
// part that is given in lower case. SQLite's own lower knows ASCII only.
var RegisterHolds = sync.OnceValue(func() error {
	return sqlitelib.RegisterDeterministicScalarFunction("ibid_holds", 2, func(_ *sqlitelib.FunctionContext, args []driver.Value) (driver.Value, error) {
		s, isText := args[0].(string)
		part, isPart := args[1].(string)
		if !isText || !isPart {
			return nil, fmt.Errorf("ibid_holds of %T and %T", args[0], args[1])
		}
		return strings.Contains(strings.ToLower(s), part), nil
	})
})

// Threads returns the page of threads that a query takes, the one that changed last
// first.
func (db *Store) Threads(ctx context.Context, view access.View, q ibid.ThreadQuery, page ibid.Page) (threads []ibid.Thread, next string, err error) {
	var updated int64
	var id string
	after, err := page.DecodeCursor(&updated, &id)
	if err != nil {
		return nil, "", err
	}
	from, where, args := threadQuery, []string{"t.removed_at IS NULL", seen.By(view, "t.principal", 1)}, []any{seen.Who(view), sql.Named("limit", page.Size()+1)}
	if after {
		where = append(where, `t.updated_at <= @updated AND (t.updated_at < @updated OR t.id > @id)`)
		args = append(args, sql.Named("updated", updated), sql.Named("id", id))
	}
	if q.ID != "" {
		where = append(where, `t.id >= @begin AND t.id < @end`)
		args = append(args, sql.Named("begin", q.ID), sql.Named("end", q.ID+string(utf8.MaxRune)))
	}
	if part := strings.ReplaceAll(q.Text, "\x00", ""); part != "" {
		// Trigrams are quoted, so that nothing in the text is an operator of FTS5.
		match := `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
		if few, err := db.fewTitles(ctx, part, match); err != nil {
			return nil, "", err
		} else if few {
			from = strings.Replace(from, "FROM threads t", "FROM thread_titles x CROSS JOIN threads t ON t.number = x.rowid", 1)
			where = append(where, `x.title MATCH @match`)
			args = append(args, sql.Named("match", match))
		} else {
			where = append(where, `ibid_holds(t.title, @part)`)
			args = append(args, sql.Named("part", strings.ToLower(part)))
		}
	}
	rows, err := db.file.ReadOnly.QueryContext(ctx, from+` WHERE `+strings.Join(where, " AND ")+` ORDER BY t.updated_at DESC, t.id LIMIT @limit`, args...)
	if err != nil {
		return nil, "", file.Translate(err)
	}
	threads, err = file.Collect(rows, func(r *sql.Rows) (ibid.Thread, error) { return scanThread(r) })
	if err != nil {
		return nil, "", err
	}
	if len(threads) > page.Size() {
		threads = threads[:page.Size()]
		last := threads[len(threads)-1]
		next = ibid.EncodeCursor(file.Millis(last.UpdatedAt.Time), last.ID)
	}
	return threads, next, nil
}

// fewTitles reports whether titles with a part can be found by trigrams, and are few
// enough to be sorted.
func (db *Store) fewTitles(ctx context.Context, part, match string) (bool, error) {
	if utf8.RuneCountInString(part) < trigram {
		return false, nil
	}
	var n int
	err := db.file.ReadOnly.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM thread_titles WHERE title MATCH ? LIMIT ?)`, match, fewThreads+1).Scan(&n)
	return n <= fewThreads, file.Translate(err)
}
