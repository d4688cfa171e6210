package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed find.md
var findDescription string

var findDocument = Info{
	Name: "find", Kind: ibid.ToolBrowse, Description: findDescription, Parameters: param.Schema(findDocumentArguments{}),
	Doing: "Looking for documents by name", Done: "Looked for documents by name",
}

type findDocumentArguments struct {
	Name string `json:"name" about:"a part of the name, title, folder, category or a tag"`
}

// Find looks for documents by what they are called.
type Find struct{ library Library }

// NewFind returns the tool over a library.
func NewFind(library Library) *Find { return &Find{library} }

// maxFound bounds how many documents one call names.
const maxFound = 30

// Spec tells the model about the tool.
func (t *Find) Spec() ibid.ToolSpec { return findDocument.Spec() }

// Detail is what is looked for.
func (t *Find) Detail(args json.RawMessage) string { return detail(args, "name") }

// Call lists the documents that are called so, or, where none is, the nearest.
func (t *Find) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args findDocumentArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	found, all, exact, err := t.called(ctx, view, env.Scope, args.Name)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("find documents by name: %w", err)
	}
	heading, summary := fmt.Sprintf("Called %q:", line(args.Name, 200)), some(all, exact, "document")
	if len(found) == 0 {
		found, err = t.library.Alike(ctx, view, env.Scope, normalize(args.Name), maxNear)
		if err != nil {
			return ibid.ToolOutput{}, fmt.Errorf("find documents by name: %w", err)
		}
		if len(found) == 0 {
			return failed("there are no documents to look at"), nil
		}
		heading, summary = fmt.Sprintf("Nothing is called %q; the nearest are:", line(args.Name, 200)), "nothing is called so"
	}
	var entries []string
	for _, d := range found {
		entries = append(entries, describe(d))
	}
	if all > len(found) {
		left := fmt.Sprintf("- and %d more", all-len(found))
		if !exact {
			left = "- and many more"
		}
		entries = append(entries, left)
	}
	out := listed(heading, entries, 0, summary)
	return citable(out, call, citedLibrary, out.Content), nil
}

// called returns the first documents that are called so, and how many there are.
func (t *Find) called(ctx context.Context, view access.View, scope ibid.Scope, wanted string) (found []ibid.Document, all int, exact bool, err error) {
	if normalize(wanted) == "" {
		return nil, 0, true, nil
	}
	q := ibid.DocumentQuery{Scope: scope, Called: wanted}
	found, next, err := t.library.Documents(ctx, view, q, ibid.Page{Limit: maxFound})
	if err != nil || next == "" {
		return found, len(found), true, err
	}
	all, exact, err = t.library.CountDocuments(ctx, view, q)
	return found, max(all, len(found)), exact, err
}
