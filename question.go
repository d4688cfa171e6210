package ibid

import (
	"encoding/json"
)

// Mode is how a question is answered.
type Mode string

// Agentic lets the model choose its tools; direct is a fixed pipeline; auto
// picks by the question.
const (
	ModeAuto    Mode = "auto"
	ModeAgentic Mode = "agentic"
	ModeDirect  Mode = "direct"
)

// Request is how a question was asked.
type Request struct {
	Text        string       `json:"text"`
	Mode        Mode         `json:"mode,omitempty"`
	Scope       Scope        `json:"scope,omitzero"`
	Think       Think        `json:"think,omitempty"`
	Model       string       `json:"model,omitempty"` // by name; "" is the server's default
	ForceTools  []string     `json:"force_tools,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	AllHistory  bool         `json:"all_history,omitempty"` // the budget of characters alone limits what the model is told of the past, and no number of messages
	Fresh       bool         `json:"fresh,omitempty"`       // no earlier answer may stand for this one: it was asked again
	TimeoutMS   int64        `json:"timeout_ms,omitempty"`  // of the whole run; 0: the server's default
	// Options are what a kind of work is asked for besides, in that kind's form.
	Options json.RawMessage `json:"options,omitempty"`
}
