package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
)

// A password opens a file, and is then nowhere any more.
func TestAPasswordIsUsedOnce(t *testing.T) {
	dir := t.TempDir()
	s := openShop(t, dir, newParagraphs())
	add := func(password string) ibid.Document {
		d, err := s.Add(t.Context(), access.For(ibid.Owner), File{Name: "a.txt", Source: "/x/a.txt", Password: password}, strings.NewReader("locked: the walrus sleeps."))
		if err != nil {
			t.Fatal(err)
		}
		return s.settled(d.ID)
	}
	for _, password := range []string{"", "wrong"} {
		if d := add(password); d.Status != ibid.DocumentFailed || d.Error != "a password is needed" {
			t.Fatalf("with %q: %+v", password, d)
		}
	}
	if d := add("swordfish"); d.Status != ibid.DocumentReady || s.finds("walrus") == "" {
		t.Fatalf("document %+v", d)
	}
	if d := add("swordfish"); d.Status != ibid.DocumentReady {
		t.Fatalf("again: %+v", d)
	}
	s.eventually("no password is held", func() bool {
		s.passwords.mu.Lock()
		defer s.passwords.mu.Unlock()
		return len(s.passwords.by) == 0
	})
	s.stop()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "swordfish") {
			t.Errorf("the password stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
