package api

import (
	"ibid"
)

// QueryResult is what POST /v1/databases/{id}/query answers.
type QueryResult struct {
	ibid.Table
	TookMS int64 `json:"took_ms"`
}
