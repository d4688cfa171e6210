package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// Files that were kept before their hash was have the same version as new ones.
func TestVersionsOfOldFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ibid.db")
	db, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	request := ibid.Request{Text: "q", Attachments: []ibid.Attachment{{Name: "a.txt", MIME: "text/plain", Data: []byte("some text")}}}
	user := ibid.Message{ID: "u", ThreadID: "t", Role: ibid.RoleUser, Request: &request, CreatedAt: ibid.At(at)}
	answer := ibid.Message{ID: "r", ThreadID: "t", ParentID: "u", Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: ibid.At(at)}
	err = db.StartRun(t.Context(), ibid.Thread{Principal: ibid.Owner, ID: "t", CreatedAt: ibid.At(at), UpdatedAt: ibid.At(at)}, user, answer,
		ibid.Run{Principal: ibid.Owner, ID: "r", ThreadID: "t", UserMessageID: "u", Request: request, Status: ibid.StatusQueued, AcceptedAt: at}, nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := raw.ExecContext(t.Context(), `UPDATE files SET version = ''`)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := changed.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d files, %v", n, err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = sqlite.Open(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := ibid.VersionOf([]byte("some text"))
	if files, err := ibidtest.Whole(db.Files(t.Context(), access.For(ibid.Owner), "t", ibidtest.Everything)); err != nil || len(files) != 1 || files[0].Version != want || files[0].Data != nil {
		t.Errorf("files %+v, %v", files, err)
	}
	if f, err := db.File(t.Context(), access.For(ibid.Owner), "u", 0); err != nil || f.Version != want || string(f.Data) != "some text" {
		t.Errorf("file %+v, %v", f, err)
	}
}
