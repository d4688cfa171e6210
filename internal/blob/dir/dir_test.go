package dir_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/ibidtest"
)

func TestBlobs(t *testing.T) { ibidtest.Run(t, ibidtest.BlobCases, place) }

// TestWhatAStartFinds: a start clears away what a crash left of uploads, and nothing
// else; what others have put there is named.
func TestWhatAStartFinds(t *testing.T) {
	root := filepath.Join(t.TempDir(), "files")
	s, err := dir.Open(disk.OS{}, root)
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Receive(t.Context(), strings.NewReader("The walrus sleeps."))
	if err == nil {
		_, _, err = u.Put(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	strange := map[string]bool{"files/notes.txt": true, "files/tmp/mine": true, "files/ab/ab12": true, "files/zz/" + u.Hash(): true}
	for path := range strange {
		path = filepath.Join(filepath.Dir(root), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(root, "tmp", "upload-1")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = dir.Open(disk.OS{}, root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("an upload that was cut short: %v", err)
	}
	var foreign []string
	err = s.Foreign(t.Context(), func(place string) error { foreign = append(foreign, place); return nil })
	if err != nil || len(foreign) != len(strange) {
		t.Errorf("foreign %v, %v", foreign, err)
	}
	for _, path := range foreign {
		if !strange[filepath.ToSlash(path)] {
			t.Errorf("%s is foreign", path)
		}
	}
	if list, _, err := s.List(t.Context(), ibid.Page{}); err != nil || len(list) != 1 || list[0].Hash != u.Hash() {
		t.Errorf("listed %v, %v", list, err)
	}
}

// What one process takes in is not cleared away when another starts.
func TestAStartLeavesUploadsUnderWay(t *testing.T) {
	root := filepath.Join(t.TempDir(), "files")
	s, err := dir.Open(disk.OS{}, root)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Receive(t.Context(), strings.NewReader("The walrus sleeps."))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Drop()
	content, more := io.Pipe()
	received := make(chan blob.Upload, 1)
	go func() {
		u, err := s.Receive(t.Context(), content)
		if err != nil {
			t.Error(err)
		}
		received <- u
	}()
	if _, err := more.Write([]byte("The giraffe")); err != nil { // it is under way
		t.Fatal(err)
	}
	if _, err := dir.Open(disk.OS{}, root); err != nil {
		t.Fatal(err)
	}
	more.Close()
	second := <-received
	for _, u := range []blob.Upload{first, second} {
		if u == nil {
			continue
		}
		if _, _, err := u.Put(t.Context()); err != nil {
			t.Errorf("put: %v", err)
		}
		if _, err := s.Stat(t.Context(), u.Hash()); err != nil {
			t.Error(err)
		}
		u.Drop()
	}
}
