package database

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newSQLite(t testing.TB, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append([]string{`CREATE TABLE t (a INTEGER, b TEXT)`, `INSERT INTO t VALUES (1, 'x'), (2, 'y')`}, statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// The end of the context stops a query that would go on for ever.
func TestCancelSQLite(t *testing.T) {
	s, err := openSQLite(newSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = s.read(ctx, 1<<20, `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i % 100 = 1`, func(_ []string, values []any) bool {
		if values != nil {
			cancel()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a query that was cancelled: %v", err)
	}
}

// The connection itself cannot write, attach or load, even where a statement
// gets past check.
func TestConnectionCannotWrite(t *testing.T) {
	path := newSQLite(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, statement := range []string{
		`DELETE FROM t`, `UPDATE t SET a = 3`, `CREATE TABLE u (a)`, `DROP TABLE t`, `PRAGMA query_only = OFF; DELETE FROM t`,
		`PRAGMA journal_mode = WAL`, `PRAGMA user_version = 7`, `ATTACH ':memory:' AS m`, `SELECT load_extension('x')`, `VACUUM`,
		`WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2`,
	} {
		err := s.read(t.Context(), 1<<20, statement, each(func([]any) {}))
		if err == nil && statement != `PRAGMA journal_mode = WAL` { // answered with the mode as it is
			t.Errorf("%s ran", statement)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed (%v)", err)
	}
}

// FuzzGuard runs what check allows, and holds that no bytes of the file change.
func FuzzGuard(f *testing.F) {
	for _, s := range refused {
		f.Add(s)
	}
	f.Add(`SELECT * FROM t`)
	f.Add(`WITH x AS (SELECT a FROM t) SELECT x.a, count(*) FROM x GROUP BY 1`)
	f.Add("SELECT [a], `b` FROM \"t\" -- c\n")
	path := newSQLite(f)
	before, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	dir := filepath.Dir(path)
	s, err := openSQLite(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.close)
	f.Fuzz(func(t *testing.T, statement string) {
		_ = check(statement, postgresDialect) // must not panic either
		if check(statement, sqliteDialect) != nil {
			return
		}
		rows := 0
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_ = s.read(ctx, 1<<20, statement, func([]string, []any) bool { rows++; return rows < 100 })
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(before, after) {
			t.Fatalf("%q changed the file (%v)", statement, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%q left files behind: %v, %v", statement, entries, err)
		}
	})
}

// A file that another program writes in WAL mode is read while it is written,
// with what is not yet in the file itself, and reading writes nothing.
func TestWAL(t *testing.T) {
	path := newSQLite(t)
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO t VALUES (3, 'z')`); err != nil {
		t.Fatal(err)
	}
	counted := func() (n any) {
		s, err := openSQLite(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		if err := s.read(t.Context(), 1<<20, `SELECT count(*) FROM t`, each(func(row []any) { n = row[0] })); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := counted(); n != int64(3) {
		t.Errorf("while it is open elsewhere there are %v rows", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := counted(); n != int64(3) {
		t.Errorf("when nobody has it open there are %v rows", n)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("reading has changed the file (%v)", err)
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 { // SQLite itself may leave an empty one
		t.Errorf("reading has written %d bytes", info.Size())
	}
}
