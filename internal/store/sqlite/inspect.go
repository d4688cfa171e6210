package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"

	"ibid"
)

// identitySetting is the setting that says to which data directory the database
// belongs. A mark made of it stands in the file's header (application_id, see
// https://www.sqlite.org/fileformat.html), where it is read without SQLite: SQLite
// would take the pages of a log beside the file for the file's own, whoever wrote
// that log.
const identitySetting = "identity"

// logEnding ends the name of a database's write-ahead log, memoryEnding that of
// the log's index.
const (
	logEnding    = "-wal"
	memoryEnding = "-shm"
)

// Inspection is a look at a database file that changes nothing. Close it.
type Inspection struct {
	Empty    bool   // there is no file, or nothing in it
	Foreign  bool   // its header says another identity than the one that Inspect was given; nothing else was looked at
	Identity string // of its data directory; "" when it has none yet

	path string
	db   *sql.DB // nil when there are no bytes to look at
}

// Inspect looks at a database file and its log. One that is no database of ibid's,
// or has lost its log, is an error for which Damaged is true. identity is that of
// the data directory, "" where it is not known.
func Inspect(ctx context.Context, path, identity string) (*Inspection, error) {
	in := &Inspection{Empty: true, path: path}
	mark, size, err := readMark(path)
	if err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	if size == 0 {
		return in, nil
	}
	if identity != "" && mark != 0 && mark != markOf(identity) {
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
	if in.db, err = sql.Open("sqlite", fileDSN(path)+"?"+mode+"&_pragma=busy_timeout(10000)"); err != nil {
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

func fileDSN(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// readMark returns the mark in a database file's header, and the file's size, 0
// where there is none.
func readMark(path string) (mark uint32, size int64, err error) {
	const at = 68
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	var b [4]byte
	if _, err := f.ReadAt(b[:], at); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	return binary.BigEndian.Uint32(b[:]), info.Size(), nil
}

// markOf is the mark of an identity. It is never 0, which says that there is none.
func markOf(identity string) uint32 {
	sum := sha256.Sum256([]byte(identity))
	return max(1, binary.BigEndian.Uint32(sum[:]))
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
	return damaged("%s is not a database of ibid's", in.path)
}

func damaged(format string, args ...any) error {
	return &ibid.Error{Code: ibid.CodeInternal, Message: fmt.Sprintf(format, args...), Err: errForeign}
}

// Identity returns to which data directory the database belongs, "" where it does
// not say.
func (db *DB) Identity(ctx context.Context) (string, error) { return db.Setting(ctx, identitySetting) }

// SetIdentity says to which data directory the database belongs. When it returns,
// the database's file itself says so, and not only its log.
func (db *DB) SetIdentity(ctx context.Context, identity string) error {
	err := db.write(ctx, func(q querier) error {
		if err := setMark(ctx, q, identity); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, identitySetting, identity)
		return err
	})
	if err != nil {
		return fmt.Errorf("note to which data directory the database belongs: %w", err)
	}
	var busy, pages, moved int
	if err := db.readers.QueryRowContext(ctx, "PRAGMA wal_checkpoint(FULL)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("move the log into the database: %w", translate(err))
	}
	switch written, _, err := readMark(db.path); {
	case err != nil:
		return fmt.Errorf("look at the database: %w", err)
	case written != markOf(identity):
		return errors.New("the log could not be moved into the database")
	}
	_, err = db.MarkLog(ctx, identity)
	return err
}

func setMark(ctx context.Context, q querier, identity string) error {
	_, err := q.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(int(int32(markOf(identity)))))
	return err
}

// MarkLog writes the mark once more, so that it stands in the log too: should this
// process be killed, the next one can tell whose log it finds. It reports whether
// the database's file has the mark.
func (db *DB) MarkLog(ctx context.Context, identity string) (inFile bool, err error) {
	mark, _, err := readMark(db.path)
	if err != nil || mark != markOf(identity) {
		return false, err
	}
	return true, db.write(ctx, func(q querier) error { return setMark(ctx, q, identity) })
}
