package dir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/blob/dir"
	"ibid/internal/disk"
)

// putText puts content into a directory.
func putText(t *testing.T, s *dir.Store, content string) (hash string) {
	t.Helper()
	u, err := s.Receive(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer u.Drop()
	if _, _, err := u.Put(t.Context()); err != nil {
		t.Fatal(err)
	}
	return u.Hash()
}

// What is seen of a directory in whose place another one stands.
func isOutOfReach(t *testing.T, s *dir.Store, hash string) {
	t.Helper()
	_, err1 := s.Stat(t.Context(), hash)
	_, _, err2 := s.List(t.Context(), ibid.Page{})
	_, err3 := s.Receive(t.Context(), strings.NewReader("more"))
	for _, err := range []error{err1, err2, err3} {
		if err == nil || ibid.CodeOf(err) != ibid.CodeAway {
			t.Errorf("it is out of reach: %v", err)
		}
	}
}

// A disk that is not mounted leaves an empty directory behind. Nothing is made in there.
func TestAnEmptyDirectoryInItsPlace(t *testing.T) {
	root := filepath.Join(t.TempDir(), "files")
	s := openHere(t, root)
	hash := putText(t, s.Store, "The walrus sleeps.")
	if err := s.SetAway(true); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	isOutOfReach(t, s.Store, hash)
	if err := os.Remove(root); err != nil { // fails where something was made in it
		t.Fatal(err)
	}
	if err := s.SetAway(false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), hash); err != nil {
		t.Error(err)
	}
}

// A directory on a disk of its own is missed by the next start, too.
func TestADiskThatIsNotMountedAtAStart(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "ibid-blobs-")
	if err != nil {
		t.Skip("there is no second file system here: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(elsewhere) })
	root := filepath.Join(t.TempDir(), "files")
	if here, err := os.Stat(filepath.Dir(root)); err != nil {
		t.Fatal(err)
	} else if there, err := os.Stat(elsewhere); err != nil || disk.SameDevice(here, there) {
		t.Skip("temporary files lie in memory here: there is no second file system")
	}
	mount := func() {
		t.Helper()
		if err := os.Symlink(elsewhere, root); err != nil {
			t.Fatal(err)
		}
	}
	mount()
	hash := putText(t, openHere(t, root).Store, "The walrus sleeps.")
	for _, leave := range []func() error{func() error { return nil }, func() error { return os.Mkdir(root, 0o700) }} {
		if err := os.Remove(root); err != nil {
			t.Fatal(err)
		}
		if err := leave(); err != nil {
			t.Fatal(err)
		}
		isOutOfReach(t, dir.Look(disk.OS{}, root), hash)
		s, err := dir.Open(disk.OS{}, root)
		if err == nil || ibid.CodeOf(err) != ibid.CodeAway || !strings.Contains(err.Error(), "mount") {
			t.Errorf("opened: %v", err)
		}
		isOutOfReach(t, s, hash)
		os.Remove(root)
		mount()
		if _, err := s.Stat(t.Context(), hash); err != nil {
			t.Errorf("mounted again: %v", err)
		}
		putText(t, s, "The otter swims.")
	}
	// It lies here from now on: whoever says so deletes the note.
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(root + ".mounted"); err != nil {
		t.Fatal(err)
	}
	s := openHere(t, root)
	if _, err := s.Stat(t.Context(), hash); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("in another directory: %v", err)
	}
	putText(t, s.Store, "The walrus sleeps.")
}

// What is only looked at is not made.
func TestLookWritesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "files")
	s := dir.Look(disk.OS{}, root)
	for info, err := range blob.All(t.Context(), s) {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := s.Stat(t.Context(), strings.Repeat("a", 32)); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Error(err)
	}
	if _, err := os.Stat(root); !os.IsNotExist(err) {
		t.Errorf("it was made: %v", err)
	}
}
