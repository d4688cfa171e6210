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
//	files/ab/ab12…      (sha256, the first 32 hex digits)
//	files/tmp/upload-…  under way; those that a crash left are deleted at start
type fileStore struct{ dir string }

// uploadPrefix begins the names of uploads under way.
const uploadPrefix = "upload-"

func newFileStore(dir string) (fileStore, error) {
	s := fileStore{dir}
	if err := os.MkdirAll(s.tmp(), 0o700); err != nil {
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
		if err := os.Remove(filepath.Join(s.tmp(), e.Name())); err != nil {
			return s, fmt.Errorf("clear unfinished uploads: %w", err)
		}
	}
	return s, nil
}

func (s fileStore) tmp() string { return filepath.Join(s.dir, "tmp") }

// upload is content that has come in and is on disk, and has no place yet.
type upload struct {
	tmp  string
	hash string
	size int64 // bytes
}

// drop forgets an upload that was not kept.
func (u upload) drop() { os.Remove(u.tmp) }

// receive takes content in. It is on disk when receive returns.
func (s fileStore) receive(content io.Reader) (upload, error) {
	f, err := os.CreateTemp(s.tmp(), uploadPrefix)
	if err != nil {
		return upload{}, diskError("keep the original", err)
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return upload{}, diskError("keep the original", err)
	}
	return upload{tmp: f.Name(), hash: hex.EncodeToString(sum.Sum(nil))[:32], size: size}, nil
}

// keep puts an upload in its place.
func (s fileStore) keep(u upload) error {
	path := filepath.Join(s.dir, u.hash[:2], u.hash)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return diskError("keep the original", err)
	}
	if err := os.Rename(u.tmp, path); err != nil {
		return diskError("keep the original", err)
	}
	return nil
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
