package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"ibid/internal/store/sqlite"
)

// Tables, indexes and what is free are the whole file.
func TestSizesAddUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ibid.db")
	db, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	tables, free, err := db.Sizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil { // brings the log into the file
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	sum, named := free, map[string]string{}
	for _, table := range tables {
		sum += table.Bytes
		named[table.Name] = table.Table
	}
	if sum != info.Size() || named["chunks"] != "chunks" || named["chunks_by_document"] != "chunks" {
		t.Errorf("%d bytes are accounted for, the file has %d; %v", sum, info.Size(), tables)
	}
}
