package wire

import (
	"ibid"
)

// Chat is POST /chat/stream: server-sent events without names, the type in the
// data.
//
//	user_message_saved (thinking | tool_start | tool_end)* token* [error] done
//
// thinking carries everything thought so far, not a piece of it.
type Chat struct {
	cursor
	fold ibid.Fold
	open map[string]bool // tool calls shown as started
}

// ChatMessage is the saved answer as this protocol shows it, in done and as the
// body of POST /chat/batch and GET /api/messages/{id}.
type ChatMessage struct {
	ID            string          `json:"id"`
	UserMessageID string          `json:"user_message_id"`
	ThreadID      string          `json:"conversation_id"`
	Role          ibid.Role       `json:"role"`
	Content       string          `json:"content"`
	Status        ibid.Status     `json:"status"`
	Sources       []ibid.Source   `json:"sources"`
	Citations     []ibid.Citation `json:"citations"`
	ToolsUsed     []string        `json:"tools_used"`
	Error         *ibid.RunFailed `json:"error,omitempty"`
	CreatedAt     ibid.Time       `json:"created_at"`
}

// NewChatMessage shows a message in this protocol's words.
func NewChatMessage(m ibid.Message) ChatMessage {
	c := ChatMessage{ID: m.ID, UserMessageID: m.ParentID, ThreadID: m.ThreadID, Role: m.Role, Content: m.Text, Status: m.Status,
		Sources: m.Sources, Citations: m.Citations, ToolsUsed: []string{}, Error: m.Error, CreatedAt: m.CreatedAt}
	if m.Role == ibid.RoleUser {
		c.UserMessageID = m.ID
	}
	if c.Sources == nil {
		c.Sources = []ibid.Source{}
	}
	if c.Citations == nil {
		c.Citations = []ibid.Citation{}
	}
	seen := map[string]bool{}
	for _, s := range m.Steps {
		if !seen[s.Tool] {
			seen[s.Tool] = true
			c.ToolsUsed = append(c.ToolsUsed, s.Tool)
		}
	}
	return c
}

// Next implements Projection.
func (p *Chat) Next(e ibid.Event) []Frame {
	out := p.begin(e)
	add := func(typ string, data any) { out.add("", data, field{"type", typ}) }
	p.fold.Add(e)
	switch d := e.Data.(type) {
	case ibid.RunStarted:
		if d.Attempt <= 1 {
			add("user_message_saved", map[string]string{
				"user_message_id": d.UserMessageID, "expected_assistant_message_id": d.MessageID, "conversation_id": d.ThreadID})
		}
	case ibid.ReasoningDelta:
		add("thinking", map[string]string{"text": p.fold.Message().Reasoning})
	case ibid.ToolStarted:
		if p.open == nil {
			p.open = map[string]bool{}
		}
		if !p.open[d.CallID] { // a call that runs again after a crash is shown once
			p.open[d.CallID] = true
			add("tool_start", map[string]string{"tool": d.Tool, "detail": d.Detail})
		}
	case ibid.ToolFinished:
		add("tool_end", map[string]string{"tool": d.Tool})
	case ibid.AnswerDelta:
		add("token", d)
	case ibid.AnswerRetracted:
		add("retracted", d)
	case ibid.RunFailed:
		add("error", d)
	case ibid.RunFinished:
		add("done", map[string]any{"message": NewChatMessage(p.fold.Message())})
	}
	return out.done()
}
