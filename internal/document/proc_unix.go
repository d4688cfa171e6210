//go:build unix && !linux

package document

import (
	"os"
	"os/exec"
	"syscall"
)

// prepare puts a worker into a process group of its own, so that it can be
// killed together with what it starts.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// openFlags never waits for the other end of a FIFO.
func openFlags(noFollow bool) int {
	flags := syscall.O_NONBLOCK | syscall.O_CLOEXEC
	if noFollow {
		flags |= syscall.O_NOFOLLOW
	}
	return flags
}
