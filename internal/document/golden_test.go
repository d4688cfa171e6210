package document_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"ibid/internal/document"
)

var update = flag.Bool("update", false, "write what is read now as what is wanted")

// TestGolden reads the first file of each archive in testdata/golden; its
// second is the dump that is wanted.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	pool := newPool(t, document.Limits{})
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil || len(a.Files) == 0 {
				t.Fatalf("%d files, %v", len(a.Files), err)
			}
			in := a.Files[0]
			got := document.Dump(mustExtract(t, pool, document.Request{Data: in.Data, Name: in.Name}))
			if *update {
				a.Files = []txtar.File{in, {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 {
				t.Fatal("nothing is wanted: run with -update and read the difference")
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
