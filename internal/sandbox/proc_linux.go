package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// prepare ties the life of a worker to that of its parent.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limitSelf bounds this process: so much address space beyond what it has, so much
// processor time, no file written, no process started.
func limitSelf(memory int64, seconds int) {
	set := func(what int, n uint64) {
		_ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: n, Max: n}) // the watch on the heap is left
	}
	if has := addressSpace(); has > 0 {
		// Twice: the garbage collector needs room for its own, and moves the large.
		set(syscall.RLIMIT_AS, uint64(has+2*memory+detectorBytes))
	}
	set(syscall.RLIMIT_CPU, uint64(seconds))
	set(syscall.RLIMIT_FSIZE, 0)
	set(syscall.RLIMIT_CORE, 0)
}

// addressSpace is what this process has, in bytes; 0 when it is not known.
func addressSpace() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	first, _, _ := bytes.Cut(b, []byte(" "))
	pages, err := strconv.ParseInt(string(first), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
