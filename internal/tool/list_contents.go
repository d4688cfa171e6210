package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed list_contents.md
var listContentsDescription string

var listContents = Info{
	Name: "list_contents", Kind: ibid.ToolBrowse, Description: listContentsDescription, Parameters: param.Schema(listContentsArguments{}),
	Doing: "Looking into a folder", Done: "Looked into a folder",
}

type listContentsArguments struct {
	Folder string `json:"folder,omitempty" about:"its path, like contracts/2024; the whole library when left out"`
}

// ListContents says what lies in a folder of the library.
type ListContents struct{ library Folders }

// NewListContents returns the tool over a library.
func NewListContents(library Folders) *ListContents { return &ListContents{library} }

// Spec tells the model about the tool.
func (t *ListContents) Spec() ibid.ToolSpec { return listContents.Spec() }

// Detail is the folder.
func (t *ListContents) Detail(args json.RawMessage) string { return detail(args, "folder") }

// Call lists the folders and documents that lie directly in a folder.
func (t *ListContents) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args listContentsArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	folder, ok, err := t.folder(ctx, view, env.Scope, args.Folder)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("list a folder: %w", err)
	}
	if !ok {
		outermost, err := t.outermost(ctx, view, env.Scope)
		if err != nil {
			return ibid.ToolOutput{}, fmt.Errorf("list the outermost folders: %w", err)
		}
		return failed("there is no folder %q; the outermost are: %s", line(args.Folder, 200), outermost), nil
	}
	folders, allFolders, err := t.folders(ctx, view, env.Scope, folder)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("list a folder: %w", err)
	}
	q := ibid.DocumentQuery{Scope: env.Scope, InFolder: &folder}
	here, next, err := t.library.Documents(ctx, view, q, ibid.Page{Limit: ibid.MaxLimit})
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("list a folder: %w", err)
	}
	all, exact := len(here), true
	if next != "" {
		if all, exact, err = t.library.CountDocuments(ctx, view, q); err != nil {
			return ibid.ToolOutput{}, fmt.Errorf("count a folder: %w", err)
		}
	}
	out := contents(folder, folders, allFolders, here, all, exact)
	return citable(out, call, citedLibrary, out.Content), nil
}

// folder finds a folder, whatever the case and the slashes around it. "" is the
// whole library.
func (t *ListContents) folder(ctx context.Context, view access.View, scope ibid.Scope, wanted string) (string, bool, error) {
	wanted = strings.Trim(wanted, " /\"'`")
	if wanted == "" || wanted == "." {
		return "", true, nil
	}
	return t.library.FolderCalled(ctx, view, scope, wanted)
}

// folders returns a line for each folder directly in a folder, as many as an output can
// hold, and how many folders there are.
func (t *ListContents) folders(ctx context.Context, view access.View, scope ibid.Scope, in string) (lines []string, all int, err error) {
	inside := ibid.Each(func(page ibid.Page) ([]ibid.FolderCount, string, error) {
		return t.library.Folders(ctx, view, ibid.FolderQuery{Scope: scope, In: &in}, page)
	})
	bytes := 0
	for f, err := range inside {
		if err != nil {
			return nil, 0, err
		}
		if all++; bytes > ibid.MaxToolOutput {
			continue
		}
		entry := fmt.Sprintf("- %s/ (%s)", line(path.Base(f.Path), 200), count(f.Total, "document"))
		lines, bytes = append(lines, entry), bytes+len(defuse(entry))
	}
	return lines, all, nil
}

// outermost names some of the outermost folders.
func (t *ListContents) outermost(ctx context.Context, view access.View, scope ibid.Scope) (string, error) {
	top := ""
	folders, _, err := t.library.Folders(ctx, view, ibid.FolderQuery{Scope: scope, In: &top}, ibid.Page{Limit: maxNear})
	if err != nil || len(folders) == 0 {
		return "there are no folders", err
	}
	var names []string
	for _, f := range folders {
		names = append(names, line(f.Path, 120))
	}
	return strings.Join(names, "; "), nil
}

// contents lists what lies in a folder: lines of some of its folders and some of its
// documents, and how many there are of both.
func contents(folder string, folders []string, allFolders int, here []ibid.Document, all int, exact bool) ibid.ToolOutput {
	where := "the library"
	if folder != "" {
		where = "the folder " + line(folder, 300)
	}
	summary := fmt.Sprintf("%s: %s, %s", where, count(allFolders, "folder"), some(all, exact, "document"))
	entries := folders
	for _, d := range here {
		entries = append(entries, describe(d))
	}
	return listed("In "+where+":", entries, all-len(here)+allFolders-len(folders), summary)
}

// listed writes entries below a heading, as many as fit; more is how many there are
// besides.
func listed(heading string, entries []string, more int, summary string) ibid.ToolOutput {
	var b strings.Builder
	b.WriteString(defuse(heading) + "\n")
	for i, entry := range entries {
		entry = defuse(entry) + "\n"
		if b.Len()+len(entry) > ibid.MaxToolOutput-100 { // 100: for the line below
			more += len(entries) - i
			break
		}
		b.WriteString(entry)
	}
	if more > 0 {
		fmt.Fprintf(&b, "… %d more are not listed here.\n", more)
	}
	if len(entries) == 0 {
		b.WriteString("nothing\n")
	}
	return ibid.ToolOutput{Content: b.String(), Summary: summary}
}
