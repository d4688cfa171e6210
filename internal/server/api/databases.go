package api

import "ibid"

// Databases is GET /v1/databases.
type Databases struct {
	Databases []ibid.Database `json:"databases"`
	Next      string          `json:"next,omitempty"`
}

// DatabaseAddition is the body of POST /v1/databases, and with a name alone the
// meta part of one that is uploaded.
type DatabaseAddition struct {
	Name   string `json:"name"`
	Source string `json:"source"` // path or URL
}

// DatabaseQuery is the body of POST /v1/databases/{id}/query.
type DatabaseQuery struct {
	SQL string `json:"sql"` // one SELECT
}

// QueryResult is what POST /v1/databases/{id}/query answers.
type QueryResult struct {
	ibid.Table
	TookMS int64 `json:"took_ms"`
}
