package tool

import (
	"context"
	_ "embed"
	"encoding/json"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/tool/param"
)

//go:embed search_keywords.md
var keywordsDescription string

var searchKeywords = Info{
	Name: "search_keywords", Kind: ibid.ToolSearch, Description: keywordsDescription, Parameters: param.Schema(searchKeywordsArguments{}),
	Doing: "Searching for words", Done: "Searched for words",
}

type searchKeywordsArguments struct {
	Query string `json:"query" about:"the words, as they are written in the documents"`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"20" about:"how many passages; 7 when left out"`
}

// SearchKeywords finds passages by their very words.
type SearchKeywords struct{ searcher Searcher }

// NewSearchKeywords returns the tool over a searcher.
func NewSearchKeywords(searcher Searcher) *SearchKeywords { return &SearchKeywords{searcher} }

// Spec tells the model about the tool.
func (t *SearchKeywords) Spec() ibid.ToolSpec { return searchKeywords.Spec() }

// Detail is the query.
func (t *SearchKeywords) Detail(args json.RawMessage) string { return detail(args, "query") }

// Call searches by words alone, within the scope of the run.
func (t *SearchKeywords) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := searchKeywordsArguments{Limit: search.DefaultLimit}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	q := search.Query{Text: args.Query, Scope: env.Scope, Limit: args.Limit}
	q.Mode, q.NoRerank = search.ModeLexical, true
	return searchFor(ctx, view, t.searcher, q)
}
