//go:build unix

package proc

import (
	"errors"
	"os/exec"
	"syscall"
)

// KilledFromOutside reports whether a process that this one has not killed was
// ended by a signal that programs do not send themselves.
func KilledFromOutside(ended error) bool {
	var exit *exec.ExitError
	if !errors.As(ended, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		return true
	}
	return false
}
