package tool

import (
	"encoding/json"
	"testing"

	"ibid"
)

func TestCalculatorTakesANumber(t *testing.T) {
	c := NewCalculator()
	out := call(t, c, map[string]any{"expression": 42, "precision": "high"}, ibid.ToolEnv{})
	if out.Content != "42" || out.Failed {
		t.Errorf("got %+v", out)
	}
	if out := call(t, c, map[string]any{"expression": "1/0"}, ibid.ToolEnv{}); !out.Failed || out.Content != "division by zero" {
		t.Errorf("got %+v", out)
	}
	if out := call(t, c, map[string]any{}, ibid.ToolEnv{}); !out.Failed || out.Content != "expression is missing" {
		t.Errorf("got %+v", out)
	}
	if out := call(t, c, map[string]any{"expression": "1/3"}, ibid.ToolEnv{}); out.Failed || out.Content != "0.333333333333333333333333333333 (rounded)" {
		t.Errorf("got %+v", out)
	}
	if got := c.Detail(json.RawMessage(`{"expression":"1 +\n 1"}`)); got != "1 + 1" {
		t.Errorf("detail %q", got)
	}
}
