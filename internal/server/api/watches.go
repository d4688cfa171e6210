package api

import "ibid"

// Watch is a folder that is followed: what changes in it changes in the library.
type Watch struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"`             // absolute, on the server's machine
	Folder string    `json:"folder,omitempty"` // of the library, where its files come to
	By     string    `json:"by"`               // server: as long as it runs; command: an `ibid add --watch` beside it
	State  string    `json:"state"`            // starting, followed, missing (nothing is removed meanwhile), failed
	Error  string    `json:"error,omitempty"`
	Files  int       `json:"files"` // of it that are documents
	Since  ibid.Time `json:"since"`
}

// Watches is GET /v1/watches.
type Watches struct {
	Next    string  `json:"next,omitempty"`
	Watches []Watch `json:"watches"`
}

// WatchRequest is the body of POST /v1/watches.
type WatchRequest struct {
	Path   string `json:"path"`
	Folder string `json:"folder"` // of the library
	Hold   bool   `json:"hold"`   // whoever asks follows the folder, as long as the answer lasts
}
