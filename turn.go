package ibid

import (
	"encoding/json"
)

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
