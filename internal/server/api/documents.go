package api

import (
	"cmp"

	"ibid"
	"ibid/internal/ingest"
)

// Documents is GET /v1/documents.
type Documents struct {
	Documents []ibid.Document `json:"documents"`
	Next      string          `json:"next,omitempty"`
	Total     *int            `json:"total,omitempty"` // of all pages, where that is known without counting
}

// File is what is said of a file that is sent: the meta part before it.
type File = ingest.File

// DocumentURL is the body of POST /v1/documents where a page is to be fetched.
type DocumentURL struct {
	URL string `json:"url"`
	File
}

// Uploads is what POST /v1/documents answers.
type Uploads struct {
	Documents []Uploaded    `json:"documents"`
	Errors    []RefusedFile `json:"errors"`
}

// Uploaded is a document that was taken in: whether it was there already with the
// very same content, and which other one had the name of its file.
type Uploaded struct {
	ibid.Document
	Unchanged bool           `json:"unchanged,omitempty"`
	SameName  *ibid.SameName `json:"same_name,omitempty"`
}

// RefusedFile is a file that was not taken in, and why.
type RefusedFile struct {
	Name     string         `json:"name"`
	Error    string         `json:"error"`
	Hint     string         `json:"hint,omitempty"`
	Code     ibid.Code      `json:"code,omitempty"`
	SameName *ibid.SameName `json:"same_name,omitempty"` // with CONFLICT: the document that has its name
}

// Err is why the file was not taken in.
func (r RefusedFile) Err() error {
	return &ibid.Error{Code: cmp.Or(r.Code, ibid.CodeBadRequest), Message: r.Error, Hint: r.Hint}
}

// KnownFile is a file that is asked about before it is sent.
type KnownFile = ingest.Known

// KnownFiles is the body of POST /v1/documents/unchanged.
type KnownFiles struct {
	Files []KnownFile `json:"files"`
}

// Unchanged is what POST /v1/documents/unchanged answers: for each file its
// document, null where the file has to be sent.
type Unchanged struct {
	Unchanged []*ibid.Document `json:"unchanged"`
}

// DocumentChange is the body of PATCH /v1/documents/{id}.
type DocumentChange = ingest.Description
