package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// TestThreadsOfAnOldLibrary opens a database from before migration 016: what it
// counts and finds by is made up for.
func TestThreadsOfAnOldLibrary(t *testing.T) {
	open(t) // makes the functions known that migrations call
	path := filepath.Join(t.TempDir(), "ibid.db")
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("schema/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	version := 0
	for _, name := range names {
		if filepath.Base(name) >= "013" {
			break
		}
		script, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.ExecContext(t.Context(), string(script)); err != nil {
			t.Fatal(name, err)
		}
		version++
	}
	add := func(id, parent, role string) string {
		return fmt.Sprintf(`INSERT INTO messages (id, thread_id, parent_id, role, status, created_at, data)
			VALUES ('%s', 't', '%s', '%s', 'completed', 5, '{"id":"%[1]s","parent_id":"%[2]s","role":"%[3]s"}');`, id, parent, role)
	}
	_, err = raw.ExecContext(t.Context(), `INSERT INTO threads VALUES ('t', 'An Old Conversation', 'a3', 1, 5);`+
		add("u1", "", "user")+add("a1", "u1", "assistant")+add("u2", "a1", "user")+add("u3", "u2", "user")+add("a3", "u3", "assistant")+
		`INSERT INTO files (message_id, n, name, mime, data) VALUES ('u2', 0, 'a.txt', 'text/plain', x'78');
		INSERT INTO answered VALUES ('a1', 'key', 'q', 5);`+fmt.Sprintf("PRAGMA user_version = %d", version))
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for id, want := range map[string]int{"u1": 1, "a1": 1, "u2": 2, "u3": 3, "a3": 3, "": 0} {
		if n, err := db.Questions(t.Context(), access.For(ibid.Owner), id); n != want || err != nil {
			t.Errorf("%d questions up to %q, want %d (%v)", n, id, want, err)
		}
	}
	if files, err := ibidtest.Whole(db.Files(t.Context(), access.For(ibid.Owner), "t", ibidtest.Everything)); len(files) != 1 || err != nil {
		t.Errorf("files %v, %v", files, err)
	}
	if found, _, err := db.Threads(t.Context(), access.For(ibid.Owner), ibid.ThreadQuery{Text: "old conv"}, ibid.Page{}); len(found) != 1 || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	for thread, want := range map[string]int{"t": 0, "other": 1} {
		if answered, err := db.Answered(t.Context(), access.For(ibid.Owner), "key", thread, 5); len(answered) != want || err != nil {
			t.Errorf("answered outside of %s: %v, %v", thread, answered, err)
		}
	}
}
