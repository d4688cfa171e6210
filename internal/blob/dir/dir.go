// Package dir keeps bytes in a directory, by the hash of their content:
//
//	files/ab/ab12…      (sha256, the first 32 hex digits)
//	files/tmp/upload-…  under way; those that a crash left are deleted at start
//
// An original is on disk, under its name, before the database is told of it, and
// is off the disk before the database forgets it: a power cut never leaves the
// database with a hash whose bytes are lost.
package dir

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/disk"
)

// Store keeps bytes in a directory, which belongs to one process at a time. It is safe
// for concurrent use.
type Store struct {
	disk disk.FS
	dir  string

	mu   sync.Mutex
	safe map[string]bool // directories below dir that survive a power cut

	// moving is held for reading while bytes are put under their name, and for
	// writing while they are looked at and deleted.
	moving sync.RWMutex
}

// uploadPrefix begins the names of uploads under way.
const uploadPrefix = "upload-"

// Open makes the directory if need be, and clears away what a crash has left.
func Open(fsys disk.FS, dir string) (*Store, error) {
	s := &Store{disk: fsys, dir: dir, safe: map[string]bool{}}
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
		if underWay(filepath.Join(s.tmp(), e.Name())) {
			continue // another process's
		}
		if err := fsys.Remove(filepath.Join(s.tmp(), e.Name())); err != nil {
			return s, fmt.Errorf("clear unfinished uploads: %w", err)
		}
	}
	return s, nil
}

func (s *Store) tmp() string { return filepath.Join(s.dir, "tmp") }

// underWay reports whether a process that lives has an upload locked.
func underWay(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	locked, err := disk.LockedByOther(f)
	return locked || err != nil
}

// upload is content that has come in and is on disk, and has no place yet.
type upload struct {
	store *Store
	tmp   string
	lock  *os.File // locked until the upload is dropped, so that no other process clears it away
	hash  string
	size  int64 // bytes
}

func (u *upload) Hash() string { return u.hash }
func (u *upload) Bytes() int64 { return u.size }

// Drop forgets an upload, unless it was put. What cannot be deleted now is deleted at
// the next start. It may be called again.
func (u *upload) Drop() {
	u.lock.Close() // twice is an error that says nothing
	_ = u.store.disk.Remove(u.tmp)
}

// Receive takes content in. What it holds is on disk when Receive returns.
func (s *Store) Receive(ctx context.Context, content io.Reader) (blob.Upload, error) {
	f, err := s.disk.CreateTemp(s.tmp(), uploadPrefix)
	if err != nil {
		return nil, diskError("keep the original", err)
	}
	u := &upload{store: s, tmp: f.Name()}
	if u.lock, err = os.Open(u.tmp); err == nil {
		err = disk.Lock(u.lock)
	}
	if err != nil {
		f.Close()
		u.Drop()
		return nil, diskError("keep the original", err)
	}
	sum := sha256.New()
	u.size, err = io.Copy(io.MultiWriter(f, sum), untilDone{ctx, content})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		u.Drop()
		return nil, diskError("keep the original", err)
	}
	u.hash = blob.Name(sum)
	return u, nil
}

// untilDone reads until a context is done.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// Put puts an upload in its place, where it survives a power cut once Put has
// returned.
func (u *upload) Put(context.Context) error {
	s := u.store
	s.moving.RLock()
	defer s.moving.RUnlock()
	err := s.makeDir(u.hash[:2])
	if runtime.GOOS == "windows" {
		u.lock.Close() // it moves no open file
	}
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
func (s *Store) makeDir(name string) error {
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

// Delete removes bytes, unless they were put at before or later. What is not there is
// gone: a power cut does not bring it back.
func (s *Store) Delete(_ context.Context, hash string, before time.Time) (gone bool, err error) {
	if !blob.IsHash(hash) {
		return false, noHash(hash)
	}
	s.moving.Lock()
	defer s.moving.Unlock()
	info, err := os.Stat(s.place(hash))
	if err == nil && !info.ModTime().Before(before) {
		return false, nil
	}
	if err == nil {
		err = s.disk.Remove(s.place(hash))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = s.disk.SyncDir(filepath.Dir(s.place(hash)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

// place is where the bytes of a hash belong.
func (s *Store) place(hash string) string { return filepath.Join(s.dir, hash[:2], hash) }

// Stat returns what is known of the bytes of a hash. It does not read them.
func (s *Store) Stat(_ context.Context, hash string) (blob.Info, error) {
	if !blob.IsHash(hash) {
		return blob.Info{}, noHash(hash)
	}
	info, err := os.Stat(s.place(hash))
	if err != nil {
		return blob.Info{}, isGone(hash, err)
	}
	return s.info(hash, info), nil
}

func (s *Store) info(hash string, info fs.FileInfo) blob.Info {
	return blob.Info{Hash: hash, Bytes: info.Size(), Put: info.ModTime(), Place: filepath.Join(filepath.Base(s.dir), hash[:2], hash)}
}

// File returns the file that holds the bytes, which nobody may change.
func (s *Store) File(ctx context.Context, hash string) (path string, release func(), err error) {
	if _, err := s.Stat(ctx, hash); err != nil {
		return "", nil, err
	}
	return s.place(hash), func() {}, nil
}

// Open opens n bytes from a place on, fewer where there are fewer.
func (s *Store) Open(_ context.Context, hash string, from, n int64) (io.ReadCloser, error) {
	if !blob.IsHash(hash) {
		return nil, noHash(hash)
	}
	f, err := s.disk.Open(s.place(hash))
	if err != nil {
		return nil, isGone(hash, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, from, n), f}, nil
}

// List lists what is there by hash.
func (s *Store) List(ctx context.Context, page ibid.Page) (list []blob.Info, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	folders, err := s.folders()
	if err != nil {
		return nil, "", err
	}
	for _, folder := range folders {
		if len(after) >= 2 && folder < after[:2] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		entries, err := os.ReadDir(filepath.Join(s.dir, folder)) // in order
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, "", err
		}
		for _, e := range entries {
			hash := e.Name()
			if !s.own(folder, e) || hash <= after {
				continue
			}
			info, err := e.Info()
			if err != nil { // it went meanwhile
				continue
			}
			if len(list) == page.Size() {
				return list, ibid.EncodeCursor(list[len(list)-1].Hash), nil
			}
			list = append(list, s.info(hash, info))
		}
	}
	return list, "", nil
}

func (s *Store) own(folder string, e fs.DirEntry) bool {
	return blob.IsHash(e.Name()) && e.Name()[:2] == folder && !e.IsDir()
}

// folders are the directories of the store, in order.
func (s *Store) folders() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != filepath.Base(s.tmp()) {
			folders = append(folders, e.Name())
		}
	}
	slices.Sort(folders)
	return folders, err
}

// Foreign returns the places of files in the directory that are none of the store's:
// somebody else has put them there.
func (s *Store) Foreign(ctx context.Context) ([]string, error) {
	var foreign []string
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		folder := filepath.Dir(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != s.dir:
			return nil // it went while we looked
		case err != nil:
			return err
		case e.IsDir():
			return ctx.Err()
		case folder == s.tmp() && strings.HasPrefix(e.Name(), uploadPrefix):
			return nil
		case filepath.Dir(folder) == s.dir && s.own(filepath.Base(folder), e):
			return nil
		}
		rel, err := filepath.Rel(filepath.Dir(s.dir), path)
		foreign = append(foreign, rel)
		return err
	})
	return foreign, err
}

func noHash(name string) error {
	return ibid.Errorf(ibid.CodeNotFound, "there is no version %q", name)
}

func isGone(hash string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ibid.Errorf(ibid.CodeNotFound, "the original of version %s is gone", hash)
	}
	return fmt.Errorf("look for the original of version %s: %w", hash, err)
}

func diskError(doing string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full", Hint: "free some space on the disk of the data directory", Err: err}
	}
	return fmt.Errorf("%s: %w", doing, err)
}
