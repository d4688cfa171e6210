//go:build unix

package database_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/database"
	"ibid/internal/ibidtest"
)

// startPostgres starts a server of its own in a directory that goes with the
// test, and returns the connection string of its owner. PostgreSQL refuses to
// run as root, so there it runs as somebody less.
func startPostgres(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		t.Skip("no initdb of PostgreSQL is installed")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "pg") // short: it holds a socket; open: its owner is another user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var as *syscall.Credential
	if os.Getuid() == 0 {
		as = lesser(t)
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C", "HOME=" + dir}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		return cmd
	}
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("ge:he@im"), 0o644); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if out, err := command("initdb", "-D", data, "-U", "owner", "--pwfile", password, "-A", "scram-sha-256", "-N", "-E", "UTF8").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	options := fmt.Sprintf("-k %s -h '' -F -c shared_buffers=16MB -c max_connections=20", dir)
	log := filepath.Join(dir, "log")
	if out, err := command("pg_ctl", "start", "-w", "-t", "60", "-D", data, "-l", log, "-o", options).CombinedOutput(); err != nil {
		said, _ := os.ReadFile(log)
		t.Fatalf("start PostgreSQL: %v\n%s\n%s", err, out, said)
	}
	t.Cleanup(func() {
		if out, err := command("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data).CombinedOutput(); err != nil {
			t.Errorf("stop PostgreSQL: %v\n%s", err, out)
		}
	})
	return fmt.Sprintf("postgres://owner:ge%%3Ahe%%40im@/postgres?host=%s", dir)
}

func lesser(t *testing.T) *syscall.Credential {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Skip("PostgreSQL does not run as root, and there is no lesser user")
	return nil
}

// execute runs statements as the owner, past our own walls.
func execute(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if last := results[len(results)-1]; len(last.Rows) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}

func TestPostgres(t *testing.T) {
	dsn := startPostgres(t)
	execute(t, dsn, `
		CREATE TABLE customers (id integer PRIMARY KEY, name text NOT NULL, city varchar(40), since date);
		CREATE TABLE orders (id bigserial PRIMARY KEY, customer_id integer REFERENCES customers (id), total numeric(10, 2), paid boolean, at timestamptz);
		CREATE SCHEMA staff; CREATE TABLE staff."Odd ""table;" ("a b" text, "select" integer);
		INSERT INTO customers VALUES (1, 'Ada', 'Berlin', '2020-01-02'), (2, 'Bob', NULL, NULL);
		INSERT INTO orders (customer_id, total, paid, at) VALUES (1, 10.50, true, '2024-05-06 07:08:09+00'), (1, 20, false, NULL), (2, 7.25, true, NULL);
		INSERT INTO staff."Odd ""table;" VALUES ('x', 1);
		CREATE FUNCTION strike() RETURNS integer LANGUAGE sql AS 'DELETE FROM orders RETURNING 1';
		CREATE VIEW trap AS SELECT strike() AS n;`)
	c, _ := newCatalog(t, database.Limits{Rows: 100, Time: 2 * time.Minute})

	d := add(t, c, dsn)
	t.Run("described", func(t *testing.T) {
		var names []string
		for _, table := range d.Tables {
			names = append(names, table.Name)
		}
		if want := []string{"customers", "orders", "trap", `staff.Odd "table;`}; !slices.Equal(names, want) {
			t.Fatalf("tables %q", names)
		}
		id, customer := d.Tables[1].Columns[0], d.Tables[1].Columns[1]
		if !id.Key || id.Type != "bigint" || customer.References != "customers.id" || d.Tables[1].Rows != 3 || d.Tables[3].Rows != 1 {
			t.Errorf("described as %+v", d.Tables)
		}
		if v := d.Tables[1].Columns[2].Values; !slices.Equal(v, []string{"10.50", "20.00", "7.25"}) {
			t.Errorf("values %q", v)
		}
		_, found, err := c.Describe(t.Context(), access.For(ibid.Owner), d.ID, "orders from berlin")
		if want := []ibid.DatabaseMatch{{Table: "customers", Column: "city", Value: "Berlin"}}; err != nil || !slices.Equal(found, want) {
			t.Errorf("found %v, %v", found, err)
		}
	})
	t.Run("asked", func(t *testing.T) {
		for statement, want := range map[string]string{
			`SELECT sum(total), count(*) FROM orders`: "37.75|3",
			`SELECT c.name, count(*) FROM orders AS o JOIN customers AS c ON c.id = o.customer_id GROUP BY 1 ORDER BY 2 DESC;`: "Ada|2\nBob|1",
			`SELECT paid, at AT TIME ZONE 'UTC', city FROM orders LEFT JOIN customers ON false ORDER BY orders.id LIMIT 1`:     "true|2024-05-06 07:08:09|",
			`SELECT "select" FROM staff."Odd ""table;"`: "1",
			`SELECT 1 WHERE false`:                      "",
		} {
			if got := rows(query(t, c, d.ID, statement)); got != want {
				t.Errorf("%s gives %q, want %q", statement, got, want)
			}
		}
		if table := query(t, c, d.ID, `SELECT id FROM orders WHERE false`); !slices.Equal(table.Columns, []string{"id"}) {
			t.Errorf("an empty result has the columns %v", table.Columns)
		}
	})
	t.Run("no secret is shown", func(t *testing.T) {
		_, err := c.Query(t.Context(), access.For(ibid.Owner), d.ID, `SELECT nix FROM orders`)
		if err == nil || !strings.Contains(err.Error(), `column "nix" does not exist`) {
			t.Errorf("an unknown column: %v", err)
		}
		wrong := strings.Replace(dsn, "%40im", "%40xx", 1)
		_, refusal := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(wrong)})
		if refusal == nil || !strings.Contains(refusal.Error(), "password authentication failed") {
			t.Errorf("a wrong password: %v", refusal)
		}
		for _, shown := range []string{err.Error(), refusal.Error(), d.Place, fmt.Sprintf("%+v", d)} {
			if strings.Contains(shown, "ge:he") || strings.Contains(shown, "ge%3A") {
				t.Errorf("shown: %s", shown)
			}
		}
	})
	// The view is a statement that check cannot see through: the transaction is
	// read-only.
	t.Run("nothing is written", func(t *testing.T) {
		_, err := c.Query(t.Context(), access.For(ibid.Owner), d.ID, `SELECT * FROM trap`)
		if err == nil || !strings.Contains(err.Error(), "read-only transaction") {
			t.Errorf("a view that writes: %v", err)
		}
		if n := execute(t, dsn, `SELECT count(*) FROM orders`); n != "3" {
			t.Errorf("%s orders are left", n)
		}
	})
	t.Run("limits", func(t *testing.T) {
		if table := query(t, c, d.ID, `SELECT generate_series(1, 100000000)`); len(table.Rows) != 100 || !table.Truncated {
			t.Errorf("%d rows, truncated %v", len(table.Rows), table.Truncated)
		}
		ibidtest.Patiently(t, 300*time.Millisecond, func(limit time.Duration) error { // which is also that of looking at it
			short, _ := newCatalog(t, database.Limits{Time: limit})
			s, err := short.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(dsn)})
			if err != nil {
				return err
			}
			if _, err := short.Query(t.Context(), access.For(ibid.Owner), s.ID, endless); ibid.CodeOf(err) != ibid.CodeTimeout {
				t.Errorf("a query without end: %v", err)
			}
			return nil
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.Query(ctx, access.For(ibid.Owner), d.ID, endless)
			done <- err
		}()
		running := func() string {
			return execute(t, dsn, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ibid' AND state = 'active'`)
		}
		for running() != "1" {
			select {
			case err := <-done:
				t.Fatalf("it ended by itself: %v", err)
			default:
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a query that was cancelled: %v", err)
		}
		for running() != "0" { // the server has stopped it too, or the test does not end
		}
	})
}

const endless = `SELECT count(*) FROM generate_series(1, 1000000) AS a(n), generate_series(1, 1000000) AS b(n)`
