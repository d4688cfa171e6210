package disk

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// SameDevice reports whether two files lie on one file system. Nobody can say here, so
// they do.
func SameDevice(fs.FileInfo, fs.FileInfo) bool { return true }

// IsAway reports whether an error says that the disk, or the machine that has it, does
// not answer.
func IsAway(err error) bool {
	for _, away := range []error{windows.ERROR_NOT_READY, windows.ERROR_BAD_NETPATH, windows.ERROR_NETNAME_DELETED, windows.ERROR_BAD_NET_NAME,
		windows.ERROR_NETWORK_UNREACHABLE, windows.ERROR_HOST_UNREACHABLE, windows.ERROR_DEV_NOT_EXIST, windows.ERROR_SEM_TIMEOUT} {
		if errors.Is(err, away) {
			return true
		}
	}
	return false
}
