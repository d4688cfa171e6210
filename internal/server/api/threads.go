package api

import (
	"ibid"
)

// Question is the body of POST /v1/threads/{id}/user_message.
type Question struct {
	InputText string     `json:"input_text"`
	Mode      ibid.Mode  `json:"mode,omitempty"`
	Scope     ibid.Scope `json:"scope"`
	Think     ibid.Think `json:"think,omitempty"`

	ForceTools  []string          `json:"force_tools,omitempty"`
	Attachments []ibid.Attachment `json:"attachments,omitempty"`
}

// Asked names the run that a question started.
type Asked struct {
	UserMessageID string `json:"user_message_id"`
	MessageID     string `json:"message_id"`
}

// Stopped is what stopping a run came to.
type Stopped struct {
	MessageID   string      `json:"message_id"`
	Status      ibid.Status `json:"status"`
	StoppedInMS float64     `json:"stopped_in_ms"`
}
