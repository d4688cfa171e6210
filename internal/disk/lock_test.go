package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ibid/internal/disk"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	held := func(want bool) {
		t.Helper()
		for range 2 { // both ask at once: neither keeps the other out
			if by, err := disk.LockedByOther(open()); err != nil || by != want {
				t.Errorf("locked by another: %v, %v; want %v", by, err, want)
			}
		}
	}
	holder := open()
	if err := disk.Lock(holder); err != nil {
		t.Fatal(err)
	}
	if err := disk.Lock(open()); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("a second lock gave %v", err)
	}
	held(true)
	holder.Close()
	held(false)
}
