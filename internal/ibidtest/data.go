package ibidtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Data returns the path of rel inside the public test data, "documents/pdf" for
// example. The data is never part of the repository: it is looked for in
// $IBID_TEST_DATA, then in ../shared/data above the working directory. Where it
// is absent the test is skipped with one line that says so.
func Data(t testing.TB, rel string) string {
	t.Helper()
	if path := findData(filepath.FromSlash(rel)); path != "" {
		return path
	}
	t.Skipf("test data %s is not here: set IBID_TEST_DATA to its folder", rel)
	return ""
}

// FindData is Data for programs: "" where the data is absent.
func FindData(rel string) string { return findData(filepath.FromSlash(rel)) }

func findData(rel string) string {
	if dir := os.Getenv("IBID_TEST_DATA"); dir != "" {
		return existing(filepath.Join(dir, rel))
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if path := existing(filepath.Join(dir, "..", "shared", "data", rel)); path != "" {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// existing returns path as it was given when something is there, else "".
func existing(path string) string {
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
