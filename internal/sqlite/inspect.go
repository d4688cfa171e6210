package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"ibid"
)

// identitySetting is the setting that says to which data directory the database
// belongs.
const identitySetting = "identity"

// Inspection is a look at a database file that changes nothing in it. Close it.
type Inspection struct {
	Empty    bool   // there is no file, or nothing in it
	Identity string // of its data directory; "" when it has none yet

	path string
	db   *sql.DB // nil when there are no bytes to look at
}

// Inspect looks at a database file. One that is no database of ibid's is an error.
func Inspect(ctx context.Context, path string) (*Inspection, error) {
	in := &Inspection{Empty: true, path: path}
	switch info, err := os.Stat(path); {
	case os.IsNotExist(err):
		return in, nil
	case err != nil:
		return nil, fmt.Errorf("look at the database: %w", err)
	case info.Size() == 0:
		return in, nil
	}
	var err error
	in.db, err = sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw&_pragma=busy_timeout(10000)&_pragma=query_only(ON)")
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := in.look(ctx); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

func (in *Inspection) look(ctx context.Context) error {
	var format, tables int
	err := in.db.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&format, &tables)
	switch {
	case err != nil:
		return translate(err)
	case format == 0 && tables == 0:
		return nil
	case format == 0:
		return in.foreign(nil)
	}
	in.Empty = false
	err = in.db.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM settings WHERE name = ?), '')", identitySetting).Scan(&in.Identity)
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
	err := in.db.QueryRowContext(ctx, "SELECT "+fmt.Sprintf(inUse, "?1"), hash).Scan(&listed)
	if err != nil {
		return false, in.foreign(err)
	}
	return listed, nil
}

// Verify runs SQLite's own integrity check; it reads the whole file.
func (in *Inspection) Verify(ctx context.Context) error {
	return verify(ctx, in.db, in.path)
}

// errForeign is of a database that is not ibid's, or that fails its check.
var errForeign = errors.New("not a sound database of ibid's")

// Damaged reports whether err says that the file is not a sound database of
// ibid's, rather than that it could not be read just now.
func Damaged(err error) bool {
	code := primaryCode(err)
	return code == codeCorrupt || code == codeNotADB || errors.Is(err, errForeign)
}

// foreign is the error of a database whose tables are not ibid's; err is what
// SQLite said, nil for nothing.
func (in *Inspection) foreign(err error) error {
	if primaryCode(err) > codeError {
		return translate(err)
	}
	return &ibid.Error{Code: ibid.CodeInternal, Message: fmt.Sprintf("%s is not a database of ibid's", in.path), Err: errForeign}
}

// SetIdentity says to which data directory the database belongs.
func (db *DB) SetIdentity(ctx context.Context, identity string) error {
	return db.SetSetting(ctx, identitySetting, identity)
}
