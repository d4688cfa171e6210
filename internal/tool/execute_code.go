package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/sandbox"
	"ibid/internal/text"
	"ibid/internal/tool/param"
)

//go:embed execute_code.md
var codeDescription string

var executeCode = Info{
	Name: "execute_code", Kind: ibid.ToolProgram, Description: codeDescription, Parameters: param.Schema(executeCodeArguments{}),
	Doing: "Running code", Done: "Ran code", Verb: "ran a program",
}

type executeCodeArguments struct {
	Code string `json:"code" about:"the program"`
}

// CodeRunner runs programs where they can do no harm.
type CodeRunner interface {
	Run(ctx context.Context, code string) (sandbox.Result, error)
}

// ExecuteCode runs a program that the model has written.
type ExecuteCode struct{ runner CodeRunner }

// NewExecuteCode returns the tool.
func NewExecuteCode(runner CodeRunner) *ExecuteCode { return &ExecuteCode{runner} }

// Spec tells the model about the tool.
func (t *ExecuteCode) Spec() ibid.ToolSpec { return executeCode.Spec() }

// Detail is the first line of the program that says something.
func (t *ExecuteCode) Detail(args json.RawMessage) string {
	code, err := codeOf(args)
	if err != nil {
		return ""
	}
	for l := range strings.Lines(code) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "import ") {
			return line(l, 160)
		}
	}
	return ""
}

// Call runs the program. What is wrong with it is a result that the model can
// correct.
func (t *ExecuteCode) Call(ctx context.Context, view access.View, call ibid.ToolCall, _ ibid.ToolEnv) (ibid.ToolOutput, error) {
	code, err := codeOf(call.Arguments)
	if err != nil {
		return Refuse(err)
	}
	r, err := t.runner.Run(ctx, code)
	if err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("run a program: %w", err)
	}
	var b strings.Builder
	if r.Error != "" {
		fmt.Fprintf(&b, "The program failed: %s\n", r.Error)
	}
	shown := text.Clip(r.Output, ibid.MaxToolOutput/2)
	if shown != "" {
		fmt.Fprintf(&b, "It printed:\n%s\n", strings.TrimRight(shown, "\n"))
	}
	value := text.Clip(r.Value, ibid.MaxToolOutput/4)
	if value != "" {
		fmt.Fprintf(&b, "The last line came to: %s\n", value)
	}
	if r.Truncated || len(shown) < len(r.Output) || len(value) < len(r.Value) {
		b.WriteString("[there was more output than is shown]\n")
	}
	if b.Len() == 0 {
		b.WriteString("The program ran and printed nothing; end it with print(…) or an expression.")
	}
	out := ibid.ToolOutput{Content: defuse(strings.TrimSpace(b.String())), Failed: r.Error != "", Summary: line(value, 120)}
	switch {
	case r.Error != "":
		out.Summary = line(r.Error, 200)
	case out.Summary == "" && shown != "":
		out.Summary = line(shown, 120)
	case out.Summary == "":
		out.Summary = "no output"
	}
	return citable(out, call, citedProgram, out.Content), nil
}

// codeOf returns the program, out of the fence that some models put around it.
func codeOf(raw json.RawMessage) (string, error) {
	argument, err := param.Raw(raw, "code")
	if err != nil {
		return "", err
	}
	var code string
	if json.Unmarshal(argument, &code) != nil || strings.TrimSpace(code) == "" {
		return "", complain("code is missing")
	}
	if len(code) > sandbox.MaxCode {
		return "", complain("code is longer than %d bytes", sandbox.MaxCode)
	}
	if trimmed := strings.TrimSpace(code); strings.HasPrefix(trimmed, "```") && strings.HasSuffix(trimmed, "```") && strings.Contains(trimmed, "\n") {
		_, code, _ = strings.Cut(strings.TrimSuffix(trimmed, "```"), "\n")
	}
	return code, nil
}
