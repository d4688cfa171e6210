package tool

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
	"ibid/internal/websearch"
)

//go:embed web_search.md
var webSearchDescription string

var webSearch = Info{
	Name: "web_search", Kind: ibid.ToolWeb, Description: webSearchDescription, Parameters: param.Schema(webSearchArguments{}),
	Doing: "Searching the web", Done: "Searched the web", Verb: "searched the web",
}

type webSearchArguments struct {
	Query string `json:"query" about:"what to look for, in a few words"`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"20" about:"how many pages; 5 when left out"`
}

// defaultResults is how many pages a search of the web returns.
const defaultResults = 5

// WebSearcher searches the web.
type WebSearcher interface {
	// Search returns the pages that fit a query best, at most limit.
	Search(ctx context.Context, query string, limit int) ([]websearch.Result, error)
}

// WebSearch finds pages of the web.
type WebSearch struct{ engine WebSearcher }

// NewWebSearch returns the tool over a search engine.
func NewWebSearch(engine WebSearcher) *WebSearch { return &WebSearch{engine} }

// Spec tells the model about the tool.
func (t *WebSearch) Spec() ibid.ToolSpec { return webSearch.Spec() }

// Detail is the query.
func (t *WebSearch) Detail(args json.RawMessage) string { return detail(args, "query") }

// Call answers {"query", "results": [{title, url, snippet}]}.
func (t *WebSearch) Call(ctx context.Context, view access.View, call ibid.ToolCall, _ ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := webSearchArguments{Limit: defaultResults}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	found, err := t.engine.Search(ctx, line(args.Query, 1000), min(max(args.Limit, 1), websearch.MaxResults))
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("search the web: %w", err)
	}
	content, kept, err := searchJSON(args.Query, found)
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	out := ibid.ToolOutput{Content: content, Summary: count(kept, "page") + " of the web"}
	for _, p := range found[:kept] {
		out.Sources = append(out.Sources, ibid.Source{Title: p.Title, URL: p.URL})
	}
	if kept == 0 {
		out.Summary = "no pages of the web"
	}
	return out, nil
}

// searchJSON writes what was found, the weakest left out where it does not fit.
// Addresses stand in it as they are, not with & written as \u0026: models copy
// what they see.
func searchJSON(query string, found []websearch.Result) (text string, kept int, err error) {
	if found == nil {
		found = []websearch.Result{}
	}
	for n := len(found); ; n-- {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(struct {
			Query   string             `json:"query"`
			Results []websearch.Result `json:"results"`
		}{query, found[:n]})
		if err != nil {
			return "", 0, fmt.Errorf("write what the web search found: %w", err)
		}
		if text := defuse(strings.TrimSpace(b.String())); len(text) < ibid.MaxToolOutput-200 || n == 0 {
			return text, n, nil
		}
	}
}
