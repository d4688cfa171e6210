package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ibid"
	"ibid/internal/disk"
)

// What is loaded of a file.
const (
	maxLoadColumns = 500
	maxLoadCells   = 10_000_000
	maxLoadCell    = 1 << 20 // bytes; the rest is cut off
)

// loader writes tables into a new SQLite file. Rows go into a staging table as
// texts; when all have been seen the types of the columns are known, and SQLite
// turns the texts into numbers by the columns' affinity.
type loader struct {
	ctx    context.Context
	db     *sql.DB
	conn   *sql.Conn
	insert *sql.Stmt
	names  map[string]bool // of the tables, in small letters

	table   string
	columns []string
	kinds   []columnKind
	rows    int
	cells   int
}

// newLoader creates the file. Nobody reads it before it is whole, and then
// Catalog.take syncs it: SQLite need not do so at each step.
func newLoader(ctx context.Context, path string) (*loader, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	l := &loader{ctx: ctx, db: db, names: map[string]bool{}}
	if l.conn, err = db.Conn(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	return l, l.run("BEGIN")
}

func (l *loader) run(statement string) error {
	if _, err := l.conn.ExecContext(l.ctx, statement); err != nil {
		return fmt.Errorf("load a table: %w", err)
	}
	return nil
}

// close commits what was loaded when err is nil.
func (l *loader) close(err error) error {
	if err == nil && len(l.names) == 0 {
		err = ibid.Errorf(ibid.CodeBadRequest, "the file holds no table")
	}
	if err == nil {
		err = l.run("COMMIT")
	}
	l.conn.Close()
	l.db.Close()
	return err
}

// begin starts a table. The names of its columns are made usable and unique.
func (l *loader) begin(table string, header []string) error {
	if len(header) > maxLoadColumns {
		return ibid.Errorf(ibid.CodeBadRequest, "the table %s has more than %d columns", table, maxLoadColumns)
	}
	l.table, l.rows = unique(nameFrom(table), l.names), 0
	l.columns, l.kinds = nil, make([]columnKind, len(header))
	taken := map[string]bool{}
	marks := make([]string, len(header))
	staged := make([]string, len(header))
	for i, h := range header {
		name := strings.Join(strings.Fields(printable(h)), " ")
		if r := []rune(name); len(r) > 100 {
			name = string(r[:100])
		}
		if name == "" {
			name = "column_" + strconv.Itoa(i+1)
		}
		l.columns = append(l.columns, unique(name, taken))
		marks[i], staged[i] = "?", fmt.Sprintf("c%d TEXT", i)
	}
	err := l.run("CREATE TEMP TABLE staged (" + strings.Join(staged, ", ") + ")")
	if err != nil {
		return err
	}
	l.insert, err = l.conn.PrepareContext(l.ctx, "INSERT INTO staged VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return fmt.Errorf("load table %s: %w", l.table, err)
	}
	return nil
}

// unique returns a name that is not taken yet, whatever its case.
func unique(name string, taken map[string]bool) string {
	candidate := name
	for n := 2; taken[strings.ToLower(candidate)]; n++ {
		candidate = fmt.Sprintf("%s_%d", name, n)
	}
	taken[strings.ToLower(candidate)] = true
	return candidate
}

// row adds a row. Cells beyond the header are left out, missing ones are empty.
func (l *loader) row(cells []string) error {
	values := make([]any, len(l.columns))
	empty := true
	for i := range values {
		if i >= len(cells) {
			continue
		}
		text := strings.TrimSpace(printable(cells[i]))
		if text == "" {
			continue
		}
		if len(text) > maxLoadCell {
			text = clip(text, maxLoadCell)
		}
		empty = false
		l.kinds[i] = l.kinds[i].with(text)
		values[i] = text
	}
	if empty {
		return nil
	}
	if l.cells += len(values); l.cells > maxLoadCells {
		return &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("the file has more than %d cells", maxLoadCells),
			Hint: "load it into SQLite or PostgreSQL and attach that"}
	}
	l.rows++
	if _, err := l.insert.ExecContext(l.ctx, values...); err != nil {
		return fmt.Errorf("load table %s: %w", l.table, err)
	}
	return nil
}

// end makes the table of what was staged.
func (l *loader) end() error {
	l.insert.Close()
	columns := make([]string, len(l.columns))
	for i, c := range l.columns {
		columns[i] = quoteName(c) + " " + l.kinds[i].String()
	}
	for _, statement := range []string{
		"CREATE TABLE main." + quoteName(l.table) + " (" + strings.Join(columns, ", ") + ")",
		"INSERT INTO main." + quoteName(l.table) + " SELECT * FROM staged",
		"DROP TABLE staged",
	} {
		if err := l.run(statement); err != nil {
			return err
		}
	}
	return nil
}

// columnKind is the narrowest type that holds all values of a column.
type columnKind int

const (
	emptyColumn columnKind = iota
	integerColumn
	realColumn
	dateColumn
	timestampColumn
	textColumn
)

// String is the type that the column is declared with.
func (k columnKind) String() string {
	switch k {
	case integerColumn:
		return "INTEGER"
	case realColumn:
		return "REAL"
	case dateColumn:
		return "DATE"
	case timestampColumn:
		return "TIMESTAMP"
	}
	return "TEXT"
}

// with returns the kind that also holds a value.
func (k columnKind) with(text string) columnKind {
	v := kindOfValue(text)
	switch {
	case k == emptyColumn || k == v:
		return v
	case k == integerColumn && v == realColumn, k == realColumn && v == integerColumn:
		return realColumn
	case k == dateColumn && v == timestampColumn, k == timestampColumn && v == dateColumn:
		return timestampColumn
	}
	return textColumn
}

var (
	integerValue = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]{0,17})$`) // "007" is no number
	realValue    = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]{0,14})?\.[0-9]+([eE][+-]?[0-9]{1,3})?$|^[+-]?[1-9][0-9]{0,14}[eE][+-]?[0-9]{1,3}$`)
	dateValue    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	timeValue    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$`)
)

func kindOfValue(text string) columnKind {
	switch {
	case integerValue.MatchString(text):
		return integerColumn
	case realValue.MatchString(text):
		return realColumn
	case dateValue.MatchString(text):
		if _, err := time.Parse("2006-01-02", text); err == nil {
			return dateColumn
		}
	case timeValue.MatchString(text):
		if _, err := time.Parse("2006-01-02", text[:10]); err == nil {
			return timestampColumn
		}
	}
	return textColumn
}

// copySQLite keeps an uploaded SQLite file.
func copySQLite(fsys disk.FS, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return unreadable(err)
	}
	return copyFile(fsys, in, to)
}

// copyFile writes what is left of a file to another, and closes both.
func copyFile(fsys disk.FS, in *os.File, to string) error {
	defer in.Close()
	out, err := fsys.Create(to)
	if err != nil {
		return fmt.Errorf("copy a database: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy a database: %w", err)
	}
	return nil
}
