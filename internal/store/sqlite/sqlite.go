// Package sqlite keeps the state of the house in one SQLite file: threads,
// messages, runs with their event logs, and the library. A DB satisfies the
// small Store interfaces of the packages that use it.
//
// There is one writer. Writes from everywhere go through a queue, and those
// that wait together are committed together (group commit): each in a savepoint
// of its own, so that one that fails takes no other with it. Readers run beside
// it on their own connections and see only what is committed.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"

	"ibid"

	sqlitelib "modernc.org/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

// groupLimit bounds how many waiting writes share one commit.
const groupLimit = 256

// DB is an open database. Close it.
type DB struct {
	path    string
	log     *slog.Logger
	readers *sql.DB
	writer  *sql.DB
	conn    *sql.Conn // the writer's only connection
	writes  *statements
	few     int // fewDocuments

	now       func() time.Time // the clock of leases
	joined    sync.Mutex
	processes []*Process // guarded by joined

	spent   bool // the reserve was given up, and there is no room for it
	queue   chan *write
	quit    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

type write struct {
	fn      func(querier) error
	closing bool // ends something; may use the reserve when the disk is full
	err     error
	done    chan struct{}
}

// querier is what a statement runs on.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Open opens, and where needed creates and migrates, the database file at path.
func Open(ctx context.Context, path string, log *slog.Logger) (*DB, error) {
	return open(ctx, path, log, "sqlite")
}

func open(ctx context.Context, path string, log *slog.Logger, driver string) (*DB, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := registerHolds(); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	dsn := func(extra string) string {
		return "file:" + (&url.URL{Path: path}).EscapedPath() +
			"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
			"&_pragma=foreign_keys(ON)&_pragma=cache_size(-16000)&_pragma=temp_store(MEMORY)" + extra
	}
	if err := registerFunctions(); err != nil {
		return nil, err
	}
	writer, err := sql.Open(driver, dsn(""))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	writer.SetMaxOpenConns(1)
	conn, err := writer.Conn(ctx)
	if err != nil {
		writer.Close()
		return nil, fmt.Errorf("open database %s: %w", path, translate(err))
	}
	readers, err := sql.Open(driver, dsn("&_pragma=query_only(ON)"))
	if err != nil {
		writer.Close()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	readers.SetMaxOpenConns(8)
	readers.SetMaxIdleConns(8)
	db := &DB{
		path: path, log: log, readers: readers, writer: writer, conn: conn, writes: newStatements(conn), few: fewDocuments, now: time.Now,
		queue: make(chan *write, groupLimit), quit: make(chan struct{}),
	}
	if err := db.migrate(ctx); err != nil {
		conn.Close()
		writer.Close()
		readers.Close()
		return nil, err
	}
	db.fillReserve()
	db.stopped.Go(db.writeLoop)
	return db, nil
}

// Close waits for the writes under way and closes the database. It may be
// called more than once.
func (db *DB) Close() error {
	var err error
	db.once.Do(func() {
		close(db.quit)
		db.stopped.Wait()
		db.joined.Lock()
		defer db.joined.Unlock()
		for _, p := range db.processes {
			err = errors.Join(err, p.Close())
		}
		err = errors.Join(err, db.readers.Close(), db.writes.close(), db.conn.Close(), db.writer.Close())
		db.leaveReserve()
	})
	return err
}

// Check asks the database for one trivial row.
func (db *DB) Check(ctx context.Context) error {
	var one int
	return translate(db.readers.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Verify runs SQLite's own integrity check; it reads the whole file.
func (db *DB) Verify(ctx context.Context) error { return verify(ctx, db.readers, db.path) }

func verify(ctx context.Context, q *sql.DB, path string) error {
	var verdict string
	if err := q.QueryRowContext(ctx, "PRAGMA quick_check").Scan(&verdict); err != nil {
		return translate(err)
	}
	if verdict != "ok" {
		return &ibid.Error{Code: ibid.CodeInternal, Message: fmt.Sprintf("database %s is damaged: %s", path, verdict), Err: errForeign}
	}
	return nil
}

func (db *DB) migrate(ctx context.Context) error {
	names, err := migrationNames()
	if err != nil {
		return err
	}
	return migrate(ctx, db.conn, names, len(names))
}

// migrationNames lists the migrations in order. How many of them a database has
// had is its format, and stands in its user_version.
func migrationNames() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	sort.Strings(names)
	return names, err
}

// migrate brings a database to a format.
func migrate(ctx context.Context, conn *sql.Conn, names []string, format int) error {
	var have int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return fmt.Errorf("read the database's version: %w", translate(err))
	}
	if have > len(names) {
		return newerFormat(have, len(names))
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
			return fmt.Errorf("migrate the database with %s: %w", name, translate(err))
		}
	}
	return nil
}

func newerFormat(have, known int) error {
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
		return "", fmt.Errorf("look at the database's tables: %w", translate(err))
	}
	if was {
		return names[have-1], nil
	}
	return names[have], nil
}

// write queues fn and waits until its effects are on disk, or refused. A
// context that ends while fn waits does not take it back.
func (db *DB) write(ctx context.Context, fn func(querier) error) error {
	return db.submit(ctx, &write{fn: fn, done: make(chan struct{})})
}

func (db *DB) submit(ctx context.Context, w *write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.queue <- w:
	case <-db.quit:
		return errors.New("the database is closed")
	}
	select {
	case <-w.done:
		return w.err
	case <-db.quit:
		// The loop drains the queue before it ends; wait for the verdict.
		db.stopped.Wait()
		select {
		case <-w.done:
			return w.err
		default:
			return errors.New("the database is closed")
		}
	}
}

func (db *DB) writeLoop() {
	for {
		var group []*write
		select {
		case w := <-db.queue:
			group = append(group, w)
		case <-db.quit:
			for {
				select {
				case w := <-db.queue:
					group = append(group, w)
					continue
				default:
				}
				break
			}
			db.commit(group)
			return
		}
	gather:
		for len(group) < groupLimit {
			select {
			case w := <-db.queue:
				group = append(group, w)
			default:
				break gather
			}
		}
		db.commit(group)
	}
}

// commit runs a group in one transaction and tells each write its verdict. When
// the disk is full, only what ends something is tried again, with the reserve
// given up; while that is so, nothing else is tried.
func (db *DB) commit(group []*write) {
	if db.spent {
		db.fillReserve()
	}
	if db.spent {
		var others []*write
		group, others = closingOf(group)
		settle(others, errFull)
	}
	if len(group) == 0 {
		return
	}
	err := db.tryCommit(group)
	if isFull(err) {
		closing, others := closingOf(group)
		settle(others, err)
		if group = closing; len(closing) > 0 && db.dropReserve() {
			db.log.Error("disk full: the reserve was given up to close what is running", "path", db.path)
			err = db.tryCommit(closing)
		}
	}
	settle(group, err)
}

// closingOf divides a group into what ends something and what does not.
func closingOf(group []*write) (closing, others []*write) {
	for _, w := range group {
		if w.closing {
			closing = append(closing, w)
		} else {
			others = append(others, w)
		}
	}
	return closing, others
}

func settle(group []*write, err error) {
	for _, w := range group {
		if err != nil {
			w.err = translate(err)
		}
		close(w.done)
	}
}

func (db *DB) tryCommit(group []*write) (err error) {
	ctx := context.Background()
	if _, err := db.writes.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			// A full disk rolls back by itself; then this fails, harmlessly.
			_, _ = db.conn.ExecContext(ctx, "ROLLBACK")
		}
	}()
	for _, w := range group {
		if w.err, err = db.savepoint(ctx, w); err != nil {
			return err
		}
	}
	if _, err := db.writes.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// savepoint runs one write of a group. verdict is the write's own error; broken
// means that the whole transaction is lost.
func (db *DB) savepoint(ctx context.Context, w *write) (verdict, broken error) {
	if _, err := db.writes.ExecContext(ctx, "SAVEPOINT w"); err != nil {
		return nil, err
	}
	verdict = runGuarded(w.fn, db.writes)
	if isFull(verdict) {
		return nil, verdict
	}
	if verdict != nil {
		if _, err := db.conn.ExecContext(ctx, "ROLLBACK TO w"); err != nil {
			return nil, errors.Join(verdict, err)
		}
	}
	if _, err := db.writes.ExecContext(ctx, "RELEASE w"); err != nil {
		return nil, err
	}
	return translate(verdict), nil
}

func runGuarded(fn func(querier) error, q querier) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a database write: %v", p)
		}
	}()
	return fn(q)
}

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

func isFull(err error) bool {
	return primaryCode(err) == codeFull || err != nil && strings.Contains(err.Error(), "no space left on device")
}

func isConstraint(err error) bool { return primaryCode(err) == codeConstraint }

// translate gives the errors that a person can do something about their words.
func translate(err error) error {
	if err == nil {
		return nil
	}
	if isFull(err) {
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

func millis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
