// Package api holds what stands in requests and responses of the HTTP API
// (docs/api.md): the server reads and writes these types, clients write and read
// them. There is one file for each noun.
//
// What is an object of the domain stands there as it is: ibid.Document,
// ibid.Thread, ibid.Message, ibid.Database.
package api

import "ibid"

// Error is the body of every failure.
type Error struct {
	Error       ErrorDetail `json:"error"`
	MessageID   string      `json:"message_id,omitempty"`    // of the live run, with CONFLICT
	LastEntryID string      `json:"last_entry_id,omitempty"` // its position, to attach at once
}

// ErrorDetail says what went wrong and what to do.
type ErrorDetail struct {
	Code    ibid.Code `json:"code"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
}

// Err is the error that is told.
func (d ErrorDetail) Err() *ibid.Error {
	return &ibid.Error{Code: d.Code, Message: d.Message, Hint: d.Hint}
}

// Health is GET /healthz and GET /readyz.
type Health struct {
	Reason string `json:"reason,omitempty"` // why it is not ready
	Status string `json:"status"`           // HealthOK; ready, not ready
}

// HealthOK is the status of a process that answers.
const HealthOK = "ok"

// WorkLine is a line of what takes long: POST /v1/backup, /v1/mend and /v1/scrub.
// Lines with progress come first, and one with the result or the error ends it.
type WorkLine[Progress, Result any] struct {
	Error    *ErrorDetail `json:"error,omitempty"`
	Progress *Progress    `json:"progress,omitempty"`
	Result   *Result      `json:"result,omitempty"`
}
