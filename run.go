package ibid

import (
	"errors"
	"time"
)

// Status is how far a message, or the run that writes it, has come.
type Status string

// A run is queued, then running, then one of the four ends.
const (
	StatusQueued      Status = "queued"
	StatusRunning     Status = "running"
	StatusCompleted   Status = "completed"
	StatusStopped     Status = "stopped"     // by the user
	StatusInterrupted Status = "interrupted" // by us; the text it had was saved
	StatusFailed      Status = "failed"
)

// Done reports whether nothing more will happen.
func (s Status) Done() bool { return s != StatusQueued && s != StatusRunning && s != "" }

// KindAnswer is the kind of work that answers a question. There may be others
// (internal/run).
const KindAnswer = "answer"

// Run is the work that one user message asks for. Its ID is that of the
// assistant message it becomes.
//
//	queued ──claim──▶ running ──finish──▶ completed | stopped | interrupted | failed
//	  ▲                  │
//	  └──release/expiry──┘
type Run struct {
	ID            string
	Kind          string    // of work: KindAnswer, or another
	Principal     Principal // who asked
	ThreadID      string
	UserMessageID string
	Request       Request
	Status        Status
	Attempt       int   // times it was claimed
	Fence         int64 // grows with every claim; writes of an older holder are refused
	LastSeq       int64
	StopRequested bool // whoever holds it is to stop it
	AcceptedAt    time.Time
}

// Lease is the right to write to a run's log. It ends at the deadline its
// holder last set, or when another process claims the run.
type Lease struct {
	RunID string
	Owner string
	Fence int64
}

// ErrLeaseLost says that another process has taken the run or the document over, or
// that its work is not wanted any more: whoever gets it stops working on it and writes
// nothing more.
var ErrLeaseLost = errors.New("the lease is lost")

// LiveRunError says that a thread already has an active run.
type LiveRunError struct {
	RunID   string
	LastSeq int64
}

func (e *LiveRunError) Error() string {
	return "this thread is already being answered"
}

// Unwrap makes the error's code CONFLICT.
func (e *LiveRunError) Unwrap() error {
	return &Error{Code: CodeConflict, Message: "this thread is already being answered",
		Hint: "attach to the live run, or stop it first"}
}
