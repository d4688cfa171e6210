package main

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"
)

// measureBusy compares searches of an idle server with those of one that takes
// documents in all the while, in one run. The library has as many chunks in both
// cases, but for those that come in meanwhile.
func measureBusy(ctx context.Context, o options, s *server, gen *generator, label string, t *table) error {
	idle, err := searchTimes(ctx, s, gen, 20+100*o.runs)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var adding sync.WaitGroup
	var added error
	more := newGenerator(uint64(len(idle)) + 99) // other documents; gen is not for two goroutines
	more.n = gen.n
	before, err := s.library(ctx)
	if err != nil {
		return err
	}
	adding.Go(func() { added = s.keepAdding(ctx, more, stop) })
	busy, err := searchTimes(ctx, s, gen, 20+100*o.runs)
	close(stop)
	adding.Wait()
	if err == nil {
		err = added
	}
	if err != nil {
		return err
	}
	gen.n = more.n
	after, err := s.wait(ctx)
	if err != nil {
		return err
	}
	t.add(fmt.Sprintf("search over %s chunks, idle, p50 / p99", label), both(idle), len(idle))
	t.add(fmt.Sprintf("  while %d chunks were taken in", after.chunks-before.chunks),
		fmt.Sprintf("%s (×%.1f / ×%.1f)", both(busy), times(busy, idle, 50), times(busy, idle, 99)), len(busy))
	return nil
}

// times is how many times as long a percentile of one list is as of another.
func times(a, b []time.Duration, p int) float64 {
	return float64(percentile(a, p)) / float64(max(1, percentile(b, p)))
}

// keepAdding sends documents so that some always wait, until stop is closed.
func (s *server) keepAdding(ctx context.Context, gen *generator, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		var status struct {
			Queue struct{ Waiting int }
		}
		if err := s.get(ctx, "/v1/status", &status); err != nil {
			return err
		}
		if status.Queue.Waiting >= 40 {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if _, err := s.addDocuments(ctx, gen, 20); err != nil {
			return err
		}
	}
}

// searchTimes asks n questions, one after the other; the first 20 warm up.
func searchTimes(ctx context.Context, s *server, gen *generator, n int) ([]time.Duration, error) {
	var took []time.Duration
	for i := range n {
		query := url.Values{"q": {gen.query()}}
		began := time.Now()
		if err := s.get(ctx, "/v1/search?"+query.Encode(), nil); err != nil {
			return nil, err
		}
		if i >= 20 {
			took = append(took, time.Since(began))
		}
	}
	return took, nil
}

// measureBusyAlone fills a library and measures nothing but this.
func measureBusyAlone(ctx context.Context, o options, model *modelServer, t *table) error {
	return withServer(ctx, o, model, func(s *server) error {
		gen := newGenerator(1)
		for _, size := range []int{10_000, 100_000} {
			if size > o.busy {
				break
			}
			if _, _, err := s.fill(ctx, gen, size); err != nil {
				return err
			}
			s.settle(ctx)
			if err := measureBusy(ctx, o, s, gen, fmt.Sprintf("%dk", size/1000), t); err != nil {
				return err
			}
		}
		return nil
	})
}
