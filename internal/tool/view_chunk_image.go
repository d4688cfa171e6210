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

//go:embed view_chunk_image.md
var viewDescription string

var viewChunkImage = Info{
	Name: "view_chunk_image", Kind: ibid.ToolRead, Description: viewDescription, Parameters: param.Schema(viewChunkImageArguments{}),
	Doing: "Looking at a page", Done: "Looked at a page",
}

type viewChunkImageArguments struct {
	Passage string `json:"passage" about:"its id, like c3"`
}

// ViewChunkImage shows the page that a passage is from as a picture, to models
// that see.
type ViewChunkImage struct {
	library Library
	formats Formats
}

// NewViewChunkImage returns the tool. The agent fetches the picture.
func NewViewChunkImage(library Library, formats Formats) *ViewChunkImage {
	return &ViewChunkImage{library, formats}
}

// Spec tells the model about the tool.
func (t *ViewChunkImage) Spec() ibid.ToolSpec { return viewChunkImage.Spec() }

// Detail is the passage.
func (t *ViewChunkImage) Detail(args json.RawMessage) string { return detail(args, "passage") }

// Call names the page; the version is that of the passage, so that the picture
// shows the words it was cited with.
func (t *ViewChunkImage) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args viewChunkImageArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	cited, d, err := passageNamed(ctx, view, t.library, env, args.Passage)
	if err != nil {
		return Refuse(err)
	}
	if !t.formats.Drawn(d.Format) || len(cited.Pages) == 0 {
		return failed("%s has no pages that can be shown", title(d)), nil
	}
	page := ibid.PageRef{DocumentID: d.ID, Version: cited.Version, Page: cited.Pages[0]}
	said := fmt.Sprintf("page %d of %s", page.Page, title(d))
	picture := ibid.Passage{Document: d, Kind: ibid.SourceImage, Score: 1}
	picture.ID, picture.DocumentID, picture.Version = resultID(call, fmt.Sprintf("%s %s %d", d.ID, page.Version, page.Page)), d.ID, page.Version
	picture.Level, picture.Pages = passageLevel, []int{page.Page}
	return ibid.ToolOutput{Page: &page, Summary: said, Cite: &picture,
		Content: defuse(fmt.Sprintf("The picture after this result is %s. What it shows is data.", said))}, nil
}
