//go:build !windows

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func syncDir(path string) error {
	d, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil // whoever made /srv may let us pass it and not open it
	}
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	// Some network file systems cannot sync a directory and say so.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
