package ibid

import (
	"context"
	"encoding/json"
)

// Model is a language model. Implementations are safe for concurrent use and
// keep no state between calls.
type Model interface {
	// Name identifies the model to people and in the log: "ollama/qwen3:4b".
	Name() string
	// Generate runs one turn. It calls emit for every piece as it arrives, from
	// one goroutine, and returns the whole turn. When ctx is cancelled it
	// returns only after the connection to the model is closed, with what had
	// arrived in the response and ctx's error. Errors are *Error with one of
	// the LLM codes, or TIMEOUT. A stream that ends without the protocol's
	// terminal marker is an LLM_UNAVAILABLE error, never a success.
	Generate(ctx context.Context, req ModelRequest, emit func(ModelDelta)) (ModelResponse, error)
}

// Capabilities says what a model can do, as far as is known without calling it.
type Capabilities struct {
	Thinking      bool `json:"thinking"`
	Tools         bool `json:"tools"`
	Images        bool `json:"images"`
	ContextTokens int  `json:"context_tokens"` // 0 when unknown
}

// Prober is a Model that can tell whether it is reachable and what it can do.
type Prober interface {
	Probe(ctx context.Context) (Capabilities, error)
}

// Think says whether a model should reason before it answers.
type Think string

// ThinkAuto leaves the choice to whoever runs the model.
const (
	ThinkAuto Think = "auto"
	ThinkOn   Think = "on"
	ThinkOff  Think = "off"
)

// ModelRequest is everything a model is given for one turn.
type ModelRequest struct {
	Brief     *Brief // what the model is to do; nil where System says it in words
	System    string
	Turns     []Turn
	Tools     []ToolSpec
	Think     Think
	Schema    json.RawMessage // when set, the answer is one JSON value of this schema
	MaxTokens int             // 0: the model's own limit
}

// ModelDelta is a piece of a turn as it arrives; one field is set.
type ModelDelta struct {
	Reasoning string
	Text      string
	Call      *CallDelta
}

// CallDelta is a piece of the arguments of a tool call, as the model writes them.
// Protocols that send calls whole have none.
type CallDelta struct {
	N         int // which call of the turn, from 0
	Name      string
	Arguments string
}

// ModelResponse is a whole turn and what it cost.
type ModelResponse struct {
	Turn       Turn // role assistant
	StopReason StopReason
	Usage      Usage
}

// StopReason is why a model stopped.
type StopReason string

// Why a turn ended.
const (
	StopEnd    StopReason = "end"    // it was done
	StopTools  StopReason = "tools"  // it wants tool results
	StopLength StopReason = "length" // it ran into a token limit
)

// Usage counts what a run or a turn cost.
type Usage struct {
	InputTokens     int `json:"input_tokens"`
	CachedTokens    int `json:"cached_tokens,omitempty"`
	OutputTokens    int `json:"output_tokens"`
	ReasoningTokens int `json:"reasoning_tokens"`
	ModelRequests   int `json:"model_requests"`
	ToolCalls       int `json:"tool_calls"`
}

// Add returns the sum of two counts.
func (u Usage) Add(v Usage) Usage {
	u.InputTokens += v.InputTokens
	u.CachedTokens += v.CachedTokens
	u.OutputTokens += v.OutputTokens
	u.ReasoningTokens += v.ReasoningTokens
	u.ModelRequests += v.ModelRequests
	u.ToolCalls += v.ToolCalls
	return u
}
