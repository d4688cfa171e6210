//go:build unix

package document

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// StopAndMeasure ends the workers that are idle, lets them finish by
// themselves, and returns the CPU time and the most memory that they used.
func (p *Pool) StopAndMeasure() (cpu time.Duration, peak int64) {
	p.mu.Lock()
	free := p.free
	p.free = nil
	p.mu.Unlock()
	for _, w := range free {
		if w.idle.Stop() {
			p.timers.Done()
		}
		peak = max(peak, peakBytes(w.cmd.Process.Pid))
		_ = w.in.Close()
		_ = w.cmd.Wait()
		state := w.cmd.ProcessState
		cpu += state.UserTime() + state.SystemTime()
	}
	p.Stop()
	return cpu, peak
}

// peakBytes returns the most memory a process has occupied, 0 where the system
// does not say.
func peakBytes(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(b), "VmHWM:")
	var kilobytes int64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10
}
