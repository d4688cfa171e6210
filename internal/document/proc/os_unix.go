//go:build unix && !linux

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// Prepare puts a worker into a process group of its own, so that it can be
// killed together with what it starts.
func Prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func KillGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// OpenFlags never waits for the other end of a FIFO.
func OpenFlags(noFollow bool) int {
	flags := syscall.O_NONBLOCK | syscall.O_CLOEXEC
	if noFollow {
		flags |= syscall.O_NOFOLLOW
	}
	return flags
}
