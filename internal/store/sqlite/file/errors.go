package file

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"ibid"

	sqlitelib "modernc.org/sqlite"
)

// SQLite's primary result codes, https://www.sqlite.org/rescode.html
const (
	codeError      = 1 // of the statement: there is no such table, for example
	codeBusy       = 5
	codeReadOnly   = 8
	codeIOErr      = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeConstraint = 19
	codeNotADB     = 26
)

func primaryCode(err error) int {
	var e *sqlitelib.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// errFull says that the disk is full, without another try.
var errFull = errors.New("no space left on device")

// IsFull reports whether err says that the disk is full.
func IsFull(err error) bool {
	return primaryCode(err) == codeFull || err != nil && strings.Contains(err.Error(), "no space left on device")
}

// IsConstraint reports whether err says that a constraint of a table was hurt.
func IsConstraint(err error) bool { return primaryCode(err) == codeConstraint }

// Translate gives the errors that a person can do something about their words.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	if IsFull(err) {
		return &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full",
			Hint: "free some space on the disk of the data directory", Err: err}
	}
	switch primaryCode(err) {
	case codeCorrupt, codeNotADB:
		return &ibid.Error{Code: ibid.CodeInternal, Message: "the database file is damaged or not ibid's",
			Hint: "restore it from a backup, or choose another data directory", Err: err}
	case codeReadOnly:
		return &ibid.Error{Code: ibid.CodeInternal, Message: "the database cannot be written",
			Hint: "make the data directory and ibid.db in it writable, or choose another data directory", Err: err}
	case codeBusy:
		return &ibid.Error{Code: ibid.CodeInternal, Message: "the database is held by another program", Err: err, Retryable: true}
	}
	return err
}

// errForeign is of a database that is not ibid's, or that fails its check.
var errForeign = errors.New("not a sound database of ibid's")

// Damaged returns the error of a file that is not a sound database of ibid's.
func Damaged(format string, args ...any) error {
	return &ibid.Error{Code: ibid.CodeInternal, Message: fmt.Sprintf(format, args...), Err: errForeign}
}

// IsDamaged reports whether err says that the file is not a sound database of
// ibid's, rather than that it could not be read just now.
func IsDamaged(err error) bool {
	code := primaryCode(err)
	return code == codeCorrupt || code == codeNotADB || errors.Is(err, errForeign)
}

// IsMissingTable reports whether err says no more than that a statement does not fit
// the tables that are there.
func IsMissingTable(err error) bool { return primaryCode(err) <= codeError }

// Verify runs SQLite's own integrity check on the database at path; it reads the
// whole file.
func Verify(ctx context.Context, q *sql.DB, path string) error {
	var verdict string
	if err := q.QueryRowContext(ctx, "PRAGMA quick_check").Scan(&verdict); err != nil {
		return Translate(err)
	}
	if verdict != "ok" {
		return Damaged("database %s is damaged: %s", path, verdict)
	}
	return nil
}
