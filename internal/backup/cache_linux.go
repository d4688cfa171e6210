package backup

import "golang.org/x/sys/unix"

// dropCache lets the kernel forget the pages of a file that are on disk.
func dropCache(fd uintptr) { _ = unix.Fadvise(int(fd), 0, 0, unix.FADV_DONTNEED) }
