package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"ibid"
)

//go:embed list_documents.md
var listDescription string

// ListDocuments says what there is to search.
type ListDocuments struct{ library Library }

// NewListDocuments returns the tool over a library.
func NewListDocuments(library Library) *ListDocuments { return &ListDocuments{library} }

// Spec tells the model about the tool.
func (t *ListDocuments) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "list_documents", Description: strings.TrimSpace(listDescription),
		Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
}

// Detail is empty: the tool takes no arguments.
func (t *ListDocuments) Detail(json.RawMessage) string { return "" }

// Call lists the documents in the scope of the run, one a line.
func (t *ListDocuments) Call(ctx context.Context, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	docs, err := t.library.Documents(ctx, env.Scope)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("list the documents: %w", err)
	}
	summary := count(len(docs), "document")
	switch {
	case len(docs) > 0:
	case env.Scope.IsZero():
		return ibid.ToolOutput{Content: "The library is empty: no document has been added yet.", Summary: summary}, nil
	default:
		return ibid.ToolOutput{Content: "This question is limited to documents that are not there.", Summary: summary}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", summary)
	for i, d := range docs {
		entry := defuse(describe(d)) + "\n"
		if b.Len()+len(entry) > ibid.MaxToolOutput-100 { // 100: for the line below
			fmt.Fprintf(&b, "… %d more documents are not listed here; search_knowledge_base finds them too.\n", len(docs)-i)
			summary += fmt.Sprintf(", %d listed", i)
			break
		}
		b.WriteString(entry)
	}
	return citable(ibid.ToolOutput{Content: b.String(), Summary: summary}, call, citedLibrary, b.String()), nil
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
