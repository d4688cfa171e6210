package api

import (
	"cmp"

	"ibid"
)

// Uploads is what POST /v1/documents answers.
type Uploads struct {
	Documents []Uploaded    `json:"documents"`
	Errors    []RefusedFile `json:"errors"`
}

// RefusedFile is a file that was not taken in, and why.
type RefusedFile struct {
	Error string    `json:"error"`
	Hint  string    `json:"hint"`
	Code  ibid.Code `json:"code"`
}

// Err is why the file was not taken in.
func (r RefusedFile) Err() error {
	return &ibid.Error{Code: cmp.Or(r.Code, ibid.CodeBadRequest), Message: r.Error, Hint: r.Hint}
}

// Uploaded is a document as it was taken in.
type Uploaded struct {
	ibid.Document
	Unchanged bool `json:"unchanged"` // it was there with the very same content
}
