//go:build unix

package extract

import (
	"syscall"
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
		_ = w.in.Close()
		_ = w.cmd.Wait()
		state := w.cmd.ProcessState
		cpu += state.UserTime() + state.SystemTime()
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, usage.Maxrss<<10)
		}
	}
	p.Stop()
	return cpu, peak
}
