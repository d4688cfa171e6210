package database_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/database"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// newCatalog returns a catalog over a fresh data directory.
func newCatalog(t *testing.T, limits database.Limits) (*database.Catalog, string) {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	c := database.New(database.Config{Dir: filepath.Join(dir, "databases"), Forbidden: dir, Store: db, Limits: limits, FileBytes: 10 << 20,
		KeepRemoved: time.Hour, Now: time.Now, NewID: func() string { n++; return fmt.Sprint(n) }})
	t.Cleanup(func() { c.Close(); db.Close() })
	return c, dir
}

// shop makes a SQLite file.
func shop(t *testing.T, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append([]string{
		`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)`,
		`CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL, placed DATE, note TEXT)`,
		`INSERT INTO customers VALUES (1, 'Ada', 'Berlin'), (2, 'Bob', 'Paris'), (3, 'Cléo', 'Berlin'), (4, 'Dan', NULL)`,
		`INSERT INTO orders VALUES (1, 1, 10.5, '2024-01-05', 'first'), (2, 1, 20, '2024-02-06', NULL), (3, 2, 7.25, '2024-03-07', x'00ff')`,
		`CREATE VIEW berliners AS SELECT name FROM customers WHERE city = 'Berlin'`,
	}, more...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

func add(t *testing.T, c *database.Catalog, source string) ibid.Database {
	t.Helper()
	d, err := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(source)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func query(t *testing.T, c *database.Catalog, id, statement string) ibid.Table {
	t.Helper()
	table, err := c.Query(t.Context(), access.For(ibid.Owner), id, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return table
}

func rows(table ibid.Table) string {
	var lines []string
	for _, r := range table.Rows {
		lines = append(lines, strings.Join(r, "|"))
	}
	return strings.Join(lines, "\n")
}

func TestSQLiteFile(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	path := shop(t)
	d := add(t, c, path)
	if d.Name != "shop" || d.Kind != ibid.DatabaseSQLite || d.Place != path || len(d.Tables) != 3 {
		t.Fatalf("attached as %+v", d)
	}
	orders := d.Tables[slices.IndexFunc(d.Tables, func(t ibid.DatabaseTable) bool { return t.Name == "orders" })]
	if orders.Rows != 3 || orders.MoreRows {
		t.Errorf("orders has %d rows", orders.Rows)
	}
	if c := orders.Columns[0]; !c.Key || c.Type != "integer" {
		t.Errorf("the key is %+v", c)
	}
	if c := orders.Columns[1]; c.References != "customers.id" {
		t.Errorf("the foreign key is %+v", c)
	}
	if v := orders.Columns[3].Values; !slices.Equal(v, []string{"2024-01-05", "2024-02-06", "2024-03-07"}) {
		t.Errorf("values of a date: %q", v)
	}
	for statement, want := range map[string]string{
		`SELECT count(*) FROM orders`:                        "3",
		`SELECT total, note, placed FROM orders ORDER BY id`: "10.5|first|2024-01-05\n20||2024-02-06\n7.25|(2 bytes)|2024-03-07",
		`SELECT name FROM berliners ORDER BY 1`:              "Ada\nCléo",
		`SELECT c.name, sum(o.total) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id ORDER BY 2 DESC`: "Ada|30.5\nBob|7.25",
	} {
		if got := rows(query(t, c, d.ID, statement)); got != want {
			t.Errorf("%s gives\n%s\nwant\n%s", statement, got, want)
		}
	}
	_, err := c.Query(t.Context(), access.For(ibid.Owner), d.ID, `SELECT nix FROM orders`)
	if ibid.CodeOf(err) != ibid.CodeBadRequest || !strings.Contains(err.Error(), "no such column: nix") {
		t.Errorf("an unknown column: %v", err)
	}
	again := add(t, c, path)
	if again.ID != d.ID {
		t.Errorf("the same file was attached twice: %s, %s", d.ID, again.ID)
	}
}

// A question's words are found among the values.
func TestMatches(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	d := add(t, c, shop(t))
	_, found, err := c.Describe(t.Context(), access.For(ibid.Owner), "SHOP", "How many customers are from BERLIN? Ada'; DROP TABLE orders; --")
	if err != nil {
		t.Fatal(err)
	}
	if want := []ibid.DatabaseMatch{{Table: "customers", Column: "name", Value: "Ada"}, {Table: "customers", Column: "city", Value: "Berlin"},
		{Table: "berliners", Column: "name", Value: "Ada"}}; !slices.Equal(found, want) {
		t.Errorf("found %+v in %s", found, d.Name)
	}
}

func TestLimits(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{Rows: 2, Bytes: 1000, Time: 2 * time.Minute})
	d := add(t, c, shop(t))
	if table := query(t, c, d.ID, `SELECT id FROM customers`); len(table.Rows) != 2 || !table.Truncated {
		t.Errorf("%d rows, truncated %v", len(table.Rows), table.Truncated)
	}
	const many = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)`
	wide := query(t, c, d.ID, many+` SELECT hex(hex(hex(hex(hex('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'))))) FROM n`)
	if len(wide.Rows) != 0 || !wide.Truncated {
		t.Errorf("%d rows beyond the limit of bytes", len(wide.Rows))
	}
	path := shop(t)
	ibidtest.Patiently(t, 300*time.Millisecond, func(limit time.Duration) error { // which is also that of looking at it, and of the last query
		c, _ := newCatalog(t, database.Limits{Time: limit})
		d, err := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(path)})
		if err != nil {
			return err
		}
		if _, err := c.Query(t.Context(), access.For(ibid.Owner), d.ID, many+` SELECT count(*) FROM n`); ibid.CodeOf(err) != ibid.CodeTimeout {
			t.Fatalf("a query without end: %v", err)
		}
		if table, err := c.Query(t.Context(), access.For(ibid.Owner), d.ID, `SELECT 1`); err != nil || rows(table) != "1" {
			return fmt.Errorf("after a query was stopped: %+v, %v", table, err)
		}
		return nil
	})
}

// What must not be attached is refused, and nothing is kept of it.
func TestNotAttached(t *testing.T) {
	c, dir := newCatalog(t, database.Limits{})
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(filepath.Join(dir, "ibid.db"), link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	text := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for source, code := range map[string]ibid.Code{
		filepath.Join(dir, "ibid.db"): ibid.CodeForbidden,
		link:                          ibid.CodeForbidden,
		"shop.db":                     ibid.CodeBadRequest,
		"/nowhere/shop.db":            ibid.CodeBadRequest,
		t.TempDir():                   ibid.CodeBadRequest,
		text:                          ibid.CodeBadRequest,
		"postgres://u:geheim@127.0.0.1:1/x?sslmode=disable": ibid.CodeBadRequest,
		"postgres://u:geheim@[/x":                           ibid.CodeBadRequest,
	} {
		_, err := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(source)})
		if ibid.CodeOf(err) != code {
			t.Errorf("%s: %v", source, err)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
	if all, err := c.Databases(t.Context(), access.For(ibid.Owner), ibid.Scope{}); err != nil || len(all) != 0 {
		t.Errorf("kept %v, %v", all, err)
	}
}

func TestRemoveAndRestore(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	d := add(t, c, shop(t))
	if _, err := c.Remove(t.Context(), access.For(ibid.Owner), "shop"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query(t.Context(), access.For(ibid.Owner), d.ID, `SELECT 1`); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("asked after removal: %v", err)
	}
	other := add(t, c, shop(t))
	back, err := c.Restore(t.Context(), access.For(ibid.Owner), d.ID)
	if err != nil || back.ID != d.ID || back.Name != "shop-2" || other.Name != "shop" {
		t.Errorf("restored %+v beside %+v: %v", back, other, err)
	}
	if _, err := c.Restore(t.Context(), access.For(ibid.Owner), d.ID); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("restored twice: %v", err)
	}
	if got := rows(query(t, c, d.ID, `SELECT count(*) FROM orders`)); got != "3" {
		t.Errorf("after restoring: %s", got)
	}
}

func TestScope(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	one, two := add(t, c, shop(t)), add(t, c, shop(t))
	for _, tc := range []struct {
		scope ibid.Scope
		want  []string
	}{
		{ibid.Scope{}, []string{one.ID, two.ID}},
		{ibid.Scope{Databases: []string{two.ID}}, []string{two.ID}},
		{ibid.Scope{Documents: []string{"d"}}, nil},
		{ibid.Scope{Folder: "x", Databases: []string{one.ID}}, []string{one.ID}},
	} {
		all, err := c.Databases(t.Context(), access.For(ibid.Owner), tc.scope)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, d := range all {
			ids = append(ids, d.ID)
		}
		if !slices.Equal(ids, tc.want) {
			t.Errorf("%+v holds %v", tc.scope, ids)
		}
	}
	raw, err := json.Marshal(ibid.Request{Scope: ibid.Scope{Databases: []string{"x"}}})
	if err != nil || !strings.Contains(string(raw), `"databases":["x"]`) {
		t.Errorf("a scope of databases is written as %s, %v", raw, err)
	}
}

// A secret shows nothing, however it is printed.
func TestSecret(t *testing.T) {
	d := ibid.Database{Source: "geheim"}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "database", d, "source", d.Source)
	raw, err := json.Marshal(map[string]any{"d": d, "s": d.Source})
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprint(d), fmt.Sprintf("%+v %#v %q %x %s", d, d, d.Source, d.Source, d.Source), string(raw), log.String()} {
		if strings.Contains(shown, "geheim") || strings.Contains(shown, "67656865696d") {
			t.Errorf("shown: %s", shown)
		}
	}
}
