package api

import "ibid"

// Threads is GET /v1/threads: the one that changed last first.
type Threads struct {
	Threads []ibid.Thread `json:"threads"`
	Next    string        `json:"next,omitempty"`
}

// ThreadChange is the body of PATCH /v1/threads/{id}: a title, and a head or a
// branch to show.
type ThreadChange struct {
	Title    string `json:"title,omitempty"`
	HeadID   string `json:"head_id,omitempty"`
	BranchID string `json:"branch_id,omitempty"`
}

// Question is the body of POST /v1/threads/{id}/user_message.
type Question struct {
	InputText     string            `json:"input_text"`
	Mode          ibid.Mode         `json:"mode,omitempty"`
	Scope         ibid.Scope        `json:"scope"`
	Think         ibid.Think        `json:"think,omitempty"`
	ForceTools    []string          `json:"force_tools,omitempty"`
	Attachments   []ibid.Attachment `json:"attachments,omitempty"`
	EditMessageID string            `json:"edit_message_id,omitempty"` // the question that this one replaces
	Fresh         bool              `json:"fresh,omitempty"`           // no answer that was given before
	Model         string            `json:"model,omitempty"`
}

// Asked names the run that a question started.
type Asked struct {
	MessageID     string `json:"message_id"` // of the answer, and of its run
	UserMessageID string `json:"user_message_id"`
	WorkflowID    string `json:"workflow_id"`
}

// Stopped is what stopping a run came to.
type Stopped struct {
	MessageID   string      `json:"message_id"`
	Status      ibid.Status `json:"status"`
	StoppedInMS int64       `json:"stopped_in_ms"`
}
