// Package schema is what the tables of ibid's SQLite file are: the migrations that
// make them, and the functions that their triggers call.
package schema

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"sort"

	"ibid"
	"ibid/internal/store/sqlite/file"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Names lists the migrations in order. How many of them a database has
// had is its format, and stands in its user_version.
func Names() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	sort.Strings(names)
	return names, err
}

// Migrate brings a database to a format.
func Migrate(ctx context.Context, conn *sql.Conn, names []string, format int) error {
	var have int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return fmt.Errorf("read the database's version: %w", file.Translate(err))
	}
	if have > len(names) {
		return Newer(have, len(names))
	}
	for i := have; i < format; i++ {
		name, err := nextMigration(ctx, conn, names, i)
		if err != nil {
			return err
		}
		script, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		stmts := fmt.Sprintf("BEGIN IMMEDIATE;\n%s\nPRAGMA user_version = %d;\nCOMMIT;", script, i+1)
		if _, err := conn.ExecContext(ctx, stmts); err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
			return fmt.Errorf("migrate the database with %s: %w", name, file.Translate(err))
		}
	}
	return nil
}

// Newer is the error about a database of a later format than this program knows.
func Newer(have, known int) error {
	return &ibid.Error{Code: ibid.CodeInternal,
		Message: fmt.Sprintf("the database was written by a newer ibid (format %d, this one knows %d)", have, known),
		Hint:    "use the newer ibid, or another data directory"}
}

// nextMigration returns the migration that takes a database from a format to the
// next. Twice in its history ibid got a migration before the one whose number is
// one less; a database that was last opened in between has the later one, and gets
// the earlier one now.
func nextMigration(ctx context.Context, conn *sql.Conn, names []string, have int) (string, error) {
	swapped := map[int]string{ // format → what is there when the later one was applied
		5:  `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'files')`,
		10: `SELECT NOT EXISTS (SELECT 1 FROM pragma_table_info('files') WHERE name = 'version')`,
	}
	query, could := swapped[have]
	if !could {
		return names[have], nil
	}
	var was bool
	if err := conn.QueryRowContext(ctx, query).Scan(&was); err != nil {
		return "", fmt.Errorf("look at the database's tables: %w", file.Translate(err))
	}
	if was {
		return names[have-1], nil
	}
	return names[have], nil
}

// Format is the number of the last migration that this program knows.
func Format() int {
	entries, err := migrations.ReadDir("migrations")
	if err != nil {
		return 0 // cannot happen: they are embedded
	}
	return len(entries)
}

// IdentitySetting is the setting that says to which data directory the database
// belongs. A mark made of it stands in the file's header (application_id, see
// https://www.sqlite.org/fileformat.html), where it is read without SQLite: SQLite
// would take the pages of a log beside the file for the file's own, whoever wrote
// that log.
const IdentitySetting = "identity"

// InUse is true where a version has the hash %[1]s, which is a parameter or a
// column, or where a document waits for it. A removed document that can still be
// restored waits as well.
const InUse = `(EXISTS (SELECT 1 FROM versions v WHERE v.hash = %[1]s)
	OR EXISTS (SELECT 1 FROM documents d WHERE d.pending = %[1]s AND d.pending <> ''))`

// ListOriginals returns a page of the hashes of the originals that a database lists as
// in use, in order.
func ListOriginals(ctx context.Context, db *sql.DB, page ibid.Page) (hashes []string, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	rows, err := db.QueryContext(ctx, `SELECT hash FROM versions WHERE hash > ?1
		UNION SELECT pending FROM documents WHERE pending > ?1 AND pending <> '' ORDER BY 1 LIMIT ?2`, after, page.Size()+1)
	if err != nil {
		return nil, "", file.Translate(err)
	}
	hashes, err = file.Collect(rows, func(r *sql.Rows) (hash string, err error) { return hash, r.Scan(&hash) })
	hashes, next = file.CutPage(hashes, page, func(hash string) []any { return []any{hash} })
	return hashes, next, err
}
