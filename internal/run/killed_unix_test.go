//go:build unix

package run

import (
	"syscall"
	"testing"
	"time"

	"ibid"
)

// freeze stops the process until the returned function lets it go on.
func (p *process) freeze() (thaw func()) {
	p.t.Helper()
	pid := p.cmd.Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		p.t.Fatal(err)
	}
	var status syscall.WaitStatus
	for !status.Stopped() {
		if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil && err != syscall.EINTR {
			p.t.Fatal(err)
		}
	}
	return func() {
		p.t.Helper()
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			p.t.Fatal(err)
		}
	}
}

// The process that asks for a stop is killed before the one that works has heard of it.
// The stop is asked for all the same.
func TestTheOneThatStopsIsKilled(t *testing.T) {
	dir := t.TempDir()
	var hints <-chan string
	here, _ := openScripted(t, dir, patient, func(c *Config) { hints = c.Notifier.Listen(t.Context()) })
	// The hint may be lost with the one that is killed; then a renewal says it.
	there := child{Dir: dir, Lease: 6 * time.Second}.start(t)
	id, w := there.works(here, "t1")
	there.tell("say half")
	w.word("half")
	stopping := startProcess(t, dir)
	thaw := there.freeze()
	stopping.tell("stop t1")
	limit := time.After(patience)
	for heard := ""; heard != topicStop+id; {
		select {
		case heard = <-hints:
		case <-limit:
			t.Fatal("nobody has asked for a stop")
		}
	}
	stopping.kill()
	thaw()
	if cause := there.says("cut"); cause != errStopped.Error() {
		t.Errorf("the run was cut because %s", cause)
	}
	w.finished(ibid.StatusStopped)
	here.saved(t, id, ibid.StatusStopped, 1, "half")
}
