package tool

import (
	"strings"
	"testing"

	"ibid"
)

// TestGraphTakesTwoSteps: who owns what built the bridge stands in a passage that
// does not name the bridge.
func TestGraphTakesTwoSteps(t *testing.T) {
	s := &shelf{texts: map[string]string{}}
	s.add(ibid.Document{ID: "d1", Name: "bridges.txt", Category: "work"}, "The Harbour Bridge was built by Northgate Engineering in 1932.", "The old bridge fell.")
	s.add(ibid.Document{ID: "d2", Name: "companies.txt", Category: "work"}, "Northgate Engineering belongs to Lady Ada Marsh.", "Southgate Engineering belongs to the state.")
	s.add(ibid.Document{ID: "d3", Name: "secret.txt", Category: "private"}, "Northgate Engineering is bankrupt.")
	out := call(t, NewSearchGraph(s), map[string]any{"entity": "harbour bridge", "about": "owner"}, ibid.ToolEnv{Scope: ibid.Scope{Category: "work"}})
	if out.Failed || chunkIDs(out.Passages) != "c_d1_0 c_d2_0" || !strings.Contains(out.Content, "Named together with harbour bridge: Northgate Engineering (1 passage)") {
		t.Errorf("got %s, %q", chunkIDs(out.Passages), out.Content)
	}
	if out.Retrieval == nil || out.Retrieval.Levels["L2"] != 2 || !strings.HasSuffix(out.Summary, "1 neighbour of harbour bridge") {
		t.Errorf("%+v, %q", out.Retrieval, out.Summary)
	}
	if out := call(t, NewSearchGraph(s), map[string]any{"entity": "Zebra Crossing"}, ibid.ToolEnv{}); len(out.Passages) != 0 || out.Content != "No passage matches." {
		t.Errorf("nobody knows it: %+v", out)
	}
	if out := call(t, NewSearchGraph(s), map[string]any{}, ibid.ToolEnv{}); !out.Failed {
		t.Errorf("without an entity: %+v", out)
	}
}
