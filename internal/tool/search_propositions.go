package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
)

//go:embed search_propositions.md
var propositionsDescription string

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
func (t *SearchPropositions) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "search_propositions", Description: strings.TrimSpace(propositionsDescription), Parameters: json.RawMessage(`{
"type":"object",
"properties":{
 "query":{"type":"string","description":"one precise question"},
 "limit":{"type":"integer","minimum":1,"maximum":20,"description":"how many sentences; 7 when left out"}},
"required":["query"]}`)}
}

// Detail is the query.
func (t *SearchPropositions) Detail(args json.RawMessage) string { return detail(args, "query") }

// Call searches within the scope of the run.
func (t *SearchPropositions) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := argumentsOf(call.Arguments)
	q := args.query(env.Scope)
	if args.err != nil {
		return refuse(args.err)
	}
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
