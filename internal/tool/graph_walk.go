package tool

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/text"
)

const (
	graphStarts   = 3   // entities that a name may mean
	graphPassages = 100 // passages of the entity that are looked at
	graphNear     = 8   // neighbours of the entity
	graphFar      = 3   // neighbours of each of those
	graphEach     = 20  // passages of each neighbour

	// An entity that more than a twentieth of all passages name, and more than
	// graphCommon, leads everywhere and is not walked.
	graphCommon      = 20
	graphCommonShare = 20
)

// walk is one walk over the graph, breadth first. All that it meets lies in the
// scope.
type walk struct {
	tool  *SearchGraph
	scope ibid.Scope

	start   string              // the entity, on one line
	own     []string            // ids of its passages
	reached []string            // ids of passages beyond, the nearest first
	paths   map[string][]string // names on the way to each passage
	seen    []string            // keys of what was walked
	near    []ibid.Neighbour    // what stands beside the entity
	edge    []place             // where the walk has come to
}

// place is an entity that the walk has come to.
type place struct {
	path     []string // names, up to its own
	passages []string // ids of those that name it
}

// begin finds the entity. One that the graph does not know is looked for by its
// words: what is named beside it is known all the same.
func (w *walk) begin(ctx context.Context, view access.View, entity string) error {
	w.start = line(entity, 100)
	key := text.EntityKey(entity)
	keys, err := w.tool.graph.EntityKeys(ctx, view, key, graphStarts)
	if err != nil {
		return err
	}
	w.seen = append(keys, key)
	named, err := w.tool.graph.PassagesNaming(ctx, view, keys, w.scope, graphPassages)
	if err != nil {
		return err
	}
	for _, k := range keys {
		w.visit(&w.own, named[k], w.start)
	}
	if len(w.own) == 0 {
		found, err := find(ctx, view, w.tool.searcher, search.Query{Text: entity, Mode: search.ModeLexical, NoRerank: true, Scope: w.scope, Limit: maxNamed})
		if err != nil {
			return err
		}
		for _, p := range found.Passages {
			if mentions(p.Text, entity) {
				w.visit(&w.own, []string{p.ID}, w.start)
			}
		}
	}
	w.edge = []place{{[]string{w.start}, w.own}}
	return nil
}

// step goes from where the walk has come to on to the neighbours.
func (w *walk) step(ctx context.Context, view access.View) error {
	first, most := len(w.edge) == 1 && len(w.edge[0].path) == 1, graphFar
	if first {
		most = graphNear
	}
	var edge []place
	for _, at := range w.edge {
		near, err := w.neighbours(ctx, view, at, most)
		if err != nil {
			return err
		}
		if first {
			w.near = near
		}
		keys := make([]string, len(near))
		for i, n := range near {
			keys[i] = n.Key
		}
		named, err := w.tool.graph.PassagesNaming(ctx, view, keys, w.scope, graphEach)
		if err != nil {
			return err
		}
		for _, n := range near {
			next := place{append(slices.Clone(at.path), line(n.Name, 80)), named[n.Key]}
			w.visit(&w.reached, next.passages, next.path...)
			edge = append(edge, next)
		}
	}
	w.edge = edge
	return nil
}

// neighbours returns what passages of a place name beside it that was not
// walked yet, what belongs to it most first.
func (w *walk) neighbours(ctx context.Context, view access.View, at place, most int) ([]ibid.Neighbour, error) {
	if len(at.passages) == 0 {
		return nil, nil
	}
	near, all, err := w.tool.graph.Neighbours(ctx, view, at.passages)
	if err != nil {
		return nil, err
	}
	common := max(graphCommon, all/graphCommonShare)
	near = slices.DeleteFunc(near, func(n ibid.Neighbour) bool {
		return n.Passages > common || slices.ContainsFunc(w.seen, func(key string) bool {
			return holds(n.Key, key) || holds(key, n.Key)
		})
	})
	slices.SortStableFunc(near, func(a, b ibid.Neighbour) int {
		return cmp.Compare(belongs(b, len(at.passages), all), belongs(a, len(at.passages), all))
	})
	near = near[:min(len(near), most)]
	for _, n := range near {
		w.seen = append(w.seen, n.Key)
	}
	return near, nil
}

// belongs says how much more often an entity is named in some passages than in
// as many others: the t-score of collocations (Church, Gale, Hanks & Hindle,
// "Using statistics in lexical analysis", 1991).
func belongs(n ibid.Neighbour, passages, all int) float64 {
	together := float64(n.Together)
	expected := float64(n.Passages) * float64(passages) / float64(max(all, 1))
	return (together - expected) / math.Sqrt(together)
}

// visit adds passages that the walk has not met yet to those at to.
func (w *walk) visit(to *[]string, passages []string, path ...string) {
	for _, id := range passages {
		if w.paths[id] == nil {
			w.paths[id] = path
			*to = append(*to, id)
		}
	}
}

// holds reports whether a key has another as whole words.
func holds(key, part string) bool { return strings.Contains(" "+key+" ", " "+part+" ") }

// mentions reports whether a text has a name, whatever the case and line breaks.
func mentions(s, name string) bool {
	flat := func(s string) string { return " " + strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return strings.Contains(flat(s), flat(name))
}
