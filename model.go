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

// Role is who speaks in a turn.
type Role string

// The roles of a turn and of a message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Turn is one contribution to a conversation.
type Turn struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// Part is one piece of a turn; exactly one of its fields is set, or none where only
// opaque metadata must be replayed. Those from Question to Subject are what the agent
// says (see Brief); they are in no log.
type Part struct {
	Text      string      `json:"text,omitempty"` // plain words of whoever speaks
	Reasoning string      `json:"reasoning,omitempty"`
	Image     *Image      `json:"image,omitempty"`
	Call      *ToolCall   `json:"call,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`

	Question string        `json:"question,omitempty"` // what the user asks
	Past     *Past         `json:"past,omitempty"`
	File     *AttachedFile `json:"file,omitempty"`
	Findings *Findings     `json:"findings,omitempty"`
	Note     *Note         `json:"note,omitempty"`
	Picture  *Picture      `json:"picture,omitempty"`
	Subject  *Subject      `json:"subject,omitempty"`

	// Opaque belongs to Provider and must go back to it byte for byte (a
	// thought signature, an encrypted thinking block), and to no one else.
	Provider string          `json:"provider,omitempty"`
	Opaque   json.RawMessage `json:"opaque,omitempty"`
}

// Image is a picture given to a model.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
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

// Text returns what was said in a turn: the words of the model or of the user, and
// none of what the agent adds to them.
func (t Turn) Text() string {
	var s string
	for _, p := range t.Parts {
		s += p.Text + p.Question
		if p.Past != nil {
			s += p.Past.Text
		}
	}
	return s
}

// Reasoning returns the model's thinking in a turn.
func (t Turn) Reasoning() string {
	var s string
	for _, p := range t.Parts {
		s += p.Reasoning
	}
	return s
}

// Calls returns the tool calls of a turn in order.
func (t Turn) Calls() []ToolCall {
	var calls []ToolCall
	for _, p := range t.Parts {
		if p.Call != nil {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

// UserTurn is a turn of plain text by the user.
func UserTurn(text string) Turn {
	return Turn{Role: RoleUser, Parts: []Part{{Text: text}}}
}

// AssistantTurn is a turn of plain text by the model.
func AssistantTurn(text string) Turn {
	return Turn{Role: RoleAssistant, Parts: []Part{{Text: text}}}
}

// Embedder turns text into vectors. Implementations are safe for concurrent use.
type Embedder interface {
	// Name identifies the vector space: "lsa-300@3f2a", "ollama/nomic-embed-text".
	// Vectors of different names are never compared.
	Name() string
	// Dimensions is the length of every vector, 0 until the first call where
	// only the server knows.
	Dimensions() int
	// Embed returns one vector of length 1 per text, in order.
	Embed(ctx context.Context, texts []string, use EmbedUse) ([][]float32, error)
}

// EmbedUse says what a text is, for models that embed questions and passages
// differently.
type EmbedUse string

// A text is embedded to be found, or to find.
const (
	EmbedPassage EmbedUse = "passage"
	EmbedQuery   EmbedUse = "query"
)
