// Package file keeps one SQLite file open: its connections, the queue of its writes
// and its reserve for a full disk. What stands in its tables is not its affair.
//
// There is one writer. Writes from everywhere go through a queue, and those
// that wait together are committed together (group commit): each in a savepoint
// of its own, so that one that fails takes no other with it. Reads run beside
// it on their own connections and see only what is committed.
package file

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
)

// File is an open database file. Close it.
type File struct {
	// ReadOnly are the connections that only read.
	ReadOnly *sql.DB

	path   string
	log    *slog.Logger
	writer *sql.DB
	conn   *sql.Conn // the writer's only connection
	writes *statements

	spent   bool // the reserve was given up, and there is no room for it
	queue   chan *write
	quit    chan struct{}
	stopped sync.WaitGroup
	drain   sync.Once
	close   sync.Once
}

// Querier is what a statement runs on.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Open opens, and where needed creates, the database file at path by a registered
// driver. migrate is given the writer's connection before anything else.
func Open(ctx context.Context, path, driver string, log *slog.Logger, migrate func(ctx context.Context, conn *sql.Conn) error) (*File, error) {
	dsn := func(extra string) string {
		return DSN(path) +
			"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
			"&_pragma=foreign_keys(ON)&_pragma=cache_size(-16000)&_pragma=temp_store(MEMORY)" + extra
	}
	writer, err := sql.Open(driver, dsn(""))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	writer.SetMaxOpenConns(1)
	conn, err := writer.Conn(ctx)
	if err != nil {
		writer.Close()
		return nil, fmt.Errorf("open database %s: %w", path, Translate(err))
	}
	readOnly, err := sql.Open(driver, dsn("&_pragma=query_only(ON)"))
	if err != nil {
		writer.Close()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	readOnly.SetMaxOpenConns(8)
	readOnly.SetMaxIdleConns(8)
	db := &File{
		ReadOnly: readOnly, path: path, log: log, writer: writer, conn: conn, writes: newStatements(conn),
		queue: make(chan *write, groupLimit), quit: make(chan struct{}),
	}
	if err := migrate(ctx, conn); err != nil {
		conn.Close()
		writer.Close()
		readOnly.Close()
		return nil, err
	}
	db.fillReserve()
	db.stopped.Go(db.writeLoop)
	return db, nil
}

// DSN is the name of a file for SQLite's driver, without parameters.
func DSN(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// Drain waits for the writes under way. None is taken any more.
func (db *File) Drain() {
	db.drain.Do(func() {
		close(db.quit)
		db.stopped.Wait()
	})
}

// Close waits for the writes under way and closes the file. It may be called more
// than once.
func (db *File) Close() error {
	db.Drain()
	var err error
	db.close.Do(func() {
		err = errors.Join(db.ReadOnly.Close(), db.writes.close(), db.conn.Close(), db.writer.Close())
		db.leaveReserve()
	})
	return err
}
