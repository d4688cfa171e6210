package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/search"
	"ibid/internal/text"
)

//go:embed search_graph.md
var graphDescription string

// SearchGraph walks the graph of what is named together: two entities are
// neighbours when a passage names both (text.Entities says what is one). The part
// of the graph that is walked is made from the passages found, at the time of
// the call: it costs one search for the entity and one for each neighbour, and
// nothing is stored that could be stale.
type SearchGraph struct{ searcher Searcher }

// NewSearchGraph returns the tool over a searcher.
func NewSearchGraph(searcher Searcher) *SearchGraph { return &SearchGraph{searcher} }

// Spec tells the model about the tool.
func (t *SearchGraph) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "search_graph", Description: strings.TrimSpace(graphDescription), Parameters: json.RawMessage(`{
"type":"object",
"properties":{
 "entity":{"type":"string","description":"the name to start from, as the documents write it"},
 "about":{"type":"string","description":"what to find out about its neighbours, in a few words"}},
"required":["entity"]}`)}
}

// Detail is the entity.
func (t *SearchGraph) Detail(args json.RawMessage) string { return detail(args, "entity", "about") }

const (
	graphPassages   = 20 // that are read for neighbours
	graphShown      = 4  // of them, shown
	graphNeighbours = 6  // whose passages are looked for
	graphEach       = 2  // passages of each neighbour
)

// Call walks two steps from an entity, within the scope of the run.
func (t *SearchGraph) Call(ctx context.Context, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args, entity, err := firstOf(call, "entity")
	if err != nil {
		return failed("%v", err), nil
	}
	about, err := args.optional("about")
	if err != nil {
		return failed("%v", err), nil
	}
	found, err := t.named(ctx, entity, entity, env.Scope, graphPassages)
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	near := neighbours(entity, found.Passages)
	all := found
	all.Passages = slices.Clone(found.Passages[:min(graphShown, len(found.Passages))])
	for _, n := range near {
		further, err := t.named(ctx, n.name, n.name+" "+about, env.Scope, graphPassages)
		if err != nil {
			return ibid.ToolOutput{}, err
		}
		all.Passages = append(all.Passages, beyond(further.Passages, all.Passages)...)
	}
	out := present(all, env.Scope)
	if len(near) > 0 {
		out.Content = strings.TrimSpace(defuse(fmt.Sprintf("Named together with %s: %s.", line(entity, 100), asList(near))) + "\n" + out.Content)
		out.Summary += fmt.Sprintf(", %s of %s", count(len(near), "neighbour"), line(entity, 60))
	}
	return out, nil
}

// named finds passages that name an entity.
func (t *SearchGraph) named(ctx context.Context, entity, query string, scope ibid.Scope, limit int) (search.Result, error) {
	found, err := find(ctx, t.searcher, search.Query{Text: query, Mode: search.ModeLexical, NoRerank: true, Scope: scope, Limit: limit})
	if err != nil {
		return found, fmt.Errorf("search for what is named with %q: %w", entity, err)
	}
	found.Passages = slices.DeleteFunc(found.Passages, func(p ibid.Passage) bool { return !mentions(p.Text, entity) })
	return found, nil
}

// neighbour is an entity that passages name beside the one that was asked for.
type neighbour struct {
	name     string
	passages int
}

// neighbours returns what is named together with an entity, the most often so
// first.
func neighbours(entity string, passages []ibid.Passage) []neighbour {
	var near []neighbour
	at := make(map[string]int)
	for _, p := range passages {
		for _, name := range text.Entities(p.Text) {
			key := strings.ToLower(name)
			if mentions(name, entity) || mentions(entity, name) {
				continue
			}
			i, known := at[key]
			if !known {
				i, at[key] = len(near), len(near)
				near = append(near, neighbour{name: name})
			}
			near[i].passages++
		}
	}
	slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(b.passages, a.passages) })
	return near[:min(graphNeighbours, len(near))]
}

// mentions reports whether a text has a name, whatever the case and line breaks.
func mentions(s, name string) bool {
	flat := func(s string) string { return " " + strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return strings.Contains(flat(s), strings.TrimSpace(flat(name)))
}

// beyond returns the best passages that are not shown yet.
func beyond(further, shown []ibid.Passage) []ibid.Passage {
	var fresh []ibid.Passage
	for _, p := range further {
		if len(fresh) < graphEach && !slices.ContainsFunc(shown, func(s ibid.Passage) bool { return s.ID == p.ID }) {
			fresh = append(fresh, p)
		}
	}
	return fresh
}

func asList(near []neighbour) string {
	parts := make([]string, len(near))
	for i, n := range near {
		parts[i] = fmt.Sprintf("%s (%s)", line(n.name, 80), count(n.passages, "passage"))
	}
	return strings.Join(parts, ", ")
}
