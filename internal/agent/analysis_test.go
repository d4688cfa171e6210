package agent

import (
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/question"
)

func TestChooseMode(t *testing.T) {
	for _, tc := range []struct {
		request ibid.Request
		tools   string
		want    ibid.Mode
	}{
		{ibid.Request{Text: "Who signed the lease?"}, searchTool, ibid.ModeDirect},
		{ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeAuto}, searchTool, ibid.ModeDirect},
		{ibid.Request{Text: "Who signed the lease?", Mode: ibid.ModeAgentic}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Compare the lease and the deed", Mode: ibid.ModeDirect}, searchTool, ibid.ModeDirect},
		{ibid.Request{Text: "Compare the lease and the deed"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "How long is the lease, and what is the rent?"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Which documents do I have?"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "What does report-2023.pdf say about margins?"}, searchTool, ibid.ModeDirect},
		{ibid.Request{Text: "What is in q3.md?"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "What is the handbook about?"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Wer hat den Vertrag unterschrieben"}, searchTool, ibid.ModeDirect},
		{ibid.Request{Text: "What is the latest news?"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Who signed the lease?", ForceTools: []string{"calculator"}}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Who signed the lease?", Attachments: []ibid.Attachment{{Name: "a"}}}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Who signed the lease?"}, searchTool + " web_search", ibid.ModeAgentic},
		{ibid.Request{Text: "What is 2+2?"}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Use the slow tools."}, searchTool, ibid.ModeAgentic},
		{ibid.Request{Text: "Who signed the lease?", Mode: ibid.ModeDirect}, "calculator", ibid.ModeAgentic},
	} {
		var tools []Tool
		for _, name := range strings.Fields(tc.tools) {
			tools = append(tools, testTool{name: name})
		}
		s := session{cfg: Config{Tools: tools}, task: Task{Request: tc.request}}
		a := ibid.QueryAnalyzed{Complexity: complexity(tc.request), Decomposed: len(question.Parts(tc.request.Text)) > 1}
		if got := s.chooseMode(a); got != tc.want {
			t.Errorf("%s with %s: %s, want %s", tc.request.Text, tc.tools, got, tc.want)
		}
	}
}

// A scope stands in the system prompt and with the question, in either mode.
func TestScopeInTheDirectMode(t *testing.T) {
	reqs, _, err := runScript(t, Task{Request: ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeDirect, Scope: ibid.Scope{Category: "legal"}}},
		ibidtest.Say("Five years [c1]."))
	if err != nil || len(reqs) != 1 {
		t.Fatalf("%d requests, %v", len(reqs), err)
	}
	system, turn := reqs[0].System, reqs[0].Turns[0].Text()
	if !strings.Contains(system, `the category "legal"`) || !strings.Contains(turn, `(Answer from documents of the category "legal" only.)`) {
		t.Errorf("the scope is not in both places:\n%s\n---\n%s", system, turn)
	}
	if strings.Contains(system+turn, searchTool) || len(reqs[0].Tools) > 0 || !strings.Contains(turn, `<passage id="c1"`) {
		t.Errorf("the direct mode speaks of tools, or has no passages:\n%s\n---\n%s", system, turn)
	}
}
