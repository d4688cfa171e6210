package adding

import (
	"slices"

	"golang.org/x/sys/unix"
)

// ofTheSystem reports whether a folder holds no files but what the kernel makes up:
// to read those may block, never end, or change something.
func ofTheSystem(dir string) bool {
	if dir == "/dev" {
		return true
	}
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return false
	}
	return slices.Contains([]uint32{
		unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
		unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEVPTS_SUPER_MAGIC, unix.BPF_FS_MAGIC,
		unix.SELINUX_MAGIC, unix.EFIVARFS_MAGIC, unix.BINFMTFS_MAGIC, unix.PSTOREFS_MAGIC, unix.NSFS_MAGIC,
	}, uint32(fs.Type))
}
