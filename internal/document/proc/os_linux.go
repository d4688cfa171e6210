package proc

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Prepare puts a worker into a process group of its own, so that it can be
// killed together with what it starts, and ties its life to that of its parent.
func Prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func KillGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// ResidentBytes returns the memory a process occupies, 0 when it has ended.
// Reserved address space, of which WebAssembly takes much, does not count.
func ResidentBytes(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// LimitMemory bounds the address space of a process that was just started.
func LimitMemory(pid int, bytes uint64) {
	limit := unix.Rlimit{Cur: bytes, Max: bytes}
	_ = unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil) // it is killed with the worker at the latest
}

// behind is the nice value of a worker: where it and whoever asks a question want
// the same core, the question goes first, and the worker still gets a quarter.
const behind = 5

// StandBack lowers the priority of this process. Linux keeps it for each thread;
// those to come have that of the thread that begins them.
func StandBack() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, behind)
		}
	}
}

// BoundMemory has nothing to add to the parent's watch.
func BoundMemory(int64) {}

// OpenFlags never waits for the other end of a FIFO.
func OpenFlags(noFollow bool) int {
	flags := syscall.O_NONBLOCK | syscall.O_CLOEXEC
	if noFollow {
		flags |= syscall.O_NOFOLLOW
	}
	return flags
}
