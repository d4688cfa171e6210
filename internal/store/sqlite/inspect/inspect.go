// Package inspect looks at a database file and its log before SQLite opens them,
// and changes nothing.
package inspect

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ibid"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
)

// Inspection is a look at a database file that changes nothing. Close it.
type Inspection struct {
	Empty    bool   // there is no file, or nothing in it
	Foreign  bool   // its header says another identity than the one that Open was given; nothing else was looked at
	Identity string // of its data directory; "" when it has none yet

	path string
	db   *sql.DB // nil when there are no bytes to look at
}

// Open looks at a database file and its log. One that is no database of ibid's,
// or has lost its log, is an error for which file.IsDamaged is true. identity is that of
// the data directory, "" where it is not known.
func Open(ctx context.Context, path, identity string) (*Inspection, error) {
	in := &Inspection{Empty: true, path: path}
	mark, size, err := file.ReadMark(path)
	if err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	if size == 0 {
		return in, nil
	}
	if identity != "" && mark != 0 && mark != file.MarkOf(identity) {
		in.Empty, in.Foreign = false, true
		return in, nil
	}
	log, err := inspectLog(path, mark)
	if err != nil {
		return nil, err
	}
	if log == logWhole && identity != "" && mark == 0 {
		log = logUnknown // an older database, perhaps of another directory
	}
	// Without a log the file alone is read, and no file is made beside it.
	mode := "mode=ro&immutable=1"
	if log != logNone {
		mode = "mode=ro"
	}
	if in.db, err = sql.Open("sqlite", file.DSN(path)+"?"+mode+"&_pragma=busy_timeout(10000)"); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	in.db.SetMaxOpenConns(1)
	err = in.look(ctx)
	if err == nil && log == logUnknown {
		err = in.Verify(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

func (in *Inspection) look(ctx context.Context) error {
	var format, tables int
	err := in.db.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&format, &tables)
	switch {
	case err != nil:
		return file.Translate(err)
	case format == 0 && tables == 0:
		return nil
	case format == 0:
		return in.foreign(nil)
	}
	in.Empty = false
	err = in.db.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM settings WHERE name = ?), '')", schema.IdentitySetting).Scan(&in.Identity)
	if err != nil {
		return in.foreign(err)
	}
	_, err = in.Lists(ctx, "")
	return err
}

// Close ends the look.
func (in *Inspection) Close() error {
	if in.db == nil {
		return nil
	}
	return in.db.Close()
}

// Lists reports whether a document or one of its versions has the hash.
func (in *Inspection) Lists(ctx context.Context, hash string) (bool, error) {
	var listed bool
	err := in.db.QueryRowContext(ctx, "SELECT "+fmt.Sprintf(schema.InUse, "?1"), hash).Scan(&listed)
	if err != nil {
		return false, in.foreign(err)
	}
	return listed, nil
}

// HasDocuments reports whether there is any document, removed ones included.
func (in *Inspection) HasDocuments(ctx context.Context) (bool, error) {
	var any bool
	err := in.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM documents)").Scan(&any)
	if err != nil {
		return false, in.foreign(err)
	}
	return any, nil
}

// Verify runs SQLite's own integrity check; it reads the whole file.
func (in *Inspection) Verify(ctx context.Context) error {
	return file.Verify(ctx, in.db, in.path)
}

// foreign is the error of a database whose tables are not ibid's; err is what
// SQLite said, nil for nothing.
func (in *Inspection) foreign(err error) error {
	if !file.IsMissingTable(err) {
		return file.Translate(err)
	}
	return file.Damaged("%s is not a database of ibid's", in.path)
}

// Originals returns a page of the hashes of the originals that the database lists as in
// use, in order.
func (in *Inspection) Originals(ctx context.Context, page ibid.Page) (hashes []string, next string, err error) {
	return schema.ListOriginals(ctx, in.db, page)
}

// Counted is how much a database holds.
type Counted struct {
	Format    int // number of the last migration
	Documents int
	Threads   int
}

// Count says how much the database holds, which may be of an older format.
func (in *Inspection) Count(ctx context.Context) (c Counted, err error) {
	there := "" // threads that were removed are kept for a while
	var columns int
	err = in.db.QueryRowContext(ctx, "SELECT count(*) FROM pragma_table_info('threads') WHERE name = 'removed_at'").Scan(&columns)
	if columns > 0 {
		there = " WHERE removed_at IS NULL"
	}
	if err == nil {
		err = in.db.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM documents WHERE removed_at IS NULL), (SELECT count(*) FROM threads`+there+`)`).Scan(&c.Format, &c.Documents, &c.Threads)
	}
	return c, file.Translate(err)
}
