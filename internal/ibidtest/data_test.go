package ibidtest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDataIsFoundThroughTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, "documents", "a.txt")
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("IBID_TEST_DATA", dir)
	if got := Data(t, "documents/a.txt"); got != want {
		t.Errorf("Data = %q, want %q", got, want)
	}
	if got := findData("documents/none.txt"); got != "" {
		t.Errorf("a missing file was found at %q", got)
	}
}

func TestDataIsFoundByWalkingUp(t *testing.T) {
	t.Setenv("IBID_TEST_DATA", "")
	root := t.TempDir()
	deep := filepath.Join(root, "main", "internal", "x")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "shared", "data", "documents"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	got, err := filepath.EvalSymlinks(findData("documents"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := filepath.EvalSymlinks(filepath.Join(root, "shared", "data", "documents"))
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}
