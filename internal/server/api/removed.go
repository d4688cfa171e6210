package api

import "ibid"

// Removed is GET /v1/removed: what can be taken back, the latest removal first.
type Removed struct {
	Removed []ibid.Removed `json:"removed"`
	Next    string         `json:"next,omitempty"`
}
