package app

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
	"ibid/internal/tool"
	"ibid/internal/tool/param"
)

// shout is a tool that the program knows nothing of but its line in the registry.
type shout struct{ info tool.Info }

type shoutArguments struct {
	Words string `json:"words" about:"what to shout"`
	Times int    `json:"times,omitempty" minimum:"1" maximum:"3" about:"how often; 1 when left out"`
}

func (s shout) Spec() ibid.ToolSpec           { return s.info.Spec() }
func (s shout) Detail(json.RawMessage) string { return "loudly" }

func (s shout) Call(_ context.Context, _ access.View, call ibid.ToolCall, _ ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := shoutArguments{Times: 1}
	if err := param.Read(call.Arguments, &args); err != nil {
		return tool.Refuse(err)
	}
	said := strings.Repeat(strings.ToUpper(args.Words)+"! ", args.Times)
	cite := ibid.Passage{Chunk: ibid.Chunk{ID: "t_5c0a7c4", Level: 2, Text: said, End: len(said)}, Document: ibid.Document{Title: "Shout"}, Kind: ibid.SourceTool, Score: 1}
	return ibid.ToolOutput{Content: said, Summary: "shouted", Cite: &cite}, nil
}

// A tool is one line in the registry. A scratch tool is offered, listed for the page,
// may be demanded, runs, is cited, and is told of in the next turn, and nothing else
// had to be changed for it.
func TestAScratchToolNeedsItsLineInTheRegistryOnly(t *testing.T) {
	t.Parallel()
	info := tool.Info{Name: "shout", Kind: "shout", Description: "Shouts.", Parameters: param.Schema(shoutArguments{}),
		Doing: "Shouting", Done: "Shouted", Verb: "shouted"}
	p := openInProcess(t, func(c *config.Config) {
		c.Registry = append(tool.Builtin(), tool.Definition{Info: info, Make: func(tool.Resources) tool.Tool { return shout{info} }})
	})
	var listed struct{ Tools []map[string]string }
	p.call("GET", "/v1/tools", nil, &listed)
	if last := listed.Tools[len(listed.Tools)-1]; last["name"] != "shout" || last["kind"] != "shout" || last["doing"] != "Shouting" || last["done"] != "Shouted" {
		t.Errorf("the page is told %v", last)
	}
	var status struct{ Tools []string }
	p.call("GET", "/v1/status", nil, &status)
	if status.Tools[len(status.Tools)-1] != "shout" {
		t.Errorf("status lists %v", status.Tools)
	}

	answering := func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }
	call := ibidtest.Reply{When: answering, Calls: []ibid.ToolCall{{Name: "shout", Arguments: json.RawMessage(`{"words":"ahoy","times":"7"}`)}}}
	answer, again := ibidtest.Say("AHOY! AHOY! AHOY! [c1]."), ibidtest.Say("You are welcome.")
	answer.When, again.When = answering, answering
	model := ibidtest.NewScript(call, answer, again)
	p.app.choices[0].model = model
	m := p.ask("t1", map[string]any{"input_text": "Shout ahoy.", "think": "off", "force_tools": []string{"shout"}})
	if len(m.Steps) != 1 || m.Steps[0].Tool != "shout" || !m.Steps[0].OK || m.Steps[0].Detail != "loudly" || len(m.Citations) != 1 || m.Citations[0].Title != "Shout" {
		t.Fatalf("answered %q with %+v after %+v", m.Text, m.Citations, m.Steps)
	}
	p.ask("t1", map[string]any{"input_text": "Thank you.", "think": "off"})
	var told, offered string
	for _, r := range model.Requests() {
		for _, turn := range r.Turns {
			told += turn.Text()
		}
		for _, spec := range r.Tools {
			if spec.Name == "shout" {
				offered = string(spec.Parameters)
			}
		}
	}
	want := `{"type":"object","properties":{"words":{"type":"string","description":"what to shout"},` +
		`"times":{"type":"integer","minimum":1,"maximum":3,"description":"how often; 1 when left out"}},"required":["words"]}`
	if offered != want {
		t.Errorf("the model is offered %s", offered)
	}
	if !strings.Contains(told, `"tool_summary":"shouted"`) {
		t.Errorf("the next turn does not say that shout was used:\n%s", told)
	}
}
