// Package dir keeps bytes in a directory, by the hash of their content:
//
//	files/ab/ab12…      (sha256, the first 32 hex digits)
//	files/tmp/upload-…  under way; those that a crash left are deleted at start
//	files/tmp/lock-…    while bytes of that hash are put or deleted (lock.go)
//	files.mounted       where the directory lies on a disk of its own (away.go)
//
// An original is on disk, under its name, before the database is told of it, and
// is off the disk before the database forgets it: a power cut never leaves the
// database with a hash whose bytes are lost. Several processes may share a directory.
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
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/disk"
)

// Store keeps bytes in a directory. It is safe for concurrent use.
type Store struct {
	disk disk.FS
	dir  string

	mu   sync.Mutex
	root fs.FileInfo     // of the directory as it was opened; nil: not yet
	safe map[string]bool // directories below dir that survive a power cut
}

// uploadPrefix begins the names of uploads under way.
const uploadPrefix = "upload-"

// Look returns a store that writes nothing before something is put or deleted: what
// there is can be looked at.
func Look(fsys disk.FS, dir string) *Store {
	return &Store{disk: fsys, dir: dir, safe: map[string]bool{}}
}

// Open makes the directory if need be, and clears away what a crash has left. Where the
// error has the code STORE_AWAY the store can be used all the same, once it is back.
func Open(fsys disk.FS, dir string) (*Store, error) {
	s := Look(fsys, dir)
	return s, s.Begin()
}

// opened returns the directory as it was opened; nil: not yet.
func (s *Store) opened() fs.FileInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.root
}

// Begin does what Open does to a store that was only looked at. It may be called again.
func (s *Store) Begin() error {
	if s.opened() != nil {
		return nil
	}
	if err := s.reach(); err != nil {
		return err
	}
	for _, dir := range []string{s.dir, s.tmp()} {
		if err := s.disk.MkdirAll(dir); err != nil {
			return s.doing("make the folder for originals", err)
		}
	}
	if err := s.clear(); err != nil {
		return s.doing("clear unfinished uploads", err)
	}
	info, err := os.Stat(s.dir)
	if err == nil {
		err = s.noteMounted(info)
	}
	if err != nil {
		return s.doing("open the folder for originals", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root = info
	return nil
}

func (s *Store) tmp() string { return filepath.Join(s.dir, "tmp") }

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
	if err := s.Begin(); err != nil {
		return nil, err
	}
	f, lock, err := s.makeUpload()
	if err != nil {
		return nil, s.doing("keep the original", err)
	}
	u := &upload{store: s, tmp: f.Name(), lock: lock}
	sum := sha256.New()
	in := &source{ctx: ctx, Reader: content}
	u.size, err = io.Copy(io.MultiWriter(f, sum), in)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		u.Drop()
		if in.err != nil {
			return nil, fmt.Errorf("keep the original: %w", err) // it says nothing about the directory
		}
		return nil, s.doing("keep the original", err)
	}
	u.hash = blob.Name(sum)
	return u, nil
}

// source is content until a context is done.
type source struct {
	ctx context.Context
	io.Reader
	err error // that it has returned
}

func (r *source) Read(p []byte) (int, error) {
	if r.err = r.ctx.Err(); r.err != nil {
		return 0, r.err
	}
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Put puts an upload in its place, where it survives a power cut once Put has
// returned.
func (u *upload) Put(ctx context.Context) (put time.Time, fresh bool, err error) {
	s := u.store
	unlock, err := s.lock(ctx, u.hash)
	if err != nil {
		return put, false, s.doing("keep the original", err)
	}
	defer unlock()
	if err := s.makeDir(u.hash[:2]); err != nil {
		return put, false, s.doing("keep the original", err)
	}
	put = time.Now()
	before, err := os.Stat(s.place(u.hash))
	if fresh = errors.Is(err, fs.ErrNotExist); err == nil && !put.After(before.ModTime()) {
		put = before.ModTime().Add(time.Microsecond) // the clock was set back
	}
	if err := os.Chtimes(u.tmp, put, put); err != nil {
		return put, false, s.doing("keep the original", err)
	}
	if now, err := os.Stat(u.tmp); err == nil {
		put = now.ModTime() // as exact as the disk keeps it
	}
	if runtime.GOOS == "windows" {
		u.lock.Close() // it moves no open file
	}
	return put, fresh, s.doing("keep the original", disk.Move(s.disk, u.tmp, s.place(u.hash)))
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
func (s *Store) Delete(ctx context.Context, hash string, before time.Time) (gone bool, err error) {
	if !blob.IsHash(hash) {
		return false, noHash(hash)
	}
	if err := s.Begin(); err != nil {
		return false, err
	}
	stays, err := s.putSince(hash, before)
	if err == nil && !stays {
		unlock, locked := s.lock(ctx, hash)
		if locked != nil {
			return false, s.doing("delete the original", locked)
		}
		defer unlock()
		stays, err = s.putSince(hash, before) // nobody puts it now
	}
	if err == nil && stays {
		return false, nil
	}
	if err == nil {
		err = s.disk.Remove(s.place(hash))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = s.disk.SyncDir(filepath.Dir(s.place(hash)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, s.meaning(err)
	}
	if err := s.reach(); err != nil { // what is out of reach is not gone
		return false, err
	}
	return true, nil
}

// putSince reports whether bytes were put at a time or later. That they are not there is
// an error.
func (s *Store) putSince(hash string, at time.Time) (bool, error) {
	info, err := os.Stat(s.place(hash))
	return err == nil && !info.ModTime().Before(at), err
}

// Sync makes safe also what a process has put that was killed before it could see to
// that, and what of uploads was removed.
func (s *Store) Sync(ctx context.Context) error {
	folders, err := s.folders()
	for _, folder := range append(folders, filepath.Base(s.tmp())) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.disk.SyncDir(filepath.Join(s.dir, folder))
		}
	}
	return s.meaning(err)
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
		return blob.Info{}, s.isGone(hash, err)
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
		return nil, s.isGone(hash, err)
	}
	return &part{store: s, file: f, bytes: io.NewSectionReader(f, from, n)}, nil
}

// part is a part of a file.
type part struct {
	store *Store
	file  disk.File
	bytes *io.SectionReader
}

func (p *part) Read(b []byte) (int, error) {
	n, err := p.bytes.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.store.meaning(err)
	}
	return n, err
}

func (p *part) Close() error { return p.file.Close() }

// Fd is the file's descriptor: who reads all of it once can ask the system not to keep
// it in memory.
func (p *part) Fd() uintptr {
	if open, ok := p.file.(interface{ Fd() uintptr }); ok {
		return open.Fd()
	}
	return ^uintptr(0)
}

// List lists what is there by hash.
func (s *Store) List(ctx context.Context, page ibid.Page) (list []blob.Info, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	folders, err := s.folders()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", s.meaning(err)
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
			return nil, "", s.meaning(err)
		}
		for _, e := range entries {
			hash := e.Name()
			if !s.own(folder, e) || hash <= after {
				continue
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) { // it went meanwhile
				continue
			}
			if err != nil {
				return nil, "", s.meaning(err)
			}
			if len(list) == page.Size() {
				return list, ibid.EncodeCursor(list[len(list)-1].Hash), s.reach()
			}
			list = append(list, s.info(hash, info))
		}
	}
	return list, "", s.reach()
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

// Foreign calls each with the place of every file in the directory that is none of the
// store's: somebody else has put them there.
func (s *Store) Foreign(ctx context.Context, each func(place string) error) error {
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		folder := filepath.Dir(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != s.dir:
			return nil // it went while we looked
		case err != nil:
			return err
		case e.IsDir():
			return ctx.Err()
		case folder == s.tmp() && (strings.HasPrefix(e.Name(), uploadPrefix) || strings.HasPrefix(e.Name(), lockPrefix)):
			return nil
		case filepath.Dir(folder) == s.dir && s.own(filepath.Base(folder), e):
			return nil
		}
		rel, err := filepath.Rel(filepath.Dir(s.dir), path)
		if err != nil {
			return err
		}
		return each(rel)
	})
	return s.meaning(err)
}

func noHash(name string) error {
	return ibid.Errorf(ibid.CodeNotFound, "there is no version %q", name)
}

func (s *Store) isGone(hash string, err error) error {
	err = s.meaning(err)
	if errors.Is(err, fs.ErrNotExist) {
		return ibid.Errorf(ibid.CodeNotFound, "the original of version %s is gone", hash)
	}
	return s.doing("look for the original of version "+hash, err)
}

// doing is the meaning of an error, and says what was being done where that is news.
func (s *Store) doing(what string, err error) error {
	err = s.meaning(err)
	var known *ibid.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}
