package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// rentShelf is a library of two documents, found in this order.
func rentShelf() *shelf {
	s := &shelf{texts: map[string]string{}}
	s.add(ibid.Document{ID: "d1", Name: "handbook.md"}, "The deposit is returned within 90 days in most cases.")
	s.add(ibid.Document{ID: "d2", Name: "sea.md"}, "A deposit of sand formed along the coast over many years.")
	return s
}

func TestSearchFindsFilesOfTheConversation(t *testing.T) {
	s := rentShelf()
	a := newAttic(file("m1", 0, "old.txt", "text/plain", "Nothing about it stands here at all."),
		file("m1", 1, "photo.png", "image/png", "The deposit is returned on a photo."),
		file("m2", 0, "letter.txt", "text/plain", "The deposit of the flat is returned within 30 days after the keys are handed over."))
	tool := NewSearchKnowledgeBase(s).WithFiles(NewFileTexts(a, a, a))
	const query = "within how many days after the keys are handed over is the deposit of the flat returned?"
	search := func(args map[string]any, env ibid.ToolEnv) ibid.ToolOutput {
		t.Helper()
		args["query"] = query
		return call(t, tool, args, env)
	}

	out := search(map[string]any{}, ibid.ToolEnv{ThreadID: "t1"})
	if len(out.Passages) != 3 || out.Retrieval.ChunksFound != 3 || out.Summary != "3 passages from 3 documents" {
		t.Fatalf("found %+v", out)
	}
	first := out.Passages[0]
	if first.DocumentID != "m2:0" || first.Kind != ibid.SourceAttachment || first.Version != ibid.VersionOf([]byte("The deposit of the flat is returned within 30 days after the keys are handed over.")) ||
		first.Quote.Text != first.Text || first.Score < out.Passages[1].Score {
		t.Errorf("the best is %+v", first)
	}
	if got := chunkIDs(out.Passages[1:]); got != "c_d1_0 c_d2_0" {
		t.Errorf("the library's passages are %s", got)
	}
	if again := search(map[string]any{}, ibid.ToolEnv{ThreadID: "t1"}); chunkIDs(again.Passages) != chunkIDs(out.Passages) || a.read != 2 {
		t.Errorf("again %s, files were read %d times", chunkIDs(again.Passages), a.read)
	}
	if out = search(map[string]any{"limit": 1}, ibid.ToolEnv{ThreadID: "t1"}); chunkIDs(out.Passages) != first.ID {
		t.Errorf("the best one is %s", chunkIDs(out.Passages))
	}
	// What fits less than the library comes behind it.
	out = call(t, tool, map[string]any{"query": "how many years did the deposit of sand along the coast take?"}, ibid.ToolEnv{ThreadID: "t1"})
	if at := slices.IndexFunc(out.Passages, func(p ibid.Passage) bool { return p.ID == first.ID }); at < 1 {
		t.Errorf("of sand: %s", chunkIDs(out.Passages))
	}
	for name, env := range map[string]ibid.ToolEnv{"another conversation": {ThreadID: "t2"}, "none": {},
		"a scope": {ThreadID: "t1", Scope: ibid.Scope{Documents: []string{"d1", "d2"}}}, "a scope of databases": {ThreadID: "t1", Scope: ibid.Scope{Databases: []string{"x"}}}} {
		if out := search(map[string]any{}, env); strings.Contains(chunkIDs(out.Passages), first.ID) {
			t.Errorf("%s: %s", name, chunkIDs(out.Passages))
		}
	}
	a.texts["m11"] = ibid.Extract{Format: "image", Text: "The deposit is returned on a photo.", Blocks: []ibid.Block{{Kind: ibid.BlockParagraph, End: 35}}}
	if out = search(map[string]any{}, ibid.ToolEnv{ThreadID: "t1"}); !slices.ContainsFunc(out.Passages, func(p ibid.Passage) bool { return p.DocumentID == "m1:1" }) {
		t.Errorf("a picture whose words were read: %s", chunkIDs(out.Passages))
	}
}

func TestSearchOfFilesIsBounded(t *testing.T) {
	var many []ibid.File
	for i := range searchedFiles + 5 {
		many = append(many, file(fmt.Sprintf("m%d", 10+i), 0, "a.txt", "text/plain", fmt.Sprintf("The zebra of number %d.", i)))
	}
	a := newAttic(many...)
	tool := NewSearchKnowledgeBase(&shelf{}).WithFiles(NewFileTexts(a, a, a))
	out := call(t, tool, map[string]any{"query": "zebra", "limit": 20}, ibid.ToolEnv{ThreadID: "t1"})
	if len(out.Passages) != searchedFiles || a.read != searchedFiles || slices.ContainsFunc(out.Passages, func(p ibid.Passage) bool { return p.DocumentID == "m14:0" }) {
		t.Errorf("%d passages, %d files were read", len(out.Passages), a.read)
	}
	for i, p := range out.Passages {
		if p.Score <= 0 || p.Score > 1 || i > 0 && p.Score > out.Passages[i-1].Score {
			t.Errorf("passage %d scores %v", i, p.Score)
		}
	}
	a = newAttic(file("m1", 0, "small.txt", "text/plain", "A zebra."), file("m2", 0, "huge.txt", "text/plain", strings.Repeat("The zebra is huge.\n", searchedBytes/18)))
	out = call(t, NewSearchKnowledgeBase(&shelf{}).WithFiles(NewFileTexts(a, a, a)), map[string]any{"query": "zebra"}, ibid.ToolEnv{ThreadID: "t1"})
	if len(out.Passages) != 1 || out.Passages[0].DocumentID != "m1:0" {
		t.Errorf("of a small and a huge file: %s", chunkIDs(out.Passages))
	}
}

// Results that are no passages are citable, under ids that stay the same.
func TestResultsAreCitable(t *testing.T) {
	s := newShelf()
	ids := map[string]string{}
	for name, tc := range map[string]struct {
		tool  Tool
		args  string
		text  string
		title string
	}{
		"calculator":    {NewCalculator(), `{"expression":"12 * 7"}`, "12 * 7 = 84", "Calculator"},
		"rounded":       {NewCalculator(), `{"expression":"10 / 3"}`, " (rounded)", "Calculator"},
		"current_time":  {NewCurrentTime(), `{"timezone":"UTC"}`, "Wednesday, 4 March 2026, 12:00 (UTC)", "Clock"},
		"documents":     {NewListDocuments(s), `{}`, "documents:\n- Lease-2024.pdf", "Library"},
		"list_contents": {NewListContents(s), `{}`, "In the library:", "Library"},
		"get_info":      {NewGetInfo(s), `{"document":"Notes"}`, "Title: Notes", "Library"},
		"find":          {NewFind(s), `{"name":"lease"}`, `Called "lease":`, "Library"},
	} {
		env := ibid.ToolEnv{Now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
		for range 2 {
			out, err := tc.tool.Call(t.Context(), access.For(ibid.Owner), ibid.ToolCall{Name: tc.tool.Spec().Name, Arguments: json.RawMessage(tc.args)}, env)
			if err != nil || out.Cite == nil {
				t.Fatalf("%s: %+v, %v", name, out, err)
			}
			c := out.Cite
			if !strings.Contains(c.Text, tc.text) || c.Document.Title != tc.title || c.Kind != ibid.SourceTool || !strings.HasPrefix(c.ID, "t_") || c.End != len(c.Text) ||
				ids[name] != "" && ids[name] != c.ID {
				t.Errorf("%s is cited as %+v, before as %s", name, c, ids[name])
			}
			ids[name] = c.ID
		}
	}
	if len(slices.Compact(slices.Sorted(maps.Values(ids)))) != len(ids) {
		t.Errorf("ids repeat: %v", ids)
	}
	for _, failing := range []ibid.ToolOutput{call(t, NewCalculator(), map[string]any{"expression": "1 +"}, ibid.ToolEnv{}), call(t, NewFind(&shelf{}), map[string]any{"name": "x"}, ibid.ToolEnv{})} {
		if failing.Cite != nil {
			t.Errorf("a failure is citable: %+v", failing)
		}
	}
}
