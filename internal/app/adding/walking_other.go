//go:build !linux

package adding

// ofTheSystem reports whether a folder holds no files but what the system makes up.
func ofTheSystem(dir string) bool { return dir == "/dev" }
