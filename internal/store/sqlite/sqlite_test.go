package sqlite_test

import (
	"path/filepath"
	"testing"

	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

func open(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.OpenWith(t.Context(), filepath.Join(t.TempDir(), "ibid.db"), nil, recordedDriver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestRunStore(t *testing.T) {
	ibidtest.RunStoreSuite(t, func(t *testing.T) ibidtest.RunStore { return open(t) })
}
