//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes an exclusive lock on an open file. The kernel frees it when the file
// is closed or the process ends, however it ends. It does not wait: the error is
// ErrLocked where someone else has the file locked, be it through another open of
// it in this process.
func Lock(f *os.File) error { return flock(f, unix.LOCK_EX) }

// LockedByOther reports whether someone else has an open file locked with Lock.
// Asking locks nobody out: several may ask at once.
func LockedByOther(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	return false, err
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		case errors.Is(err, unix.EINTR):
			continue
		}
		return err
	}
}
