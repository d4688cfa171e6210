package disk_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"ibid/internal/disk"
)

func TestReplace(t *testing.T) {
	fsys, path := disk.OS{}, filepath.Join(t.TempDir(), "a", "b", "file")
	if err := fsys.MkdirAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second, which is longer"} {
		if err := disk.WriteFile(fsys, path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("the file holds %q, want %q", got, text)
		}
	}
	broken := errors.New("broken")
	err := disk.Replace(fsys, path, func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	})
	if got, _ := os.ReadFile(path); err != broken || string(got) != "second, which is longer" {
		t.Errorf("a failed replacement left %q, %v", got, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}

func TestMoveAndDelete(t *testing.T) {
	fsys, dir := disk.OS{}, t.TempDir()
	f, err := fsys.CreateTemp(dir, "new-")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "one")
	f.Close()
	f, err = fsys.Append(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, " two")
	f.Close()
	to := filepath.Join(dir, "kept")
	if err := errors.Join(disk.SyncFile(fsys, f.Name()), disk.Move(fsys, f.Name(), to)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(to); string(got) != "one two" {
		t.Errorf("the moved file holds %q", got)
	}
	if err := disk.Delete(fsys, to); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v are left", entries)
	}
}

func TestMkdirAllOverAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	os.WriteFile(path, nil, 0o600)
	if err := (disk.OS{}).MkdirAll(filepath.Join(path, "below")); err == nil {
		t.Error("a directory was made below a file")
	}
	if err := (disk.OS{}).MkdirAll(path); err == nil {
		t.Error("a file passed for a directory")
	}
}
