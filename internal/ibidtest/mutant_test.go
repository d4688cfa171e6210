package ibidtest

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// tickets is a contract as small as can be, to test the suites' own tools with: each
// number is handed out once, whoever asks.
type tickets interface{ Next() int64 }

// office is where the tickets lie, opened by several counters.
type office struct{ last atomic.Int64 }

type counter struct{ *office }

func (c counter) Next() int64 { return c.last.Add(1) }

func ticketOffice(t testing.TB) Opener[tickets] {
	o := &office{}
	return func(t testing.TB) tickets { return counter{o} }
}

var ticketCases = []Case[tickets]{
	{"tickets begin at one", func(t *testing.T, open Opener[tickets]) {
		if n := open(t).Next(); n != 1 {
			t.Errorf("the first ticket is %d", n)
		}
	}},
	{"every ticket is handed out once, at two counters", func(t *testing.T, open Opener[tickets]) {
		var mu sync.Mutex
		seen := map[int64]bool{}
		Contend(t, []tickets{open(t), open(t)}, 2, func(s tickets, n int) bool {
			ticket := s.Next()
			mu.Lock()
			defer mu.Unlock()
			if seen[ticket] {
				t.Errorf("ticket %d comes twice", ticket)
			}
			seen[ticket] = true
			return len(seen) < 40 && n < 100
		})
	}},
	{"a case that panics", func(t *testing.T, open Opener[tickets]) {
		if open(t).Next() == 0 {
			panic("oh")
		}
	}},
}

// always hands out one number.
type always int64

func (a always) Next() int64 { return int64(a) }

func TestTickets(t *testing.T) { Run(t, ticketCases, ticketOffice) }

func TestMutantsOfTickets(t *testing.T) {
	Mutants(t, ticketCases, ticketOffice, []Mutant[tickets]{
		{"the first is two", "tickets begin at one", func(s tickets) tickets { s.Next(); return s }},
		{"a counter hands out one number", "every ticket is handed out once, at two counters", func(tickets) tickets { return always(7) }},
	})
}

// TestMutantsThatAreNotNoticed runs what Mutants must complain about. Its process is
// the one that looks, so it starts none that calls Mutants itself.
func TestMutantsThatAreNotNoticed(t *testing.T) {
	WithoutRace(t, "starts processes, and nothing at once")
	mutants := []Mutant[tickets]{
		{"nothing is wrong", "tickets begin at one", func(s tickets) tickets { return s }},
		{"it panics", "a case that panics", func(tickets) tickets { return always(0) }},
		{"nobody looks", "no such case", func(s tickets) tickets { return s }},
	}
	if name := os.Getenv(mutantEnv); name != "" {
		runMutant(t, name, ticketCases, ticketOffice, mutants)
		return
	}
	for i, want := range []string{"did not notice", "ended in", "there is no case"} {
		err := noticed(t.Context(), t.Name(), mutants[i].Name, mutants[i].Case)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", mutants[i].Name, err, want)
		}
	}
}
