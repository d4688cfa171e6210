package search

import (
	"slices"
	"sync"
	"time"
)

// recent is how many searches the percentiles are taken of.
const recent = 1000

// Latency is how long the last searches of this process took.
type Latency struct {
	P50, P99 time.Duration
	Searches int // how many that is of, at most 1000
}

// latencies keeps the times of the last searches.
type latencies struct {
	mu    sync.Mutex
	times []time.Duration
	next  int
}

func (l *latencies) add(t time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.times) < recent {
		l.times = append(l.times, t)
		return
	}
	l.times[l.next] = t
	l.next = (l.next + 1) % recent
}

func (l *latencies) latency() Latency {
	l.mu.Lock()
	sorted := slices.Clone(l.times)
	l.mu.Unlock()
	if len(sorted) == 0 {
		return Latency{}
	}
	slices.Sort(sorted)
	return Latency{P50: percentile(sorted, 50), P99: percentile(sorted, 99), Searches: len(sorted)}
}

// percentile is the smallest time that p % of the sorted times do not exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[(len(sorted)*p+99)/100-1]
}

// Latency returns how long the last searches took.
func (s *Searcher) Latency() Latency { return s.latencies.latency() }
