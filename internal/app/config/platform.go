package config

import (
	"path/filepath"
	"runtime"
)

// platformDataDir is where programs keep their users' data on this system, ""
// when that is unknown.
func platformDataDir(e Environment) string {
	// The XDG base directory specification says to ignore relative paths.
	if dir := e.Get("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ibid")
	}
	home := e.Get("HOME")
	switch {
	case runtime.GOOS == "windows" && e.Get("LOCALAPPDATA") != "":
		return filepath.Join(e.Get("LOCALAPPDATA"), "ibid")
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "ibid")
	}
	return filepath.Join(home, ".local", "share", "ibid")
}

// platformConfigDir is where programs keep their users' configuration, "" when
// that is unknown.
func platformConfigDir(e Environment) string {
	if dir := e.Get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ibid")
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(e.Get("APPDATA"), "ibid")
	}
	if home := e.Get("HOME"); home != "" {
		return filepath.Join(home, ".config", "ibid")
	}
	return ""
}
