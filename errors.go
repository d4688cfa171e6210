package ibid

import (
	"errors"
	"fmt"
	"net/http"
)

// Code is the kind of an error: one word that clients may switch on.
type Code string

// Every error that leaves the process has one of these codes.
const (
	CodeLLM             Code = "LLM_ERROR"            // the model answered with something unusable
	CodeLLMUnavailable  Code = "LLM_UNAVAILABLE"      // no connection, overload, 5xx
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
	CodeBusy            Code = "BUSY" // too much waits already
	CodeDiskFull        Code = "DISK_FULL"
	CodeAway            Code = "STORE_AWAY" // what keeps originals can't be reached: nothing is known to be lost
	CodeInternal        Code = "INTERNAL"
)

// kinds is the one table of what the codes mean. status is that of HTTP; an error of a
// kind that a retry mends may succeed when the same is asked a little later.
var kinds = map[Code]struct {
	status int
	retry  bool
}{
	CodeLLM:             {http.StatusBadGateway, false},
	CodeLLMUnavailable:  {http.StatusServiceUnavailable, true},
	CodeContextOverflow: {http.StatusUnprocessableEntity, false},
	CodeVectorDB:        {http.StatusServiceUnavailable, false},
	CodeTimeout:         {http.StatusGatewayTimeout, true},
	CodeNoDocuments:     {http.StatusUnprocessableEntity, false},
	CodeBadRequest:      {http.StatusBadRequest, false},
	CodeUnauthorized:    {http.StatusUnauthorized, false},
	CodeForbidden:       {http.StatusForbidden, false},
	CodeNotFound:        {http.StatusNotFound, false},
	CodeConflict:        {http.StatusConflict, false},
	CodeToolBudget:      {http.StatusUnprocessableEntity, false},
	CodeBusy:            {http.StatusTooManyRequests, true},
	CodeDiskFull:        {http.StatusInsufficientStorage, false},
	CodeAway:            {http.StatusServiceUnavailable, true},
	CodeInternal:        {http.StatusInternalServerError, false},
}

// Status is the HTTP status of errors of a kind; that of an internal error for a code
// that is in no table.
func (c Code) Status() int {
	if k, known := kinds[c]; known {
		return k.status
	}
	return http.StatusInternalServerError
}

// Retryable reports whether errors of a kind may be mended by a retry. An Error says so
// itself where it knows better.
func (c Code) Retryable() bool { return kinds[c].retry }

// Error is an error whose kind matters to whoever asked. Message is one
// sentence for a person; Hint, where there is one, says how to mend it.
type Error struct {
	Code       Code
	Message    string
	Hint       string
	Retryable  bool  // the same call may succeed later
	RetryAfter int64 // milliseconds the other side asked for, 0 when it did not
	Err        error
	said       bool // Message has the words of Err already
}

func (e *Error) Error() string {
	s := e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	if e.Err != nil && !e.said {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error of a kind. What it wraps with %w is reached by errors.Is and
// errors.As, and its words stand in the message, as with fmt.Errorf.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	e := &Error{Code: code, Message: err.Error(), Retryable: code.Retryable()}
	switch err.(type) {
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		e.Err, e.said = err, true
	}
	return e
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
