//go:build unix

package document

import (
	"errors"
	"os/exec"
	"syscall"
)

// killedFromOutside reports whether a process that this one has not killed was
// ended by a signal that programs do not send themselves.
func killedFromOutside(ended error) bool {
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
