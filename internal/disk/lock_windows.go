package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock takes an exclusive lock on an open file. The system frees it when the file
// is closed or the process ends, however it ends. It does not wait: the error is
// ErrLocked where someone else has the file locked, be it through another open of
// it in this process. The locked byte lies far beyond what the file holds, which
// others must be able to read.
func Lock(f *os.File) error { return lockByte(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockedByOther reports whether someone else has an open file locked with Lock.
// Asking locks nobody out: several may ask at once.
func LockedByOther(f *os.File) (bool, error) {
	err := lockByte(f, 0)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	return false, err
}

func lockByte(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
