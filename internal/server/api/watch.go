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
