package upkeep

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/app/datadir"
	"ibid/internal/backup"
	"ibid/internal/disk"
	"ibid/internal/server/api"
	"ibid/internal/store/sqlite"
)

// A reading of originals that cannot be reached finds nothing missing, and forgets
// nothing that was found before.
func TestOriginalsThatAreAwayAreNotMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, datadir.DatabaseName), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	originals := datadir.Originals(dir)
	for _, text := range []string{"one", "two"} {
		hash := ibid.VersionOf([]byte(text))
		if _, _, err := db.PutDocument(t.Context(), ibid.Document{Principal: ibid.Owner, ID: text, Name: text, Source: "/" + text, Status: ibid.DocumentQueued}, hash); err != nil {
			t.Fatal(err)
		}
	}
	upload, err := originals.Receive(t.Context(), strings.NewReader("one")) // the second is missing
	if err == nil {
		_, _, err = upload.Put(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	u := &Upkeep{store: db, disk: disk.OS{}, dir: dir, now: time.Now, log: slog.New(slog.DiscardHandler), library: backup.Config{Blobs: originals}}
	found, err := u.Scrub(t.Context(), nil)
	if err != nil || found.Checked != 2 || len(found.Problems) != 1 || found.Problems[0].Name != "two" || !found.Problems[0].Missing {
		t.Fatalf("%+v, %v", found, err)
	}
	files := filepath.Join(dir, "files")
	if err := os.Rename(files, files+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Scrub(t.Context(), nil); err == nil || ibid.CodeOf(err) != ibid.CodeAway {
		t.Errorf("read while they are away: %v", err)
	}
	check := u.CheckScrub(t.Context())
	if check.Level != api.LevelFail || !strings.Contains(check.Message, "can't be reached") || strings.Contains(check.Message, "missing") {
		t.Errorf("doctor says %+v", check)
	}
	if damaged, err := u.Damaged(t.Context()); err != nil || len(damaged) != 1 {
		t.Errorf("known to be damaged: %v, %v", damaged, err)
	}
	if err := os.Rename(files+".away", files); err != nil {
		t.Fatal(err)
	}
	if found, err := u.Scrub(t.Context(), nil); err != nil || found.Checked != 2 || len(found.Problems) != 1 {
		t.Errorf("back: %+v, %v", found, err)
	}
}
