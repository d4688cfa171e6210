//go:build unix

package disk

import "golang.org/x/sys/unix"

// Free is the room that is left for us on the disk of a directory.
func Free(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
