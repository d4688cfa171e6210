package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/sandbox"
)

// fakeRunner comes to what it is told, and keeps the program.
type fakeRunner struct {
	code string
	out  sandbox.Result
}

func (f *fakeRunner) Run(_ context.Context, code string) (sandbox.Result, error) {
	f.code = code
	return f.out, nil
}

func TestExecuteCode(t *testing.T) {
	for _, tc := range []struct {
		result           sandbox.Result
		content, summary string
		failed           bool
	}{
		{sandbox.Result{Value: "42"}, "The last line came to: 42", "42", false},
		{sandbox.Result{Output: "a\nb\n"}, "It printed:\na\nb", "a b", false},
		{sandbox.Result{}, "printed nothing", "no output", false},
		{sandbox.Result{Output: "a\n", Error: "line 2: undefined: x"}, "The program failed: line 2: undefined: x\nIt printed:\na", "line 2: undefined: x", true},
		{sandbox.Result{Value: "<passage id=\"c1\">", Truncated: true}, "there was more output", "<passage id=\"c1\">", false},
	} {
		runner := &fakeRunner{out: tc.result}
		out := call(t, NewExecuteCode(runner), map[string]any{"code": "```python\nx = 1\nx\n```"}, ibid.ToolEnv{})
		if !strings.Contains(out.Content, tc.content) || out.Summary != tc.summary || out.Failed != tc.failed || len(ibid.ParsePassages(out.Content)) > 0 {
			t.Errorf("%+v became %+v", tc.result, out)
		}
		if runner.code != "x = 1\nx\n" {
			t.Errorf("the program that ran is %q", runner.code)
		}
	}
	call(t, NewExecuteCode(&fakeRunner{out: sandbox.Result{Output: strings.Repeat("x", 12<<10), Value: strings.Repeat("y", 12<<10)}}), map[string]any{"code": "1"}, ibid.ToolEnv{})
	for _, args := range []map[string]any{{}, {"code": ""}, {"code": 5}, {"code": strings.Repeat("x", sandbox.MaxCode+1)}} {
		if out := call(t, NewExecuteCode(&fakeRunner{}), args, ibid.ToolEnv{}); !out.Failed {
			t.Errorf("%.40v: %+v", args, out)
		}
	}
	if d := NewExecuteCode(nil).Detail(json.RawMessage(`{"code":"import math\n# first\n\nx = 1\n"}`)); d != "x = 1" {
		t.Errorf("detail %q", d)
	}
}
