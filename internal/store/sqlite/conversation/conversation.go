// Package conversation keeps threads, their messages with files, and the runs that
// answer them with their logs and leases.
package conversation

import (
	"time"

	"ibid/internal/store/sqlite/file"
)

// Store keeps conversations in a database file.
type Store struct {
	file *file.File
	path string
	now  func() time.Time // the clock of leases
}

// New returns the conversations of an open file at path.
func New(f *file.File, path string, now func() time.Time) *Store {
	return &Store{file: f, path: path, now: now}
}
