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

func TestLibraryStore(t *testing.T) {
	ibidtest.LibraryStoreSuite(t, func(t *testing.T) ibidtest.LibraryStore {
		db := open(t)
		db.SetFew(20) // some filters let fewer documents through, some more
		return db
	})
}
