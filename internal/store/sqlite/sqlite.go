// Package sqlite keeps the state of ibid in one SQLite file: threads, messages, runs
// with their event logs, and the library. A DB satisfies the small Store interfaces
// of the packages that use it.
//
//	file      the connections, group commit, the reserve for a full disk
//	schema    the migrations, and the functions that triggers call
//	conversation   threads, messages, runs with their logs
//	seen      what a view sees, in SQL
//	process   which processes work on the file, and hints between them
//	inspect   a look at a file before it is opened
//	salvage   what can be read of a damaged file
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ibid/internal/store/sqlite/conversation"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/process"
	"ibid/internal/store/sqlite/schema"
)

// DB is an open database. Close it.
type DB struct {
	*conversation.Store

	file     *file.File
	path     string
	log      *slog.Logger
	readOnly *sql.DB
	few      int // fewDocuments

	now       func() time.Time // the clock of leases
	joined    sync.Mutex
	processes []*process.Process // guarded by joined
}

// Open opens, and where needed creates and migrates, the database file at path.
func Open(ctx context.Context, path string, log *slog.Logger) (*DB, error) {
	return open(ctx, path, log, "sqlite")
}

func open(ctx context.Context, path string, log *slog.Logger, driver string) (*DB, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := errors.Join(conversation.RegisterHolds(), schema.Register()); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	f, err := file.Open(ctx, path, driver, log, migrate)
	if err != nil {
		return nil, err
	}
	return &DB{Store: conversation.New(f, path, time.Now), file: f, path: path, log: log, readOnly: f.ReadOnly, few: fewDocuments, now: time.Now}, nil
}

func migrate(ctx context.Context, conn *sql.Conn) error {
	names, err := schema.Names()
	if err != nil {
		return err
	}
	return schema.Migrate(ctx, conn, names, len(names))
}

// Close waits for the writes under way, leaves the other processes, and closes the
// database. It may be called more than once.
func (db *DB) Close() error {
	db.file.Drain()
	db.joined.Lock()
	defer db.joined.Unlock()
	var err error
	for _, p := range db.processes {
		err = errors.Join(err, p.Close())
	}
	return errors.Join(err, db.file.Close())
}

// Join makes this opener of the database known to the others. Close leaves them.
func (db *DB) Join() (*process.Process, error) {
	p, err := process.Join(db.path, db.log)
	if err != nil {
		return nil, err
	}
	db.joined.Lock()
	defer db.joined.Unlock()
	db.processes = append(db.processes, p)
	return p, nil
}

// Check asks the database for one trivial row.
func (db *DB) Check(ctx context.Context) error {
	var one int
	return translate(db.readOnly.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Verify runs SQLite's own integrity check; it reads the whole file.
func (db *DB) Verify(ctx context.Context) error { return file.Verify(ctx, db.readOnly, db.path) }

// What every file of this package uses of the ones below.
type querier = file.Querier

func (db *DB) write(ctx context.Context, fn func(querier) error) error { return db.file.Write(ctx, fn) }

// closing is write for what ends or removes something: on a full disk it may use the
// reserve.
func (db *DB) closing(ctx context.Context, fn func(querier) error) error {
	return db.file.Closing(ctx, fn)
}

func translate(err error) error { return file.Translate(err) }

func collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	return file.Collect(rows, scan)
}

func millis(t time.Time) int64 { return file.Millis(t) }

func fromMillis(ms int64) time.Time { return file.FromMillis(ms) }
