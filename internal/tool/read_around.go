package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed read_around.md
var readAroundDescription string

var readAround = Info{
	Name: "read_around", Kind: ibid.ToolRead, Description: readAroundDescription, Parameters: param.Schema(readAroundArguments{}),
	Doing: "Reading on around a passage", Done: "Read on around a passage",
}

type readAroundArguments struct {
	Passage string `json:"passage" about:"its id, like c3"`
	Before  int    `json:"before,omitempty" minimum:"0" maximum:"10" about:"passages before it; 2 when left out"`
	After   int    `json:"after,omitempty" minimum:"0" maximum:"10" about:"passages after it; 2 when left out"`
}

// ReadAround shows what stands before and after a passage.
type ReadAround struct {
	library Library
	chunks  Chunks
}

// NewReadAround returns the tool.
func NewReadAround(library Library, chunks Chunks) *ReadAround { return &ReadAround{library, chunks} }

// usualNeighbours is how many passages are shown on each side.
const usualNeighbours = 2

// Spec tells the model about the tool.
func (t *ReadAround) Spec() ibid.ToolSpec { return readAround.Spec() }

// Detail is the passage.
func (t *ReadAround) Detail(args json.RawMessage) string { return detail(args, "passage") }

// Call finds the passage in its document, as that is now.
func (t *ReadAround) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := readAroundArguments{Before: usualNeighbours, After: usualNeighbours}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	cited, d, err := passageNamed(ctx, view, t.library, env, args.Passage)
	if err != nil {
		return Refuse(err)
	}
	passages, err := passagesOf(ctx, view, t.chunks, d)
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	at := slices.IndexFunc(passages, func(p ibid.Passage) bool { return p.ID == cited.ChunkID })
	if at < 0 && d.Version == cited.Version && (cited.Level == "L1" || cited.Level == "L3") { // a section or a sentence
		at = slices.IndexFunc(passages, func(p ibid.Passage) bool { return p.Start <= cited.Start && cited.Start < p.End })
	}
	if at < 0 {
		return failed("%s has changed since, and that passage is not in it any more; read it anew", title(d)), nil
	}
	first := max(at-args.Before, 0)
	around := passages[first:min(at+args.After+1, len(passages))]
	fit := room(around, readRoom)
	out := ibid.ToolOutput{Passages: fit, Summary: fmt.Sprintf("%s of %s", count(len(fit), "passage"), title(d)),
		Content: fmt.Sprintf("These are passages %d to %d of %d, in the order of the text.",
			first+1, first+len(fit), len(passages))}
	if len(fit) < len(around) {
		out.Content += " More did not fit."
	}
	return out, nil
}
