package database

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	s, err := openSQLite(newSQLite(t), t.TempDir())
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
	s, err := openSQLite(path, t.TempDir())
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
	s, err := openSQLite(path, f.TempDir())
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

// A file in WAL mode is read with what is not yet in the file itself, whoever has
// it open, and reading leaves nothing beside it and changes nothing.
func TestWAL(t *testing.T) {
	path := newSQLite(t)
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO t VALUES (3, 'z')`); err != nil {
		t.Fatal(err)
	}
	beside := func(path string) map[string]string {
		files := map[string]string{}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			raw, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(e.Name(), "-shm") {
				raw = nil // it is there to be shared
			}
			files[e.Name()] = string(raw)
		}
		return files
	}
	copies := t.TempDir()
	look := func(when, path string, want int64) {
		t.Helper()
		before := beside(path)
		s, err := openSQLite(path, copies)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var n any
			if err := s.read(t.Context(), 1<<20, `SELECT count(*) FROM t`, each(func(row []any) { n = row[0] })); err != nil || n != want {
				t.Errorf("%s there are %v rows, not %d (%v)", when, n, want, err)
			}
		}
		s.close()
		if after := beside(path); !maps.Equal(before, after) {
			t.Errorf("reading %s has left %v where there was %v", when, slices.Collect(maps.Keys(after)), slices.Collect(maps.Keys(before)))
		}
		if left, err := os.ReadDir(copies); err != nil || len(left) > 0 {
			t.Errorf("reading %s has left copies: %v, %v", when, left, err)
		}
	}
	look("while it is open elsewhere", path, 3)
	left := filepath.Join(t.TempDir(), "left.db") // as a program leaves it that dies
	for _, ending := range []string{"", "-wal"} {
		raw, err := os.ReadFile(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+ending, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look("when its program has died", left, 3)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	look("when nobody has it open", path, 3)
}
