package document

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

// What has nothing to do with the file does not count as standing still, and
// what comes after it does.
func TestStartingIsNoStall(t *testing.T) {
	self := &process{cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}}}
	w := &watch{process: self, limits: Limits{Timeout: 10 * time.Minute, Stall: time.Minute, MemoryBytes: 1 << 40}}
	now := time.Now()
	deadline, late := now.Add(w.limits.Timeout), now.Add(5*time.Minute)
	w.wait()
	if err := w.check(late, deadline); err != nil {
		t.Errorf("while it starts: %v", err)
	}
	if err := w.check(deadline.Add(time.Second), deadline); !errors.Is(err, errTimeout) {
		t.Errorf("after the time of the whole file: %v", err)
	}
	w.touch()
	if err := w.check(late, deadline); !errors.Is(err, errStalled) {
		t.Errorf("once it has started: %v", err)
	}
}
