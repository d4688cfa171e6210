//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"syscall"
)

// SameDevice reports whether two files lie on one file system.
func SameDevice(a, b fs.FileInfo) bool {
	one, ok1 := a.Sys().(*syscall.Stat_t)
	other, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && one.Dev == other.Dev
}

// IsAway reports whether an error says that the disk, or the machine that has it, does
// not answer. (EIO may be one damaged block.)
func IsAway(err error) bool {
	for _, away := range []error{syscall.ESTALE, syscall.ENOTCONN, syscall.ETIMEDOUT, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.ENODEV, syscall.ENXIO} {
		if errors.Is(err, away) {
			return true
		}
	}
	return false
}
