package dir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ibid/internal/disk"
)

// Bytes are put and deleted by whoever holds the lock of their hash: a file that is
// locked by the kernel, which frees it when a process ends, however it ends. The file
// is there only while somebody holds it:
//
//	open or make it ─▶ lock it ─▶ is it still the file of that name? ─▶ work ─▶ remove it
//	      ▲                                        │ no: its holder has removed it
//	      └────────────────────────────────────────┘
const lockPrefix = "lock-"

// longestPause bounds the pause between two attempts to get a lock, which is held for
// about as long as a directory is synced.
const longestPause = 20 * time.Millisecond

// lock waits for the lock of a hash.
func (s *Store) lock(ctx context.Context, hash string) (unlock func(), err error) {
	path := filepath.Join(s.tmp(), lockPrefix+hash)
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, longestPause) {
		f, err := tryLock(path)
		if err != nil {
			return nil, err
		}
		if f != nil {
			return func() { removeLocked(f) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// tryLock returns a locked file of a name, which it makes if need be; nil where somebody
// else has it locked.
func tryLock(path string) (*os.File, error) { return lockFile(path, os.O_RDWR|os.O_CREATE) }

// lockFile opens and locks a file. It returns nil where somebody else has it locked, or
// has removed it meanwhile. (Network drives lock only what may be written.)
func lockFile(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	err = disk.Lock(f)
	if err == nil && sameFile(f, path) {
		return f, nil
	}
	f.Close()
	if err != nil && !errors.Is(err, disk.ErrLocked) {
		return nil, err
	}
	return nil, nil
}

// sameFile reports whether an open file still has a name.
func sameFile(f *os.File, path string) bool {
	ours, err1 := f.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(ours, there)
}

// removeLocked removes a file that is locked, and frees the lock. Nobody minds one that
// is left: whoever comes next locks it.
func removeLocked(f *os.File) {
	if runtime.GOOS == "windows" { // it removes no open file, also not one that another process has opened since
		f.Close()
		_ = os.Remove(f.Name())
		return
	}
	_ = os.Remove(f.Name())
	f.Close()
}

// clear removes what processes that have ended left in the directory of uploads. What
// others have locked there is theirs.
func (s *Store) clear() error {
	entries, err := os.ReadDir(s.tmp())
	if err != nil {
		return err
	}
	for _, e := range entries {
		lock, upload := strings.HasPrefix(e.Name(), lockPrefix), strings.HasPrefix(e.Name(), uploadPrefix)
		if !e.Type().IsRegular() || !lock && !upload {
			continue
		}
		f, err := lockFile(filepath.Join(s.tmp(), e.Name()), os.O_RDWR)
		if f == nil && (err == nil || errors.Is(err, fs.ErrNotExist)) {
			continue
		}
		if err != nil {
			return err
		}
		if lock {
			removeLocked(f)
			continue
		}
		if runtime.GOOS == "windows" {
			f.Close() // it removes no open file
		}
		err = s.disk.Remove(f.Name())
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// makeUpload makes a file for an upload and locks it. Between the two a process that
// starts may clear it away; then another is made.
func (s *Store) makeUpload() (f disk.File, lock *os.File, err error) {
	for lock == nil {
		if f, err = s.disk.CreateTemp(s.tmp(), uploadPrefix); err != nil {
			return nil, nil, err
		}
		if lock, err = lockFile(f.Name(), os.O_RDWR); err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = errors.Join(f.Close(), s.disk.Remove(f.Name()))
			return nil, nil, err
		}
		if lock == nil {
			f.Close()
		}
	}
	return f, lock, nil
}
