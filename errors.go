package ibid

import (
	"errors"
	"fmt"
)

// Code is the kind of an error: one word that clients may switch on. The server
// maps each to one HTTP status.
type Code string

// Every error that leaves the process has one of these codes.
const (
	CodeLLM             Code = "LLM_ERROR"            // the model answered with something unusable
	CodeLLMUnavailable  Code = "LLM_UNAVAILABLE"      // no connection, overload, 5xx: worth a retry
	CodeContextOverflow Code = "LLM_CONTEXT_OVERFLOW" // the prompt is larger than the model's window
	CodeVectorDB        Code = "VECTOR_DB_ERROR"      // the search index or its embedder failed
	CodeTimeout         Code = "TIMEOUT"
	CodeNoDocuments     Code = "NO_DOCUMENTS"
	CodeBadRequest      Code = "BAD_REQUEST"
	CodeUnauthorized    Code = "UNAUTHORIZED" // a token is missing or wrong
	CodeForbidden       Code = "FORBIDDEN"    // refused whoever asks
	CodeNotFound        Code = "NOT_FOUND"
	CodeConflict        Code = "CONFLICT"
	CodeToolBudget      Code = "TOOL_BUDGET"
	CodeBusy            Code = "BUSY" // too much waits already: the same call may succeed a little later
	CodeDiskFull        Code = "DISK_FULL"
	CodeInternal        Code = "INTERNAL"
)

// Error is an error whose kind matters to whoever asked. Message is one
// sentence for a person; Hint, where there is one, says how to mend it.
type Error struct {
	Code       Code
	Message    string
	Hint       string
	Retryable  bool  // the same call may succeed later
	RetryAfter int64 // milliseconds the other side asked for, 0 when it did not
	Err        error
}

func (e *Error) Error() string {
	s := e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error of a kind that a retry does not mend. A wrapped error
// is reached with %w, as in fmt.Errorf.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: nil, Retryable: code == CodeLLMUnavailable}
}

// CodeOf returns the kind of err: that of the first Error in its chain, else
// CodeInternal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
