//go:build !linux

package backup

// dropCache is only there on Linux.
func dropCache(uintptr) {}
