package app

import (
	"encoding/json"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
)

// A model's program runs in a process of its own, and a wrong one is corrected.
func TestModelRunsAProgram(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	when := func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }
	program := func(code string) ibidtest.Reply {
		args, err := json.Marshal(map[string]string{"code": code})
		if err != nil {
			t.Fatal(err)
		}
		return ibidtest.Reply{When: when, Calls: []ibid.ToolCall{{Name: "execute_code", Arguments: args}}}
	}
	answer := ibidtest.Say("It is 5050.")
	answer.When = when
	p.app.choices[0].model = ibidtest.NewScript(program("sum(range(101)"), program("sum(range(101))"), answer)
	m := p.ask("t1", map[string]any{"input_text": "Add up the numbers to 100.", "think": "off"})
	if len(m.Steps) != 2 || m.Steps[0].OK || !strings.Contains(m.Steps[0].Error, "line 1") || !m.Steps[1].OK || m.Steps[1].Summary != "5050" {
		t.Errorf("steps %+v", m.Steps)
	}
}
