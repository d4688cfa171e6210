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
		ibid.InstructCompare, ibid.InstructImagine, ibid.InstructName, ibid.InstructTrial} {
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

// TestScope holds what a model reads of a scope to the letter.
func TestScope(t *testing.T) {
	for want, s := range map[string]ibid.Scope{
		"one document the user has chosen": {Documents: []string{"d1"}},
		`2 documents the user has chosen, and among them documents of the category "letters", and among them documents in the folder "a/\"b\"", ` +
			`and among them documents with the tag "red", and among them documents with the tag "blue", and among them documents whose "by" is "Ada", ` +
			`and among them documents whose "year" is "1843"`: {Documents: []string{"d1", "d2"}, Category: "letters", Folder: `a/"b"`, Tags: []string{"red", "blue"},
			Metadata: ibid.Metadata{"year": "1843", "by": "Ada"}},
		`documents in the folder "<b>"`: {Folder: "<b>"},
		`documents with the tag "x", and among them documents whose "é" is "line\nend"`: {Tags: []string{"x"}, Metadata: ibid.Metadata{"é": "line\nend"}},
	} {
		if got := write("scope", &s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestTrial holds what a model is asked to show that it is there.
func TestTrial(t *testing.T) {
	req := Render(ibid.ModelRequest{Brief: &ibid.Brief{Instruction: ibid.InstructTrial}, Turns: []ibid.Turn{ibid.About(ibid.Subject{})}})
	if req.System != "You are being tested." || len(req.Turns) != 1 || req.Turns[0].Role != ibid.RoleUser || req.Turns[0].Text() != "Reply with the one word: ready" {
		t.Errorf("%+v", req)
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
