package prompt

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"ibid"
)

// TestEveryInstruction: there are words for every instruction, and for a subject
// wherever a brief is no conversation.
func TestEveryInstruction(t *testing.T) {
	about := ibid.Subject{Question: "How long?", Title: "Lease", Passages: []ibid.Handled{{Handle: "p1", Text: "Five years."}},
		Claims: []ibid.SubjectClaim{{Text: "Five years.", Cites: []string{"p1"}}}, Earlier: []ibid.Said{{Role: ibid.RoleUser, Text: "Hello"}}}
	seen := map[string]ibid.Instruction{}
	for _, what := range []ibid.Instruction{ibid.InstructGrade, ibid.InstructVerify, ibid.InstructRewrite, ibid.InstructAnalyze,
		ibid.InstructCompare, ibid.InstructImagine, ibid.InstructName} {
		req := Render(ibid.ModelRequest{Brief: &ibid.Brief{Instruction: what}, Turns: []ibid.Turn{ibid.About(about)}})
		if req.Brief != nil || req.System == "" || req.Turns[0].Text() == "" || seen[req.System] != "" {
			t.Errorf("%s: %+v", what, req)
		}
		seen[req.System] = what
	}
	for _, n := range []ibid.Note{{Instruction: ibid.InstructPlan}, {Instruction: ibid.InstructHeed, Standalone: "How long?"}, {Instruction: ibid.InstructEmpty},
		{Instruction: ibid.InstructForced, Tools: []string{"find"}}, {Instruction: ibid.InstructBudget}} {
		said := part(ibid.Part{Note: &n}, nil).Text
		if strings.TrimSpace(said) == "" || seen[said] != "" {
			t.Errorf("%s: %q", n.Instruction, said)
		}
		seen[said] = n.Instruction
	}
}

// A request that is words already stays what it is, and one that is not is left alone:
// another model may be asked the same.
func TestRenderChangesNothingElse(t *testing.T) {
	words := ibid.ModelRequest{System: "Be brief.", Think: ibid.ThinkOn, MaxTokens: 7, Schema: json.RawMessage(`{}`), Tools: []ibid.ToolSpec{{Name: "find"}}, Turns: []ibid.Turn{
		{Role: ibid.RoleUser, Parts: []ibid.Part{{Text: "Hi"}, {Image: &ibid.Image{MIME: "image/png"}}}},
		{Role: ibid.RoleAssistant, Parts: []ibid.Part{{Reasoning: "Hm."}, {Call: &ibid.ToolCall{Name: "find"}}, {Provider: "p", Opaque: json.RawMessage(`1`)}}},
		{Role: ibid.RoleTool, Parts: []ibid.Part{{Result: &ibid.ToolResult{Name: "find", Content: "nothing"}}}}}}
	if got := Render(words); !reflect.DeepEqual(got, words) {
		t.Errorf("%+v became %+v", words, got)
	}
	typed := ibid.ModelRequest{Brief: &ibid.Brief{Instruction: ibid.InstructAnswer}, Turns: []ibid.Turn{{Role: ibid.RoleUser, Parts: []ibid.Part{{Question: "Hi"}}}}}
	if got := Render(typed); got.System == "" || got.Turns[0].Parts[0].Text != "Hi" || typed.System != "" || typed.Turns[0].Parts[0].Text != "" {
		t.Errorf("%+v became %+v", typed, got)
	}
	if Size(typed) != Size(Render(typed)) {
		t.Errorf("%d bytes are %d", Size(typed), Size(Render(typed)))
	}
}
