package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ibid"
	"ibid/internal/access"
)

// A search may allocate what it returns and what it reads the query into, and no
// more, however large the index is: the rest is used again.
const (
	lexicalAllocations = 50
	vectorAllocations  = 25
)

func TestAllocations(t *testing.T) {
	x := New(Config{SegmentChunks: 500})
	rng := rand.New(rand.NewPCG(12, 12))
	for d := range 40 {
		s := stored{doc: ibid.Document{ID: fmt.Sprint(d)}}
		for i := range 100 {
			s.chunks = append(s.chunks, ibid.Chunk{ID: fmt.Sprint(d, "/", i), Text: randomText(rng, 40)})
		}
		x.put(0, s.doc, s.chunks)
		putVectors(t, x, s.chunks)
	}
	v := randomVector(rng, 70)
	if n := testing.AllocsPerRun(50, func() { lexical(t, x, "river water bank money house", 20, ibid.Scope{}) }); n > lexicalAllocations {
		t.Errorf("a search by words allocates %v times", n)
	}
	if n := testing.AllocsPerRun(50, func() {
		if _, err := x.Vector(context.Background(), access.System("a test"), "test", v, 20, ibid.Scope{}); err != nil {
			t.Fatal(err)
		}
	}); n > vectorAllocations {
		t.Errorf("a search by vectors allocates %v times", n)
	}
}
