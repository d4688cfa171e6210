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
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed get_info.md
var getInfoDescription string

var getInfo = Info{
	Name: "get_info", Kind: ibid.ToolBrowse, Description: getInfoDescription, Parameters: param.Schema(getInfoArguments{}),
	Doing: "Looking at a document’s details", Done: "Looked at a document’s details",
}

type getInfoArguments struct {
	Document string `json:"document" about:"file name or title"`
}

// GetInfo says what is known about one document.
type GetInfo struct{ library Library }

// NewGetInfo returns the tool over a library.
func NewGetInfo(library Library) *GetInfo { return &GetInfo{library} }

// Spec tells the model about the tool.
func (t *GetInfo) Spec() ibid.ToolSpec { return getInfo.Spec() }

// Detail is the name of the document.
func (t *GetInfo) Detail(args json.RawMessage) string { return detail(args, "document") }

// Call finds the document in the scope of the run.
func (t *GetInfo) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args getInfoArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	d, err := documentNamed(ctx, view, t.library, env.Scope, args.Document)
	if err != nil {
		return Refuse(err)
	}
	said := defuse(about(d))
	return citable(ibid.ToolOutput{Content: said, Summary: title(d)}, call, citedLibrary, said), nil
}

// about writes what is known of a document, one thing a line.
func about(d ibid.Document) string {
	var b strings.Builder
	say := func(what, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", what, line(value, 500))
		}
	}
	say("Name", d.Name)
	say("Title", d.Title)
	say("Where", strings.Join(append([]string{"library"}, slices.DeleteFunc(strings.Split(d.Folder, "/"), func(s string) bool { return s == "" })...), " > "))
	say("Category", d.Category)
	say("Tags", strings.Join(d.Tags, ", "))
	for _, name := range slices.Sorted(maps.Keys(d.Metadata)) {
		say(line(name, 200), d.Metadata[name])
	}
	say("Format", d.Format)
	say("Language", d.Language)
	if d.Pages > 0 {
		say("Pages", fmt.Sprint(d.Pages))
	}
	say("Size", fmt.Sprintf("%d bytes, %s", d.Bytes, count(d.Chunks, "chunk")))
	say("Source", d.Source)
	say("Added", d.AddedAt.Format("2 January 2006 15:04"))
	say("Changed", d.ChangeAt.Format("2 January 2006 15:04"))
	say("State", string(d.Status))
	say("Could not be read", d.Error)
	say("Note", d.Notice)
	return b.String()
}
