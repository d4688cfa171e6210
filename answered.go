package ibid

import (
	"time"
)

// Answered is a question that was answered. Key says what the answer depended on:
// scope, versions of documents, model and settings.
type Answered struct {
	Key       string
	Question  string
	MessageID string // of the answer
	At        time.Time
}
