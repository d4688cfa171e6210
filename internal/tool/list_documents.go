package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed list_documents.md
var listDescription string

var listDocuments = Info{
	Name: "list_documents", Kind: ibid.ToolDocument, Description: listDescription, Parameters: param.Schema(listDocumentsArguments{}),
	Doing: "Looking through the library", Done: "Looked through the library", Verb: "listed the documents",
}

type listDocumentsArguments struct {
	After string `json:"after,omitempty" about:"goes on behind the document of this name, where a list was too long"`
}

// ListDocuments says what there is to search.
type ListDocuments struct{ library Library }

// NewListDocuments returns the tool over a library.
func NewListDocuments(library Library) *ListDocuments { return &ListDocuments{library} }

// Spec tells the model about the tool.
func (t *ListDocuments) Spec() ibid.ToolSpec { return listDocuments.Spec() }

// Detail is where the list goes on.
func (t *ListDocuments) Detail(args json.RawMessage) string { return detail(args, "after") }

// Call lists the documents in the scope of the run, one a line.
func (t *ListDocuments) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args listDocumentsArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	q := ibid.DocumentQuery{Scope: env.Scope}
	all, exact, err := t.library.CountDocuments(ctx, view, q)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("count the documents: %w", err)
	}
	summary := some(all, exact, "document")
	switch {
	case all > 0:
	case env.Scope.IsZero():
		return ibid.ToolOutput{Content: "The library is empty: no document has been added yet.", Summary: summary}, nil
	default:
		return ibid.ToolOutput{Content: "This question is limited to documents that are not there.", Summary: summary}, nil
	}
	content, shown, last, err := t.list(ctx, view, q, args.After, summary+":\n")
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("list the documents: %w", err)
	}
	switch left := all - shown; {
	case last == "":
	case args.After == "" && exact:
		content += fmt.Sprintf("… %d more documents are not listed here; go on with after %q, or search: search_knowledge_base finds them too.\n", left, line(last, 200))
		summary += fmt.Sprintf(", %d listed", shown)
	default:
		content += fmt.Sprintf("… more documents are not listed here; go on with after %q, or search: search_knowledge_base finds them too.\n", line(last, 200))
		summary += fmt.Sprintf(", %d listed", shown)
	}
	return citable(ibid.ToolOutput{Content: content, Summary: summary}, call, citedLibrary, content), nil
}

// list writes as many documents as an output holds below a heading. last is the
// name of the last one where there are more.
func (t *ListDocuments) list(ctx context.Context, view access.View, q ibid.DocumentQuery, after, heading string) (content string, shown int, last string, err error) {
	b := strings.Builder{}
	b.WriteString(heading)
	page := ibid.Page{Limit: 100}
	if after != "" {
		page.Cursor = ibid.EncodeCursor(ibid.SortName, after, int64(math.MaxInt64))
	}
	name := ""
	for {
		docs, next, err := t.library.Documents(ctx, view, q, page)
		if err != nil {
			return "", 0, "", err
		}
		for _, d := range docs {
			entry := defuse(describe(d)) + "\n"
			if b.Len()+len(entry) > ibid.MaxToolOutput-400 { // for the line that names the last one
				return b.String(), shown, name, nil
			}
			b.WriteString(entry)
			shown, name = shown+1, d.Name
		}
		if page.Cursor = next; next == "" {
			return b.String(), shown, "", nil
		}
	}
}

// describe is a document on one line.
func describe(d ibid.Document) string {
	parts := []string{line(d.Name, 200)}
	if t := title(d); t != parts[0] {
		parts = append(parts, fmt.Sprintf("titled %q", t))
	}
	if d.Format != "" {
		parts = append(parts, line(d.Format, 40))
	}
	if d.Pages > 0 {
		parts = append(parts, count(d.Pages, "page"))
	}
	parts = append(parts, count(d.Chunks, "chunk"))
	if d.Category != "" {
		parts = append(parts, "category "+line(d.Category, 100))
	}
	if d.Folder != "" {
		parts = append(parts, "folder "+line(d.Folder, 200))
	}
	switch {
	case d.Status == ibid.DocumentFailed:
		parts = append(parts, "could not be read: "+line(d.Error, 200))
	case d.Status == ibid.DocumentQueued || d.Status == ibid.DocumentProcessing:
		parts = append(parts, "still being read")
	case d.Notice != "":
		parts = append(parts, line(d.Notice, 200))
	}
	return "- " + strings.Join(parts, ", ")
}
