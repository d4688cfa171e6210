package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/text"
	"ibid/internal/tool/param"
)

//go:embed search_hypothetical.md
var hypotheticalDescription string

var searchHypothetical = Info{
	Name: "search_hypothetical", Kind: ibid.ToolSearch, Description: hypotheticalDescription, Parameters: param.Schema(searchHypotheticalArguments{}),
	Doing: "Searching for similar passages", Done: "Searched for similar passages",
}

type searchHypotheticalArguments struct {
	Query string `json:"query" about:"the question, as a whole sentence"`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"20" about:"how many passages; 7 when left out"`
}

// SearchHypothetical has the model imagine a passage that answers, and looks for
// passages like it: Gao, Ma, Lin & Callan, "Precise Zero-Shot Dense Retrieval
// without Relevance Labels" (HyDE), ACL 2023. The imagined passage is what the
// vectors are searched for; the words are searched for those of the query, so
// that what was imagined cannot be found by its own words.
type SearchHypothetical struct {
	searcher Searcher
	model    ibid.Model // nil: nobody imagines, and the query itself is searched for
}

// NewSearchHypothetical returns the tool. model is nil where there is none that
// writes.
func NewSearchHypothetical(searcher Searcher, model ibid.Model) *SearchHypothetical {
	return &SearchHypothetical{searcher, model}
}

// Spec tells the model about the tool.
func (t *SearchHypothetical) Spec() ibid.ToolSpec { return searchHypothetical.Spec() }

// Detail is the query.
func (t *SearchHypothetical) Detail(args json.RawMessage) string { return detail(args, "query") }

// What is imagined is kept to the size of a passage, in tokens and in bytes.
const (
	maxHypotheticalTokens = 250
	maxHypothetical       = 2000
)

// Call searches within the scope of the run. A model that fails is no reason to
// find nothing.
func (t *SearchHypothetical) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := searchHypotheticalArguments{Limit: search.DefaultLimit}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	q := search.Query{Text: args.Query, Scope: env.Scope, Limit: args.Limit}
	var usage ibid.Usage
	note := ", for the query itself: no model imagined a passage"
	if t.model != nil {
		said, res, err := ask(ctx, t.model, ibid.ModelRequest{Brief: &ibid.Brief{Instruction: ibid.InstructImagine}, MaxTokens: maxHypotheticalTokens,
			Turns: []ibid.Turn{ibid.About(ibid.Subject{Question: q.Text})}})
		usage = res.Usage
		switch {
		case ctx.Err() != nil:
			return ibid.ToolOutput{Usage: usage}, fmt.Errorf("imagine a passage about %q: %w", q.Text, ctx.Err())
		case err == nil && said != "":
			q.Like = text.Clip(said, maxHypothetical)
			note = fmt.Sprintf(", like “%s”", line(said, 160))
		}
	}
	out, err := searchFor(ctx, view, t.searcher, q)
	out.Usage = usage
	if !out.Failed {
		out.Summary += note
	}
	return out, err
}
