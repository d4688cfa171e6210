package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ibid"
)

// fileStore keeps originals by the hash of their content:
//
//	files/ab/ab12…   (sha256, the first 32 hex digits)
//	files/tmp/…      uploads under way; emptied at start
type fileStore struct{ dir string }

func newFileStore(dir string) (fileStore, error) {
	s := fileStore{dir}
	if err := os.RemoveAll(s.tmp()); err != nil {
		return s, fmt.Errorf("clear unfinished uploads: %w", err)
	}
	if err := os.MkdirAll(s.tmp(), 0o700); err != nil {
		return s, fmt.Errorf("make the folder for originals: %w", err)
	}
	return s, nil
}

func (s fileStore) tmp() string { return filepath.Join(s.dir, "tmp") }

// keep stores content and returns its hash and size in bytes. It is on disk
// when keep returns.
func (s fileStore) keep(content io.Reader) (hash string, size int64, err error) {
	f, err := os.CreateTemp(s.tmp(), "upload-")
	if err != nil {
		return "", 0, diskError("keep the original", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, sum), content)
	if err != nil {
		return "", 0, diskError("keep the original", err)
	}
	if err := f.Sync(); err != nil {
		return "", 0, diskError("keep the original", err)
	}
	hash = hex.EncodeToString(sum.Sum(nil))[:32]
	path := filepath.Join(s.dir, hash[:2], hash)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", 0, diskError("keep the original", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return "", 0, diskError("keep the original", err)
	}
	return hash, size, nil
}

// path returns where the bytes of a hash lie.
func (s fileStore) path(hash string) (string, error) {
	if len(hash) != 32 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", ibid.Errorf(ibid.CodeNotFound, "there is no version %q", hash)
	}
	path := filepath.Join(s.dir, hash[:2], hash)
	if _, err := os.Stat(path); err != nil {
		return "", ibid.Errorf(ibid.CodeNotFound, "the original of version %s is gone", hash)
	}
	return path, nil
}

func diskError(doing string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full", Hint: "free some space on the disk of the data directory", Err: err}
	}
	return fmt.Errorf("%s: %w", doing, err)
}
