package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OS is the file system of this machine.
type OS struct{}

var _ FS = OS{}

// Create makes a file, or empties the one that is there.
func (OS) Create(path string) (File, error) {
	return open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// CreateTemp makes a file with a name that nobody has.
func (OS) CreateTemp(dir, pattern string) (File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err // not a File that holds a nil *os.File
	}
	return f, nil
}

// Append opens a file for writing at its end.
func (OS) Append(path string) (File, error) {
	return open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}

// Open opens a file for reading.
func (OS) Open(path string) (File, error) { return open(path, os.O_RDONLY) }

func open(path string, flags int) (File, error) {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// MkdirAll makes a directory and those above it, each synced.
func (o OS) MkdirAll(path string) error {
	return MkdirAll(path, func(dir string) error { return os.Mkdir(dir, 0o700) }, o.SyncDir)
}

// MkdirAll makes a directory and those above it by mkdir, and calls sync with the
// directory that each lies in. It is what an FS is made of.
func MkdirAll(path string, mkdir, sync func(dir string) error) error {
	parent := filepath.Dir(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: path, Err: errNotDir}
	case err == nil:
		return sync(parent) // whoever made it may have died before he came to that
	case !errors.Is(err, fs.ErrNotExist) || parent == path:
		return err
	}
	if err := MkdirAll(parent, mkdir, sync); err != nil {
		return err
	}
	if err := mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sync(parent)
}

var errNotDir = errors.New("not a directory")

// Rename gives a file another name.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove deletes a file or an empty directory.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncDir makes safe what was made, renamed or removed in a directory.
func (OS) SyncDir(path string) error { return syncDir(path) }
