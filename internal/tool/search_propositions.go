package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/tool/param"
)

//go:embed search_propositions.md
var propositionsDescription string

var searchPropositions = Info{
	Name: "search_propositions", Kind: ibid.ToolSearch, Description: propositionsDescription, Parameters: param.Schema(searchPropositionsArguments{}),
	Doing: "Searching for sentences", Done: "Searched for sentences",
}

type searchPropositionsArguments struct {
	Query string `json:"query" about:"one precise question"`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"20" about:"how many sentences; 7 when left out"`
}

// PropositionSearcher finds sentences.
type PropositionSearcher interface {
	Propositions(ctx context.Context, view access.View, q search.Query) (search.Result, error)
}

// SearchPropositions finds the single sentences that answer a query.
type SearchPropositions struct{ searcher PropositionSearcher }

// NewSearchPropositions returns the tool over a searcher.
func NewSearchPropositions(searcher PropositionSearcher) *SearchPropositions {
	return &SearchPropositions{searcher}
}

// Spec tells the model about the tool.
func (t *SearchPropositions) Spec() ibid.ToolSpec { return searchPropositions.Spec() }

// Detail is the query.
func (t *SearchPropositions) Detail(args json.RawMessage) string { return detail(args, "query") }

// Call searches within the scope of the run.
func (t *SearchPropositions) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := searchPropositionsArguments{Limit: search.DefaultLimit}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	q := search.Query{Text: args.Query, Scope: env.Scope, Limit: args.Limit}
	out, err := searchFor(ctx, view, propositions{t.searcher}, q)
	out.Summary = strings.Replace(out.Summary, "passage", "sentence", 1)
	return out, err
}

// propositions is a Searcher of sentences.
type propositions struct{ PropositionSearcher }

// Search implements Searcher.
func (p propositions) Search(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	return p.Propositions(ctx, view, q)
}
