package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"ibid"

	sqlitelib "modernc.org/sqlite"
)

// sqliteSource is a SQLite file, opened for reading only.
type sqliteSource struct {
	files walFiles
	dir   string  // where copies may stand
	db    *sql.DB // while the file is not in WAL mode

	mu     sync.Mutex
	copied copied // of a file whose log nobody else has open; see wal.go
}

// Limits of SQLite's own, https://www.sqlite.org/c3ref/c_limit_attached.html
const (
	sqliteLimitLength   = 0
	sqliteLimitAttached = 7
)

// openSQLite opens a file so that it cannot be written to: the file itself is
// opened for reading, statements that write are refused, functions that views
// of a hostile file might call are restricted to harmless ones, and no other
// file can be attached. dir is where a copy may stand, where there must be one.
func openSQLite(path, dir string) (*sqliteSource, error) {
	if err := looksLikeSQLite(path); err != nil {
		return nil, err
	}
	db, err := openFile(path, "")
	if err != nil {
		return nil, err
	}
	return &sqliteSource{files: walFiles{path}, dir: dir, db: db}, nil
}

// looksLikeSQLite reads the first bytes of a file, so that what is no database
// is refused with a clear word.
func looksLikeSQLite(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	head := make([]byte, len(sqliteMagic))
	n, _ := f.Read(head)
	if n > 0 && string(head[:n]) != sqliteMagic[:n] {
		return ibid.Errorf(ibid.CodeBadRequest, "the file is no SQLite database")
	}
	return nil
}

const sqliteMagic = "SQLite format 3\x00"

func (s *sqliteSource) dialect() dialect { return sqliteDialect }

func (s *sqliteSource) close() {
	s.db.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
}

// read runs a statement that check has allowed, or one of our own, and gives
// every row to take until it returns false. Values are nil, int64, float64,
// string, []byte, bool or time.Time.
func (s *sqliteSource) read(ctx context.Context, longest int, statement string, take taker, args ...any) error {
	db, done, err := s.connection()
	if err != nil {
		return err
	}
	err = s.readFrom(ctx, db, longest, statement, take, args...)
	if torn := done(); torn != nil {
		return torn
	}
	return err
}

func (s *sqliteSource) readFrom(ctx context.Context, db *sql.DB, longest int, statement string, take taker, args ...any) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return s.plain(ctx, err)
	}
	defer conn.Close()
	for limit, value := range map[int]int{sqliteLimitAttached: 0, sqliteLimitLength: max(longest, maxStatement)} {
		if _, err := sqlitelib.Limit(conn, limit, value); err != nil {
			return fmt.Errorf("limit a database: %w", err)
		}
	}
	rows, err := conn.QueryContext(ctx, statement, args...)
	if err != nil {
		return s.plain(ctx, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return s.plain(ctx, err)
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	if !take(columns, nil) {
		return nil
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return s.plain(ctx, err)
		}
		if !take(columns, values) {
			return nil
		}
	}
	return s.plain(ctx, rows.Err())
}

// plain says an error of SQLite's in its own words, less the driver's.
func (s *sqliteSource) plain(ctx context.Context, err error) error {
	var e *sqlitelib.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &e):
		text := strings.TrimPrefix(e.Error(), "SQL logic error: ")
		return ibid.Errorf(ibid.CodeBadRequest, "the database says: %s", clip(text, 500))
	}
	return ibid.Errorf(ibid.CodeBadRequest, "the database cannot be read: %s", clip(err.Error(), 500))
}

// tables lists tables and views with their columns.
func (s *sqliteSource) tables(ctx context.Context) ([]ibid.DatabaseTable, error) {
	var tables []ibid.DatabaseTable
	err := s.read(ctx, describeBytes, `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type, rowid LIMIT ?`,
		each(func(row []any) { tables = append(tables, ibid.DatabaseTable{Name: show(row[0])}) }), maxTables)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		if err := s.columns(ctx, &tables[i]); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // a view that does not work
		}
	}
	return tables, nil
}

func (s *sqliteSource) columns(ctx context.Context, t *ibid.DatabaseTable) error {
	refers := map[string]string{}
	err := s.read(ctx, describeBytes, `SELECT "from", "table", coalesce("to", '') FROM pragma_foreign_key_list(?)`, each(func(row []any) {
		refers[show(row[0])] = strings.TrimSuffix(show(row[1])+"."+show(row[2]), ".")
	}), t.Name)
	if err != nil {
		return err
	}
	return s.read(ctx, describeBytes, `SELECT name, type, pk FROM pragma_table_info(?) LIMIT ?`, each(func(row []any) {
		name := show(row[0])
		t.Columns = append(t.Columns, ibid.DatabaseColumn{Name: name, Type: strings.ToLower(show(row[1])),
			Key: show(row[2]) != "0", References: refers[name]})
	}), t.Name, maxColumns)
}

// name writes a table's name for a statement.
func (s *sqliteSource) name(table string) string { return quoteName(table) }

func (s *sqliteSource) placeholder(n int) string { return fmt.Sprintf("?%d", n) }

func (s *sqliteSource) asText(column string) string { return column }
