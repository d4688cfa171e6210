package tool

import (
	"encoding/json"
	"testing"

	"ibid"
	"ibid/internal/access"
)

// call uses a tool as the agent does, and checks what holds for every output.
func call(t *testing.T, tool Tool, args any, env ibid.ToolEnv) ibid.ToolOutput {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.Call(t.Context(), access.For(ibid.Owner), ibid.ToolCall{ID: "1", Name: tool.Spec().Name, Arguments: raw}, env)
	if err != nil {
		t.Fatal(err)
	}
	size := len(out.Content)
	for _, p := range out.Passages {
		size += len(ibid.FormatPassages([]ibid.Handled{handled("c1", p)}))
	}
	if size > ibid.MaxToolOutput {
		t.Errorf("%d bytes of output", size)
	}
	return out
}
