package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"ibid"
	"ibid/internal/disk"
)

// fileStore keeps originals by the hash of their content:
//
//	files/ab/ab12…      (sha256, the first 32 hex digits)
//	files/tmp/upload-…  under way; those that a crash left are deleted at start
//
// An original is on disk, under its name, before the database is told of it, and
// is off the disk before the database forgets it: a power cut never leaves the
// database with a hash whose bytes are lost.
type fileStore struct {
	disk disk.FS
	dir  string

	mu   sync.Mutex
	safe map[string]bool // directories below dir that survive a power cut
}

// uploadPrefix begins the names of uploads under way.
const uploadPrefix = "upload-"

func newFileStore(fsys disk.FS, dir string) (*fileStore, error) {
	s := &fileStore{disk: fsys, dir: dir, safe: map[string]bool{}}
	if err := fsys.MkdirAll(s.dir); err != nil {
		return s, fmt.Errorf("make the folder for originals: %w", err)
	}
	if err := fsys.MkdirAll(s.tmp()); err != nil {
		return s, fmt.Errorf("make the folder for originals: %w", err)
	}
	entries, err := os.ReadDir(s.tmp())
	if err != nil {
		return s, fmt.Errorf("look for unfinished uploads: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), uploadPrefix) || !e.Type().IsRegular() {
			continue // not ours
		}
		if err := fsys.Remove(filepath.Join(s.tmp(), e.Name())); err != nil {
			return s, fmt.Errorf("clear unfinished uploads: %w", err)
		}
	}
	return s, nil
}

func (s *fileStore) tmp() string { return filepath.Join(s.dir, "tmp") }

// upload is content that has come in and is on disk, and has no place yet.
type upload struct {
	tmp  string
	hash string
	size int64 // bytes
}

// drop forgets an upload, unless it was kept. What cannot be deleted now is
// deleted at the next start.
func (s *fileStore) drop(u upload) { _ = s.disk.Remove(u.tmp) }

// receive takes content in. What it holds is on disk when receive returns.
func (s *fileStore) receive(content io.Reader) (upload, error) {
	f, err := s.disk.CreateTemp(s.tmp(), uploadPrefix)
	if err != nil {
		return upload{}, diskError("keep the original", err)
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		s.drop(upload{tmp: f.Name()})
		return upload{}, diskError("keep the original", err)
	}
	return upload{tmp: f.Name(), hash: hex.EncodeToString(sum.Sum(nil))[:32], size: size}, nil
}

// keep puts an upload in its place, where it survives a power cut once keep has
// returned.
func (s *fileStore) keep(u upload) error {
	err := s.makeDir(u.hash[:2])
	if err == nil {
		err = disk.Move(s.disk, u.tmp, s.place(u.hash))
	}
	if err != nil {
		return diskError("keep the original", err)
	}
	return nil
}

// makeDir makes a directory for originals, or makes sure that the one which is
// there survives a power cut.
func (s *fileStore) makeDir(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.safe[name] {
		return nil
	}
	if err := s.disk.MkdirAll(filepath.Join(s.dir, name)); err != nil {
		return err
	}
	s.safe[name] = true
	return nil
}

// discard deletes an original, which does not come back by a power cut once
// discard has returned nil. That it is not there is no error.
func (s *fileStore) discard(hash string) error {
	err := s.disk.Remove(s.place(hash))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.settle(hash)
}

// settle makes sure that an original which is not there any more does not come
// back by a power cut.
func (s *fileStore) settle(hash string) error {
	err := s.disk.SyncDir(filepath.Dir(s.place(hash)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// place is where the bytes of a hash belong.
func (s *fileStore) place(hash string) string { return filepath.Join(s.dir, hash[:2], hash) }

// path returns where the bytes of a hash lie.
func (s *fileStore) path(hash string) (string, error) {
	if len(hash) != 32 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", ibid.Errorf(ibid.CodeNotFound, "there is no version %q", hash)
	}
	path := s.place(hash)
	if _, err := os.Stat(path); err != nil {
		return "", ibid.Errorf(ibid.CodeNotFound, "the original of version %s is gone", hash)
	}
	return path, nil
}

// holds reports whether the bytes of a hash are there, as many as there must be.
// It does not read them.
func (s *fileStore) holds(hash string, size int64) bool {
	path, err := s.path(hash)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Size() == size
}

func diskError(doing string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full", Hint: "free some space on the disk of the data directory", Err: err}
	}
	return fmt.Errorf("%s: %w", doing, err)
}
