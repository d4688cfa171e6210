package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/tool/param"
)

//go:embed search_graph.md
var graphDescription string

var searchGraph = Info{
	Name: "search_graph", Kind: ibid.ToolGraph, Description: graphDescription, Parameters: param.Schema(searchGraphArguments{}),
	Doing: "Following names through the documents", Done: "Followed names through the documents",
}

type searchGraphArguments struct {
	Entity string `json:"entity" about:"the name to start from, as the documents write it"`
	About  string `json:"about,omitempty" about:"what to find out about its neighbours, in a few words"`
	Hops   int    `json:"hops,omitempty" minimum:"1" maximum:"2" about:"1: its neighbours; 2: also theirs; 2 when left out"`
}

// Graph knows which passages name what. It was made when they were taken in.
type Graph interface {
	// EntityKeys returns the keys of the entities that a key may mean.
	EntityKeys(ctx context.Context, view access.View, key string, limit int) ([]string, error)
	// PassagesNaming returns, by key, the ids of passages in a scope that name an
	// entity, at most so many each.
	PassagesNaming(ctx context.Context, view access.View, keys []string, scope ibid.Scope, each int) (map[string][]string, error)
	// Neighbours returns what passages name, what most of them name first, and how
	// many passages the library has.
	Neighbours(ctx context.Context, view access.View, chunkIDs []string) (near []ibid.Neighbour, passages int, err error)
}

// GraphSearcher ranks what the graph leads to.
type GraphSearcher interface {
	Searcher
	Among(ctx context.Context, view access.View, q search.Query, chunkIDs []string) (search.Result, error)
}

// SearchGraph walks the graph of what is named together: from an entity to the
// passages that name it, on to what else they name, and to the passages of those.
type SearchGraph struct {
	graph    Graph
	searcher GraphSearcher
}

// NewSearchGraph returns the tool over the graph of a library and a searcher.
func NewSearchGraph(graph Graph, searcher GraphSearcher) *SearchGraph {
	return &SearchGraph{graph, searcher}
}

// Spec tells the model about the tool.
func (t *SearchGraph) Spec() ibid.ToolSpec { return searchGraph.Spec() }

// Detail is the entity.
func (t *SearchGraph) Detail(args json.RawMessage) string { return detail(args, "entity", "about") }

const (
	graphOwn     = 4  // passages of the entity itself that are shown
	maxNamed     = 20 // passages that name an entity, found by its words
	graphReached = 10 // passages of others that are shown
)

// Call walks from an entity, within the scope of the run.
func (t *SearchGraph) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := searchGraphArguments{Hops: 2}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	w := walk{tool: t, scope: env.Scope, paths: map[string][]string{}}
	if err := w.begin(ctx, view, args.Entity); err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("walk from %q: %w", line(args.Entity, 100), err)
	}
	for range min(max(args.Hops, 1), 2) {
		if err := w.step(ctx, view); err != nil {
			return ibid.ToolOutput{}, fmt.Errorf("walk from %q: %w", line(args.Entity, 100), err)
		}
	}
	found, err := w.best(ctx, view, args.Entity, args.About)
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	return w.present(found), nil
}

// best returns the passages that fit best: first those of the entity itself,
// then those that the walk has led to. Of the farthest only those are of use
// that have to do with what is asked.
func (w *walk) best(ctx context.Context, view access.View, entity, about string) (search.Result, error) {
	s := w.tool.searcher
	own, err := s.Among(ctx, view, search.Query{Text: entity + " " + about, Scope: w.scope, Limit: graphOwn}, w.own)
	if err != nil {
		return own, fmt.Errorf("rank the passages of %q: %w", line(entity, 100), err)
	}
	query := about
	if query == "" {
		query = entity
	}
	reached, err := s.Among(ctx, view, search.Query{Text: query, Scope: w.scope, Limit: graphReached}, w.reached)
	if err != nil {
		return own, fmt.Errorf("rank the passages around %q: %w", line(entity, 100), err)
	}
	for _, p := range reached.Passages {
		if far := len(w.paths[p.ID]) > 2; w.scope.Includes(p.Document) && (!far || p.Score > 0) {
			own.Passages = append(own.Passages, p)
		}
	}
	return own, nil
}

// present makes an output of what was found, with the way to each passage.
func (w *walk) present(found search.Result) ibid.ToolOutput {
	found.Passages = slices.DeleteFunc(found.Passages, func(p ibid.Passage) bool { return !w.scope.Includes(p.Document) })
	out := present(found, w.scope)
	var said []string
	if len(w.near) > 0 {
		said = append(said, fmt.Sprintf("Named together with %s: %s.", w.start, asList(w.near)))
		out.Summary += fmt.Sprintf(", %s of %s", count(len(w.near), "neighbour"), w.start)
	}
	var ways []string
	for i, p := range out.Passages {
		if path := w.paths[p.ID]; len(path) > 1 {
			ways = append(ways, fmt.Sprintf("%d. %s", i+1, strings.Join(path, " – ")))
		}
	}
	if len(ways) > 0 {
		said = append(said, "The way to the passages, by their place in the list: "+strings.Join(ways, "; ")+".")
		out.Summary += ": " + line(w.longest(out.Passages), 150)
	}
	if len(said) > 0 {
		out.Content = strings.TrimSpace(defuse(strings.Join(said, "\n")) + "\n" + out.Content)
	}
	return out
}

// longest returns the longest way to a passage that is shown; of several the
// first.
func (w *walk) longest(shown []ibid.Passage) string {
	var longest []string
	for _, p := range shown {
		if path := w.paths[p.ID]; len(path) > len(longest) {
			longest = path
		}
	}
	return strings.Join(longest, " – ")
}

func asList(near []ibid.Neighbour) string {
	parts := make([]string, len(near))
	for i, n := range near {
		parts[i] = fmt.Sprintf("%s (%s)", line(n.Name, 80), count(n.Together, "passage"))
	}
	return strings.Join(parts, ", ")
}
