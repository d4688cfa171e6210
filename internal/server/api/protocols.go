package api

import "ibid"

// What the other protocols ask with (docs/protocols.md); what they answer stands in
// internal/wire.

// RAGQuestion is the body of POST /rag.
type RAGQuestion struct {
	Question      string     `json:"question"`
	Query         string     `json:"query"` // accepted for question
	SessionID     string     `json:"session_id"`
	Images        []string   `json:"images"` // base64, with or without a data: prefix
	Files         []string   `json:"files"`  // document ids, added to the scope
	Scope         ibid.Scope `json:"scope"`
	Think         ibid.Think `json:"think"`
	EditMessageID string     `json:"edit_message_id"`
}

// ChatQuestion is the body of POST /chat/stream and POST /chat/batch.
type ChatQuestion struct {
	Message        string            `json:"message"`
	ConversationID string            `json:"conversation_id"`
	ForceTools     []string          `json:"force_tools"`
	Files          []ibid.Attachment `json:"files"`
	Scope          ibid.Scope        `json:"scope"`
	Think          ibid.Think        `json:"think"`
	EditMessageID  string            `json:"edit_message_id"`
}

// QueryQuestion is the body of POST /api/query/stream.
type QueryQuestion struct {
	Query     string     `json:"query"`
	Mode      ibid.Mode  `json:"mode"`
	SessionID string     `json:"session_id"`
	Scope     ibid.Scope `json:"scope"`
	TimeoutMS int64      `json:"timeout_ms"`
}

// TokensQuestion is the body of POST /api/chat/stream.
type TokensQuestion struct {
	Message   string     `json:"message"`
	SessionID string     `json:"session_id"`
	Scope     ibid.Scope `json:"scope"`
}
