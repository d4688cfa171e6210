package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ibid"
)

//go:embed list_contents.md
var listContentsDescription string

// ListContents says what lies in a folder of the library.
type ListContents struct{ library Library }

// NewListContents returns the tool over a library.
func NewListContents(library Library) *ListContents { return &ListContents{library} }

// Spec tells the model about the tool.
func (t *ListContents) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "list_contents", Description: strings.TrimSpace(listContentsDescription), Parameters: json.RawMessage(`{
"type":"object",
"properties":{"folder":{"type":"string","description":"its path, like contracts/2024; the whole library when left out"}}}`)}
}

// Detail is the folder.
func (t *ListContents) Detail(args json.RawMessage) string { return detail(args, "folder") }

// Call lists the folders and documents that lie directly in a folder.
func (t *ListContents) Call(ctx context.Context, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := argumentsOf(call.Arguments)
	wanted := args.optional("folder")
	if args.err != nil {
		return refuse(args.err)
	}
	docs, err := t.library.Documents(ctx, env.Scope)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("list a folder: %w", err)
	}
	folder, ok := folderOf(docs, wanted)
	if !ok {
		return failed("there is no folder %q; the outermost are: %s", line(wanted, 200), strings.Join(outermost(docs), "; ")), nil
	}
	folders := map[string]int{}
	var here []ibid.Document
	for _, d := range docs {
		switch rest, below := below(d.Folder, folder); {
		case below && rest == "":
			here = append(here, d)
		case below:
			name, _, _ := strings.Cut(rest, "/")
			folders[name]++
		}
	}
	out := contents(folder, folders, here)
	return citable(out, call, citedLibrary, out.Content), nil
}

// below returns the path from a folder down to another one.
func below(path, folder string) (rest string, ok bool) {
	switch {
	case folder == "" || path == folder:
		return strings.TrimPrefix(strings.TrimPrefix(path, folder), "/"), true
	case strings.HasPrefix(path, folder+"/"):
		return path[len(folder)+1:], true
	}
	return "", false
}

// folderOf finds a folder, whatever the case and the slashes around it.
func folderOf(docs []ibid.Document, wanted string) (string, bool) {
	wanted = strings.Trim(wanted, " /\"'`")
	if wanted == "" || wanted == "." {
		return "", true
	}
	for _, d := range docs {
		for path := d.Folder; path != ""; path, _, _ = cutLast(path) {
			if strings.EqualFold(path, wanted) {
				return path, true
			}
		}
	}
	return "", false
}

// cutLast splits a path at its last slash.
func cutLast(path string) (parent, name string, ok bool) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:], true
	}
	return "", path, false
}

// outermost lists some of the outermost folders.
func outermost(docs []ibid.Document) []string {
	names := map[string]bool{}
	for _, d := range docs {
		if name, _, _ := strings.Cut(d.Folder, "/"); name != "" {
			names[line(name, 120)] = true
		}
	}
	if len(names) == 0 {
		return []string{"there are no folders"}
	}
	sorted := slices.Sorted(maps.Keys(names))
	return sorted[:min(len(sorted), maxNear)]
}

func contents(folder string, folders map[string]int, here []ibid.Document) ibid.ToolOutput {
	where := "the library"
	if folder != "" {
		where = "the folder " + line(folder, 300)
	}
	summary := fmt.Sprintf("%s: %s, %s", where, count(len(folders), "folder"), count(len(here), "document"))
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		entries = append(entries, fmt.Sprintf("- %s/ (%s)", line(name, 200), count(folders[name], "document")))
	}
	for _, d := range here {
		entries = append(entries, describe(d))
	}
	return listed("In "+where+":", entries, summary)
}

// listed writes entries below a heading, as many as fit.
func listed(heading string, entries []string, summary string) ibid.ToolOutput {
	var b strings.Builder
	b.WriteString(defuse(heading) + "\n")
	for i, entry := range entries {
		entry = defuse(entry) + "\n"
		if b.Len()+len(entry) > ibid.MaxToolOutput-100 { // 100: for the line below
			fmt.Fprintf(&b, "… %d more are not listed here.\n", len(entries)-i)
			break
		}
		b.WriteString(entry)
	}
	if len(entries) == 0 {
		b.WriteString("nothing\n")
	}
	return ibid.ToolOutput{Content: b.String(), Summary: summary}
}
