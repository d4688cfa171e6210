package sqlite_test

import (
	"context"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

func graphPlace(t testing.TB) ibidtest.Opener[ibidtest.GraphStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.GraphStore { return open(t) }
}

func TestGraphStore(t *testing.T) { ibidtest.Run(t, ibidtest.GraphCases, graphPlace) }

type graph = ibidtest.GraphStore

// Graphs with one fault each.

type addsNamings struct{ graph }

func (g addsNamings) PutNamings(ctx context.Context, namings []ibid.Naming, by ibid.NamedBy) error {
	for i, n := range namings {
		known, err := ibidtest.Whole(g.graph.Namings(ctx, access.For(ibid.Owner), "d"+n.ChunkID[3:6], ibidtest.Everything))
		if err != nil {
			return err
		}
		for _, k := range known {
			if k.ChunkID == n.ChunkID {
				namings[i].Entities = append(n.Entities, k.Entities...)
			}
		}
	}
	return g.graph.PutNamings(ctx, namings, by)
}

type marksEmpty struct{ graph }

func (g marksEmpty) MarkNamed(ctx context.Context, ids []string, by ibid.NamedBy) error {
	var namings []ibid.Naming
	for _, id := range ids {
		namings = append(namings, ibid.Naming{ChunkID: id})
	}
	return g.graph.PutNamings(ctx, namings, by)
}

type marksNothing struct{ graph }

func (marksNothing) MarkNamed(context.Context, []string, ibid.NamedBy) error { return nil }

type noLimit struct{ graph }

func (g noLimit) PassagesNaming(ctx context.Context, view access.View, keys []string, scope ibid.Scope, _ int) (map[string][]string, error) {
	return g.graph.PassagesNaming(ctx, view, keys, scope, 1<<20)
}

type noScope struct{ graph }

func (g noScope) PassagesNaming(ctx context.Context, view access.View, keys []string, _ ibid.Scope, each int) (map[string][]string, error) {
	return g.graph.PassagesNaming(ctx, view, keys, ibid.Scope{}, each)
}

// countsForItself counts the passages that this opening has named.
type countsForItself struct {
	graph
	own map[ibid.NamedBy]int
}

func (g countsForItself) PutNamings(ctx context.Context, namings []ibid.Naming, by ibid.NamedBy) error {
	g.own[by] += len(namings)
	g.own[ibid.NamedByHeuristic] -= len(namings)
	return g.graph.PutNamings(ctx, namings, by)
}

func (g countsForItself) NamingCounts(ctx context.Context) (map[ibid.NamedBy]int, int, error) {
	counts, entities, err := g.graph.NamingCounts(ctx)
	total := 0
	for _, n := range counts {
		total += n
	}
	return map[ibid.NamedBy]int{ibid.NamedByModel: g.own[ibid.NamedByModel], ibid.NamedByHeuristic: total + g.own[ibid.NamedByHeuristic]}, entities, err
}

// shortens names no more than one thing of each passage that it takes in.
type shortens struct{ graph }

func (g shortens) PutNamings(ctx context.Context, namings []ibid.Naming, by ibid.NamedBy) error {
	for i := range namings {
		namings[i].Entities = namings[i].Entities[:min(1, len(namings[i].Entities))]
	}
	return g.graph.PutNamings(ctx, namings, by)
}

// namesGhosts finds an entity again whose passages are gone.
type namesGhosts struct{ graph }

func (g namesGhosts) EntityKeys(ctx context.Context, view access.View, key string, limit int) ([]string, error) {
	keys, err := g.graph.EntityKeys(ctx, view, key, limit)
	if len(keys) == 0 && key != "" {
		keys = []string{key}
	}
	return keys, err
}

func TestGraphMutants(t *testing.T) {
	ibidtest.Mutants(t, ibidtest.GraphCases, graphPlace, []ibidtest.Mutant[graph]{
		{Name: "new names are added to the old", Case: "whoever looks last is believed", Break: func(s graph) graph { return addsNamings{s} }},
		{Name: "marking forgets what is named", Case: "passages are handed out by who looked", Break: func(s graph) graph { return marksEmpty{s} }},
		{Name: "marking marks nothing", Case: "passages are handed out by who looked", Break: func(s graph) graph { return marksNothing{s} }},
		{Name: "all passages are returned", Case: "what passages name is what a look at each finds", Break: func(s graph) graph { return noLimit{s} }},
		{Name: "a scope is everything", Case: "what passages name is what a look at each finds", Break: func(s graph) graph { return noScope{s} }},
		{Name: "every opening counts for itself", Case: "two openings name at once", Break: func(s graph) graph {
			return countsForItself{s, map[ibid.NamedBy]int{}}
		}},
		{Name: "one name a passage is kept", Case: "two openings name at once", Break: func(s graph) graph { return shortens{s} }},
		{Name: "what is gone is found", Case: "what is removed is named no more", Break: func(s graph) graph { return namesGhosts{s} }},
	})
}
