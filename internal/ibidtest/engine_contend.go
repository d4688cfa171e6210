package ibidtest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
)

func engineNeverMissing(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	version := func(n int) engine.Put {
		p := putText(int64(n), "d", "The walrus sleeps.", "The walrus wakes.")
		for i := range p.Passages {
			p.Passages[i].ID = fmt.Sprintf("d-%d-%d", n%3, i)
		}
		return p
	}
	a.apply(version(1))
	var done atomic.Bool
	Contend(t, []Engine{a.Engine, b.Engine}, 2, func(e Engine, n int) bool {
		if n == 0 { // one writes
			defer done.Store(true)
			for i := range 150 {
				if err := e.Apply(t.Context(), []engine.Change{version(2 + i)}); err != nil {
					t.Error(err)
				}
			}
			return false
		}
		found, err := e.Lexical(t.Context(), access.For(ibid.Owner), "walrus", 9, ibid.Scope{})
		if err != nil || len(found) == 0 {
			t.Errorf("found %v, %v", found, err)
			return false
		}
		return !done.Load()
	})
}

func engineContention(t *testing.T, open Opener[Engine]) {
	engines := []Engine{open(t), open(t)}
	const documents = 60
	Contend(t, engines, 2, func(e Engine, n int) bool {
		if n >= documents {
			return false
		}
		id := fmt.Sprint("d", n)
		if err := e.Apply(t.Context(), []engine.Change{putText(int64(n+1), id, "The walrus sleeps.", "The pond is cold."),
			vectorsAt("s", map[string]float64{id + "-1": 10, id + "-2": 20})}); err != nil {
			t.Error(err)
		}
		if n%3 == 2 {
			if err := e.Apply(t.Context(), []engine.Change{engine.Remove{Number: int64(documents + n), DocumentID: id}}); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	for _, e := range engines {
		s := engineTest{e, t}.state()
		if want := 2 * documents * 2 / 3; s.Chunks != want || s.Vectors["s"] != want || s.Applied != 2*documents-1 {
			t.Errorf("state %+v, want %d passages", s, want)
		}
	}
}

func engineNewest(t *testing.T, open Opener[Engine]) {
	engines := []Engine{open(t), open(t)}
	const versions = 60
	Contend(t, engines, 2, func(e Engine, n int) bool {
		if n >= versions {
			return false
		}
		number := int64(1 + n*37%versions) // in no order
		if err := e.Apply(t.Context(), []engine.Change{putText(number, "d", "This is version "+wordOf(number)+" of it.")}); err != nil {
			t.Error(err)
		}
		return true
	})
	for _, e := range engines {
		for n := int64(1); n <= versions; n++ {
			want := ""
			if n == versions {
				want = "d-1"
			}
			if got := (engineTest{e, t}).words(wordOf(n), ibid.Scope{}); got != want {
				t.Errorf("version %d: %q, want %q", n, got, want)
			}
		}
	}
}

// wordOf is a word that stands for a number.
func wordOf(n int64) string { return fmt.Sprintf("qu%c%cx", 'a'+n/26, 'a'+n%26) }
