package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/tool/param"
)

//go:embed search_knowledge_base.md
var searchDescription string

var searchKnowledgeBase = Info{
	Name: "search_knowledge_base", Kind: ibid.ToolSearch, Description: searchDescription, Parameters: param.Schema(searchKnowledgeBaseArguments{}),
	Doing: "Searching your documents", Done: "Searched your documents", Verb: "searched the documents",
}

type searchKnowledgeBaseArguments struct {
	Query  string `json:"query" about:"what to look for, in a few words"`
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"20" about:"how many passages; 7 when left out"`
	Expand bool   `json:"expand,omitempty" about:"true: the whole sections that the passages are from"`
}

// SearchKnowledgeBase finds the passages that answer a query: in the library, and
// in the files of the conversation.
type SearchKnowledgeBase struct {
	searcher Searcher
	files    FileTexts
}

// NewSearchKnowledgeBase returns the tool over a searcher.
func NewSearchKnowledgeBase(searcher Searcher) *SearchKnowledgeBase {
	return &SearchKnowledgeBase{searcher: searcher}
}

// WithFiles makes the tool search the files of the run's conversation too.
func (t *SearchKnowledgeBase) WithFiles(files FileTexts) *SearchKnowledgeBase {
	t.files = files
	return t
}

// Spec tells the model about the tool.
func (t *SearchKnowledgeBase) Spec() ibid.ToolSpec { return searchKnowledgeBase.Spec() }

// Detail is the query.
func (t *SearchKnowledgeBase) Detail(args json.RawMessage) string { return detail(args, "query") }

// Call searches within the scope of the run. A run that is limited to something
// does not see the files of the conversation: a scope names what is in the library.
func (t *SearchKnowledgeBase) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := searchKnowledgeBaseArguments{Limit: search.DefaultLimit}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	q := search.Query{Text: args.Query, Scope: env.Scope, Limit: args.Limit, Expand: args.Expand}
	if !q.Scope.IsZero() {
		return searchFor(ctx, view, t.searcher, q)
	}
	files, err := t.files.searched(ctx, view, env.ThreadID)
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	found, err := find(ctx, view, t.searcher, q)
	if err != nil {
		return unsearched(err)
	}
	return present(search.Beside(found, q.Text, files, q.Limit), q.Scope), nil
}

// searchFor searches and makes an output of what is found.
func searchFor(ctx context.Context, view access.View, s Searcher, q search.Query) (ibid.ToolOutput, error) {
	found, err := find(ctx, view, s, q)
	if err != nil {
		return unsearched(err)
	}
	return present(found, q.Scope), nil
}

// unsearched makes an output of a search that failed, where the model can mend it.
func unsearched(err error) (ibid.ToolOutput, error) {
	if ibid.CodeOf(err) == ibid.CodeBadRequest {
		return failed("%v", err), nil
	}
	return ibid.ToolOutput{}, fmt.Errorf("search the documents: %w", err)
}

// find searches, and holds the searcher to the scope.
func find(ctx context.Context, view access.View, s Searcher, q search.Query) (search.Result, error) {
	found, err := s.Search(ctx, view, q)
	if err != nil {
		return found, err
	}
	var inside []ibid.Passage
	for _, p := range found.Passages {
		if q.Scope.Includes(p.Document) {
			inside = append(inside, p)
		}
	}
	found.Passages = inside
	return found, nil
}

// present makes an output of what was found. Passages that do not fit are left
// out, the weakest first, and that is said.
func present(found search.Result, scope ibid.Scope) ibid.ToolOutput {
	shown := room(found.Passages, ibid.MaxToolOutput-200) // 200: for what is said below
	out := ibid.ToolOutput{Passages: shown, Retrieval: &ibid.Retrieval{ChunksFound: len(shown), Levels: map[string]int{}}}
	documents := map[string]bool{}
	for _, p := range shown {
		documents[p.DocumentID] = true
		out.Retrieval.TopScore = max(out.Retrieval.TopScore, p.Score)
		out.Retrieval.Levels[fmt.Sprintf("L%d", p.Level)]++
	}
	switch left := len(found.Passages) - len(shown); {
	case left > 0:
		out.Content = fmt.Sprintf("%s more did not fit; ask for fewer or more precisely.", count(left, "passage"))
	case len(shown) > 0:
	case found.ChunksSearched == 0:
		out.Content = "The library is empty: no document has been added yet."
		out.Summary = "the library is empty"
		return out
	case !scope.IsZero():
		out.Content = "No passage matches in the documents that this question is limited to."
	default:
		out.Content = "No passage matches."
	}
	out.Summary = fmt.Sprintf("%s from %s", count(len(shown), "passage"), count(len(documents), "document"))
	if len(shown) == 0 {
		out.Summary = "no passages"
	}
	if found.VectorError != nil {
		out.Summary += ", by words only"
	}
	switch r := found.Reranking; {
	case r.Err != nil:
		out.Summary += ", not reranked"
	case r.Method != "":
		out.Reranked = &ibid.PassagesReranked{Method: r.Method, InputCount: r.Input, OutputCount: len(shown),
			TopScore: r.TopScore, DurationMS: r.Took.Milliseconds()}
	}
	return out
}
