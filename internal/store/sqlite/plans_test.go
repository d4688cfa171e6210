package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// recordedDriver is SQLite's, and keeps every statement that it is given, with the
// number of its arguments.
const recordedDriver = "recorded sqlite"

var statements sync.Map // SQL → number of arguments

func init() { sql.Register(recordedDriver, recorder{}) }

type recorder struct{}

func (recorder) Open(dsn string) (driver.Conn, error) {
	db, err := sql.Open("sqlite", dsn) // for its driver, which has the functions
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Driver().Open(dsn)
	if err != nil {
		return nil, err
	}
	return recordedConn{conn.(sqliteConn)}, nil
}

// sqliteConn is what the driver's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
}

type recordedConn struct{ sqliteConn }

func (c recordedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.sqliteConn.PrepareContext(ctx, query)
	if err == nil {
		statements.Store(query, strings.Count(query, "?"))
	}
	return stmt, err
}

func (c recordedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	statements.Store(query, len(args))
	return c.sqliteConn.QueryContext(ctx, query, args)
}

func (c recordedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	statements.Store(query, len(args))
	return c.sqliteConn.ExecContext(ctx, query, args)
}

// rare are beginnings of statements that may look at a whole table: they run at a
// start, in the background, or when somebody asks for just that.
var rare = []string{
	"DELETE FROM versions WHERE rowid IN",      // SweepVersions, in the background: it looks at the runs that are worked on
	"SELECT d.id, d.change, c.id FROM (SELECT", // ChunkSets, which scans the page that it has chosen
	"SELECT key FROM entities WHERE (instr(",   // EntityKeys, of a name that nothing has: it may be a part of any
}

// TestMain checks the plans of all statements that the tests of this package have
// run: none may look at every row of a table that grows.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := checkPlans(); err != nil {
			fmt.Println("FAIL:", err)
			code = 1
		}
	}
	os.Exit(code)
}

func checkPlans() error {
	dir, err := os.MkdirTemp("", "ibid-plans-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ibid.db")
	own, err := sqlite.Open(context.Background(), path, nil)
	if err != nil {
		return err
	}
	defer own.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	bodies, err := triggerBodies(db)
	if err != nil {
		return err
	}
	all := bodies
	statements.Range(func(query, _ any) bool {
		all = append(all, query.(string))
		return true
	})
	slices.Sort(all)
	var found []string
	for _, query := range slices.Compact(all) {
		if isRare(query) || !planned.MatchString(query) {
			continue
		}
		scans, err := scansOf(db, query)
		if err != nil {
			return fmt.Errorf("explain %s: %w", query, err)
		}
		if len(scans) > 0 {
			found = append(found, strings.Join(scans, "; ")+"\n    "+query)
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%d statements look at every row of a table:\n  %s", len(found), strings.Join(found, "\n  "))
	}
	return nil
}

var planned = regexp.MustCompile(`(?i)^\s*(?:select|insert|update|delete|with)\b`)

func isRare(query string) bool {
	flat := strings.Join(strings.Fields(query), " ")
	return slices.ContainsFunc(rare, func(beginning string) bool { return strings.HasPrefix(flat, beginning) })
}

// A walk in the order of a list ends when the page is full, few runs wait, and few
// documents are in work; json_each, a subquery
// and the tables of one row are no tables that grow. Virtual tables are looked up by
// what they match.
var (
	scan     = regexp.MustCompile(`^SCAN (\S+)(.*)$`)
	harmless = regexp.MustCompile(`USING (?:COVERING )?INDEX (?:document_keys_by_(?:name|added|changed)|threads_by_time|runs_waiting|runs_working)\b|VIRTUAL TABLE INDEX`)
	small    = []string{"library", "named", "databases", "sqlite_schema", "CONSTANT", "json_each", "doomed", "p", "i", "w", "j", "n", "b", "below", "up",
		"document_leases", "held_versions"}
)

// scansOf returns the parts of a statement's plan that look at every row of a table.
func scansOf(db *sql.DB, query string) ([]string, error) {
	query = named.ReplaceAllString(query, "?")
	parameters := strings.Count(query, "?")
	for _, m := range numbered.FindAllStringSubmatch(query, -1) {
		n, _ := strconv.Atoi(m[1])
		parameters = max(parameters, n)
	}
	args := make([]any, parameters)
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var scans []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return nil, err
		}
		if m := scan.FindStringSubmatch(detail); m != nil && !slices.Contains(small, m[1]) && !strings.HasPrefix(m[1], "(subquery") && !harmless.MatchString(m[2]) {
			scans = append(scans, detail)
		}
	}
	return scans, rows.Err()
}

var (
	triggerBody = regexp.MustCompile(`(?is)\bBEGIN\b(.*)\bEND\s*$`)
	rowOf       = regexp.MustCompile(`\b(?:NEW|OLD)\.\w+`)
	named       = regexp.MustCompile(`@\w+`)
	numbered    = regexp.MustCompile(`\?(\d+)`)
	comment     = regexp.MustCompile(`--[^\n]*`)
)

// triggerBodies returns the statements of all triggers, with arguments for the
// columns of the row.
func triggerBodies(db *sql.DB) ([]string, error) {
	rows, err := db.Query(`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var bodies []string
	for rows.Next() {
		var trigger string
		if err := rows.Scan(&trigger); err != nil {
			return nil, err
		}
		body := triggerBody.FindStringSubmatch(comment.ReplaceAllString(trigger, ""))
		if body == nil {
			return nil, fmt.Errorf("a trigger without a body: %s", trigger)
		}
		for statement := range strings.SplitSeq(body[1], ";") {
			if statement = strings.TrimSpace(rowOf.ReplaceAllString(statement, "?")); statement != "" {
				bodies = append(bodies, statement)
			}
		}
	}
	return bodies, rows.Err()
}

// TestStatementsOfAnAddedFile runs the statements of the pipeline, for checkPlans.
func TestStatementsOfAnAddedFile(t *testing.T) {
	db, ctx, now := open(t), t.Context(), time.UnixMilli(1_700_000_000_000)
	x := ibid.Extract{Text: "The mill was sold by Anna Berg.", Blocks: []ibid.Block{{Kind: ibid.BlockParagraph, End: 31}}}
	chunks := []ibid.Chunk{{ID: "c1", DocumentID: "d1", Version: "v1", Level: 2, End: 31, Text: x.Text}}
	named := []ibid.Naming{{ChunkID: "c1", Entities: []ibid.Entity{{Key: "anna berg", Name: "Anna Berg", Count: 1}}}}
	_, _, err := db.PutDocument(ctx, ibid.Document{Principal: ibid.Owner, ID: "d1", Name: "a.md", Source: "/a.md", AddedAt: ibid.At(now), ChangeAt: ibid.At(now)}, "v1")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	d, l, _, ok, err := db.ClaimDocument(ctx, "p", time.Minute, 3)
	if err != nil || !ok || l.Version != "v1" {
		t.Fatalf("the next one is %+v, %+v, %v, %v", d, l, ok, err)
	}
	d.Stage, d.Progress, d.Version, d.Chunks = "chunk", 0.5, l.Version, 1
	must(db.SetProgress(ctx, l, d))
	must(db.RenewDocument(ctx, l, time.Minute))
	d, _, err = db.FinishDocument(ctx, l, d, x, chunks, named, now)
	must(err)
	d.Status = ibid.DocumentReady
	must(db.SettleDocument(ctx, l, d))
	_, err = ibidtest.Whole(db.DocumentChunks(ctx, access.For(ibid.Owner), "d1", ibidtest.Everything))
	must(err)
	_, err = db.Extract(ctx, access.For(ibid.Owner), "d1", "")
	must(err)
	_, err = db.DocumentsByID(ctx, access.For(ibid.Owner), []string{"d1"})
	must(err)
	_, err = ibidtest.Whole(db.Members(ctx, access.For(ibid.Owner), "d1", ibidtest.Everything))
	must(err)
	_, _, err = db.Below(ctx, access.For(ibid.Owner), "/a.md")
	must(err)
	for _, scope := range []ibid.Scope{{}, {Documents: []string{"d1"}}} {
		found, err := db.PassagesNaming(ctx, access.For(ibid.Owner), []string{"anna berg"}, scope, 10)
		if err != nil || len(found["anna berg"]) != 1 {
			t.Errorf("in %+v Anna Berg is named by %v, %v", scope, found, err)
		}
	}
	counted := func(want map[ibid.NamedBy]int, wantEntities int) {
		t.Helper()
		passages, entities, err := db.NamingCounts(ctx)
		if err != nil || !maps.Equal(passages, want) || entities != wantEntities {
			t.Errorf("passages are named by %v, with %d entities, %v; want %v and %d", passages, entities, err, want, wantEntities)
		}
	}
	counted(map[ibid.NamedBy]int{ibid.NamedByHeuristic: 1}, 1)
	must(db.MarkNamed(ctx, []string{"c1"}, ibid.NamedInVain))
	counted(map[ibid.NamedBy]int{ibid.NamedInVain: 1}, 1)
	if _, passages, err := db.Neighbours(ctx, access.For(ibid.Owner), []string{"c1"}); err != nil || passages != 1 {
		t.Errorf("%d passages were looked at, %v", passages, err)
	}
	_, _, err = db.ReleaseLostDocuments(ctx, 3, "it ended")
	must(err)
	must(db.ReleaseDocuments(ctx, "p"))
	_, _, err = db.RemoveDocument(ctx, access.For(ibid.Owner), "d1", now)
	must(err)
	counted(map[ibid.NamedBy]int{}, 0)
	_, err = db.Changes(ctx, 0, 10)
	must(err)
	_, err = db.LastChange(ctx, "d1")
	must(err)
}
