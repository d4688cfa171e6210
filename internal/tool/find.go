package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
)

//go:embed find.md
var findDescription string

// Find looks for documents by what they are called.
type Find struct{ library Library }

// NewFind returns the tool over a library.
func NewFind(library Library) *Find { return &Find{library} }

// maxFound bounds how many documents one call names.
const maxFound = 30

// Spec tells the model about the tool.
func (t *Find) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "find", Description: strings.TrimSpace(findDescription), Parameters: json.RawMessage(`{
"type":"object",
"properties":{"name":{"type":"string","description":"a part of the name, title, folder, category or a tag"}},
"required":["name"]}`)}
}

// Detail is what is looked for.
func (t *Find) Detail(args json.RawMessage) string { return detail(args, "name") }

// Call lists the documents that are called so, or, where none is, the nearest.
func (t *Find) Call(ctx context.Context, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := argumentsOf(call.Arguments)
	wanted := args.required("name")
	if args.err != nil {
		return refuse(args.err)
	}
	docs, err := t.library.Documents(ctx, env.Scope)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("find documents by name: %w", err)
	}
	folded := fold(wanted)
	var found []ibid.Document
	for _, d := range docs {
		called := append(names(d), d.Folder, d.Category)
		if folded != "" && slices.ContainsFunc(append(called, d.Tags...), func(s string) bool { return strings.Contains(fold(s), folded) }) {
			found = append(found, d)
		}
	}
	heading, summary := fmt.Sprintf("Called %q:", line(wanted, 200)), count(len(found), "document")
	if len(found) == 0 {
		if len(docs) == 0 {
			return failed("there are no documents to look at"), nil
		}
		heading, summary = fmt.Sprintf("Nothing is called %q; the nearest are:", line(wanted, 200)), "nothing is called so"
		found = nearest(docs, folded)
	}
	var entries []string
	for _, d := range found[:min(len(found), maxFound)] {
		entries = append(entries, describe(d))
	}
	if left := len(found) - len(entries); left > 0 {
		entries = append(entries, fmt.Sprintf("- and %d more", left))
	}
	out := listed(heading, entries, summary)
	return citable(out, call, citedLibrary, out.Content), nil
}
