package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFollowed compares lists of all lengths, which are read or skipped in, with
// looking every occurrence up.
func TestFollowed(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	list := func(n int) []uint32 {
		made := make([]uint32, n)
		for i := range made {
			made[i] = uint32(rng.IntN(1500)) // some twice, as joined forms are
		}
		slices.Sort(made)
		return made
	}
	lengths := []int{0, 1, 2, 7, 40, 300, 2000}
	pairs := 0
	for range 30 {
		for _, n := range lengths {
			for _, m := range lengths {
				first, second := list(n), list(m)
				var want []uint32
				for _, o := range first {
					if slices.Contains(second, o+1) {
						want = append(want, o)
					}
				}
				if got := followed(nil, first, second); !slices.Equal(got, want) {
					t.Fatalf("in %v and %v: %v, want %v", first, second, got, want)
				}
				pairs += len(want)
			}
		}
	}
	if pairs == 0 {
		t.Error("nothing follows anything")
	}
}
