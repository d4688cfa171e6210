package api

import "ibid"

// Messages is GET /v1/threads/{id}/messages: a part of a conversation, oldest
// message first.
type Messages struct {
	Messages []ListedMessage `json:"messages"`
	Next     string          `json:"next,omitempty"`  // cursor of the messages before
	Newer    string          `json:"newer,omitempty"` // cursor of the messages after
}

// ListedMessage is a message in a list, with the ids of the messages that share its
// parent and role, oldest first and itself among them; none where it is alone.
type ListedMessage struct {
	ibid.Message
	Siblings []string `json:"siblings,omitempty"`
}
