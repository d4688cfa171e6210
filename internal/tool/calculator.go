package tool

import (
	"context"
	_ "embed"
	"encoding/json"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/calc"
	"ibid/internal/tool/param"
)

//go:embed calculator.md
var calculatorDescription string

var calculator = Info{
	Name: "calculator", Kind: ibid.ToolCalculate, Description: calculatorDescription, Parameters: param.Schema(calculatorArguments{}),
	Doing: "Calculating", Done: "Calculated", Verb: "calculated",
}

type calculatorArguments struct {
	Expression string `json:"expression" about:"what to calculate, such as 15% of 2340"`
}

// Calculator does sums (package calc).
type Calculator struct{}

// NewCalculator returns the tool.
func NewCalculator() *Calculator { return &Calculator{} }

// Spec tells the model about the tool.
func (t *Calculator) Spec() ibid.ToolSpec { return calculator.Spec() }

// Detail is the expression.
func (t *Calculator) Detail(args json.RawMessage) string { return detail(args, "expression") }

// Call works the expression out. A result that is not exact is marked as
// rounded.
func (t *Calculator) Call(_ context.Context, _ access.View, call ibid.ToolCall, _ ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args calculatorArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	result, rounded, err := calc.Calculate(args.Expression)
	if err != nil {
		return failed("%v", err), nil
	}
	out := ibid.ToolOutput{Content: result, Summary: line(line(args.Expression, 100)+" = "+result, 200)}
	if rounded {
		out.Content += " (rounded)"
	}
	return citable(out, call, citedCalculator, line(args.Expression, 1000)+" = "+out.Content), nil
}
