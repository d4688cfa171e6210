package tool

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/text"
)

// The shelf as a graph: what its passages name, by the heuristic.

func (s *shelf) EntityKeys(_ context.Context, _ access.View, key string, _ int) ([]string, error) {
	for _, p := range s.passages {
		for _, name := range text.Entities(p.Text) {
			if known := text.EntityKey(name); known == key || holds(known, key) {
				return []string{known}, s.err
			}
		}
	}
	return nil, s.err
}

func (s *shelf) PassagesNaming(_ context.Context, _ access.View, keys []string, scope ibid.Scope, _ int) (map[string][]string, error) {
	out := map[string][]string{}
	for _, p := range s.passages {
		for _, name := range text.Entities(p.Text) {
			if key := text.EntityKey(name); slices.Contains(keys, key) && (s.leak || scope.Includes(p.Document)) {
				out[key] = append(out[key], p.ID)
			}
		}
	}
	return out, s.err
}

func (s *shelf) Neighbours(_ context.Context, _ access.View, ids []string) (near []ibid.Neighbour, passages int, err error) {
	for _, p := range s.passages {
		for _, name := range text.Entities(p.Text) {
			key := text.EntityKey(name)
			i := slices.IndexFunc(near, func(n ibid.Neighbour) bool { return n.Key == key })
			if i < 0 {
				i = len(near)
				near = append(near, ibid.Neighbour{Key: key, Name: name})
			}
			near[i].Passages++
			if slices.Contains(ids, p.ID) {
				near[i].Together++
			}
		}
	}
	return slices.DeleteFunc(near, func(n ibid.Neighbour) bool { return n.Together == 0 }), len(s.passages), s.err
}

func (s *shelf) Among(ctx context.Context, view access.View, q search.Query, ids []string) (search.Result, error) {
	limit := q.Limit
	q.Limit = len(s.passages)
	r, err := s.Search(ctx, view, q)
	r.Passages = slices.DeleteFunc(r.Passages, func(p ibid.Passage) bool { return !slices.Contains(ids, p.ID) })
	for _, p := range s.passages {
		if slices.Contains(ids, p.ID) && !slices.ContainsFunc(r.Passages, func(f ibid.Passage) bool { return f.ID == p.ID }) {
			p.Score = 0
			r.Passages = append(r.Passages, p)
		}
	}
	r.Passages = r.Passages[:min(limit, len(r.Passages))]
	return r, err
}

// TestGraphTakesTwoSteps: where the owner of what built the bridge lives stands
// in a passage that names neither the bridge nor its builder.
func TestGraphTakesTwoSteps(t *testing.T) {
	s := &shelf{texts: map[string]string{}}
	s.add(ibid.Document{ID: "d1", Name: "bridges.txt", Category: "work"}, "The Harbour Bridge was built by Northgate Engineering in 1932.", "The old bridge fell.")
	s.add(ibid.Document{ID: "d2", Name: "companies.txt", Category: "work"}, "Northgate Engineering belongs to Lady Ada Marsh.", "Southgate Engineering belongs to the state.")
	s.add(ibid.Document{ID: "d3", Name: "people.txt", Category: "work"}, "Lady Ada Marsh has her home in a lighthouse.", "Lady Ada Marsh collects stamps.")
	s.add(ibid.Document{ID: "d4", Name: "secret.txt", Category: "private"}, "Northgate Engineering has its home in the Cayman Islands.")
	work := ibid.ToolEnv{Scope: ibid.Scope{Category: "work"}}
	ask := map[string]any{"entity": "harbour bridge", "about": "home"}
	out := call(t, NewSearchGraph(s, s), ask, work)
	if out.Failed || chunkIDs(out.Passages) != "c_d1_0 c_d3_0 c_d2_0" {
		t.Errorf("got %s, %q", chunkIDs(out.Passages), out.Content)
	}
	for _, want := range []string{"Named together with harbour bridge: Northgate Engineering (1 passage).",
		"2. harbour bridge – Northgate Engineering – Lady Ada Marsh; 3. harbour bridge – Northgate Engineering."} {
		if !strings.Contains(out.Content, want) {
			t.Errorf("%q is not in %q", want, out.Content)
		}
	}
	if out.Retrieval == nil || out.Retrieval.Levels["L2"] != 3 || !strings.HasSuffix(out.Summary, "1 neighbour of harbour bridge: harbour bridge – Northgate Engineering – Lady Ada Marsh") {
		t.Errorf("%+v, %q", out.Retrieval, out.Summary)
	}
	ask["hops"] = 1
	if out := call(t, NewSearchGraph(s, s), ask, work); chunkIDs(out.Passages) != "c_d1_0 c_d2_0" {
		t.Errorf("one step: %s", chunkIDs(out.Passages))
	}
	s.leak = true
	if out := call(t, NewSearchGraph(s, s), ask, work); strings.Contains(chunkIDs(out.Passages), "d4") {
		t.Errorf("beyond the scope: %s", chunkIDs(out.Passages))
	}
}

// TestGraphFindsWhatItDoesNotKnow: a name in small letters is no entity, but
// what stands beside it is.
func TestGraphFindsWhatItDoesNotKnow(t *testing.T) {
	s := &shelf{texts: map[string]string{}}
	s.add(ibid.Document{ID: "d1", Name: "a.txt"}, "Only the kipper soup was praised by Ada Marsh.")
	s.add(ibid.Document{ID: "d2", Name: "b.txt"}, "Ada Marsh is a critic.")
	if out := call(t, NewSearchGraph(s, s), map[string]any{"entity": "kipper soup"}, ibid.ToolEnv{}); chunkIDs(out.Passages) != "c_d1_0 c_d2_0" {
		t.Errorf("got %s", chunkIDs(out.Passages))
	}
	if out := call(t, NewSearchGraph(s, s), map[string]any{"entity": "Zebra Crossing"}, ibid.ToolEnv{}); len(out.Passages) != 0 || out.Content != "No passage matches." {
		t.Errorf("nobody knows it: %+v", out)
	}
	if out := call(t, NewSearchGraph(s, s), map[string]any{}, ibid.ToolEnv{}); !out.Failed {
		t.Errorf("without an entity: %+v", out)
	}
}

// TestGraphLeavesOutWhatIsEverywhere: a name of every passage leads to them all.
func TestGraphLeavesOutWhatIsEverywhere(t *testing.T) {
	s := &shelf{texts: map[string]string{}}
	texts := slices.Repeat([]string{"A page of Acme Limited."}, 2*graphCommon)
	texts[0] = "Harbour Bridge was built by Northgate Engineering for Acme Limited."
	s.add(ibid.Document{ID: "d1", Name: "a.txt"}, texts...)
	out := call(t, NewSearchGraph(s, s), map[string]any{"entity": "Harbour Bridge"}, ibid.ToolEnv{})
	if chunkIDs(out.Passages) != "c_d1_0" || strings.Contains(out.Content, "Acme") || !strings.Contains(out.Content, "Northgate") {
		t.Errorf("got %s, %q", chunkIDs(out.Passages), out.Content)
	}
}

func TestWhatBelongsTogether(t *testing.T) {
	often := belongs(ibid.Neighbour{Together: 5, Passages: 6}, 10, 1000)
	once := belongs(ibid.Neighbour{Together: 1, Passages: 1}, 10, 1000)
	chance := belongs(ibid.Neighbour{Together: 5, Passages: 500}, 10, 1000)
	if !(often > once && once > chance) {
		t.Errorf("often %v, once %v, by chance %v", often, once, chance)
	}
}
