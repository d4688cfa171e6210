package ibidtest

import (
	"sync"
	"testing"
)

// Contend does something many times at once: workers goroutines for each store, which
// wait for one another before they begin, each calling do until it returns false. Its
// calls get the store and a number of their own, from 0 up. The stores are openings of
// one place, as several processes would have them.
//
// do must not call t.Fatal, which belongs to the goroutine of the test: it uses t.Error
// and returns false.
func Contend[S any](t testing.TB, stores []S, workers int, do func(s S, n int) bool) {
	t.Helper()
	var ready, done sync.WaitGroup
	var mu sync.Mutex
	calls := 0
	next := func() int {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return calls - 1
	}
	begin := make(chan struct{})
	for _, s := range stores {
		for range workers {
			ready.Add(1)
			done.Go(func() {
				ready.Done()
				<-begin
				for do(s, next()) {
				}
			})
		}
	}
	ready.Wait()
	close(begin)
	done.Wait()
}
