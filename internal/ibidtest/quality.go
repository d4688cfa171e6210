package ibidtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Quality returns the path of a set of questions that lies in the repository itself,
// "xquad-en" for example: testdata/quality in the folder of the module. So ranking and
// reading are tested in any clone (testdata/quality/README.md says what is there).
func Quality(t testing.TB, set string) string {
	t.Helper()
	return bundled(t, "quality", set)
}

// Documents returns the folder of small real files that lies in the repository itself
// (testdata/documents/README.md).
func Documents(t testing.TB) string {
	t.Helper()
	return bundled(t, "documents", "")
}

// bundled is a path in the folder testdata of the module.
func bundled(t testing.TB, folder, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if existing(filepath.Join(dir, "go.mod")) != "" {
			path := filepath.Join(dir, "testdata", folder, name)
			if existing(path) == "" {
				t.Fatalf("%s is part of the repository and is missing", path)
			}
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("there is no go.mod above the working directory")
		}
		dir = parent
	}
}
