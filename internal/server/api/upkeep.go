package api

import (
	"time"

	"ibid/internal/backup"
)

// BackupRequest is the body of POST /v1/backup.
type BackupRequest struct {
	To   string `json:"to"`   // "" for the place that is set
	Keep int    `json:"keep"` // how many copies stay there; 0 for all
}

// MendRequest is the body of POST /v1/mend.
type MendRequest struct {
	From string `json:"from"` // a backup
}

// ScrubState is what is remembered of the reading of originals.
type ScrubState struct {
	Next     time.Time `json:"next,omitzero"`     // when the next reading begins
	Place    string    `json:"place,omitempty"`   // hash up to which the one under way has come
	Checked  int       `json:"checked"`           // originals, by the one under way or the last
	Bytes    int64     `json:"bytes"`             // that were read
	Finished time.Time `json:"finished,omitzero"` // when the last one was done
	// Problems are the originals that were found damaged or missing and have not been
	// found whole since.
	Problems []ScrubProblem `json:"problems"`
}

// ScrubProblem is an original that is damaged or missing.
type ScrubProblem struct {
	backup.Problem
	Name string `json:"name"` // of a document that has it; "" when none is listed
}

// ScrubProgress says how far a reading is.
type ScrubProgress struct {
	Done       int   `json:"done"`  // originals
	Total      int   `json:"total"` // originals
	DoneBytes  int64 `json:"done_bytes"`
	TotalBytes int64 `json:"total_bytes"`
	Problems   int   `json:"problems"`
}

// Mended is what putting originals back came to.
type Mended struct {
	Checked  int            `json:"checked"`
	Mended   int            `json:"mended"`
	Problems []ScrubProblem `json:"problems"` // what the backup does not have either
	Aside    string         `json:"aside"`    // where the damaged ones lie now
}

// ScrubStatus is what GET /v1/status says of the reading of originals.
type ScrubStatus struct {
	Setting string `json:"setting"` // weekly, monthly, off
	ScrubState
}

// LastBackup is what is remembered of backups.
type LastBackup struct {
	At      time.Time      `json:"at"` // when the last attempt ended
	OK      bool           `json:"ok"`
	To      string         `json:"to"`
	Error   string         `json:"error,omitempty"`
	Result  *backup.Result `json:"result,omitempty"`   // of the last one that succeeded
	Success time.Time      `json:"success,omitzero"`   // when that was
	Kept    time.Time      `json:"scheduled,omitzero"` // when one to the scheduled place last succeeded
}

// BackupStatus is what GET /v1/status says of backups.
type BackupStatus struct {
	Schedule string           `json:"schedule"` // "" for none
	Next     *time.Time       `json:"next,omitempty"`
	Running  *backup.Progress `json:"running,omitempty"`
	Last     *LastBackup      `json:"last,omitempty"`
}
