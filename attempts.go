package ibid

import "errors"

// Attempts counts how often the work on a document was cut short from outside.
type Attempts struct {
	Killed  int // workers that were killed while they read it
	Crashes int // ends of ibid itself, by a kill or a power cut, while it was in work
}

// DocumentLease is the right to work on a version of a document. It ends at the
// deadline its holder last set, when its holder is gone, and when the version is not
// wanted any more: another came, or the document was cancelled or removed.
type DocumentLease struct {
	DocumentID string
	Version    string // content hash of what is to be read
	Owner      string
	Fence      int64 // no other lease ever has it
}

// ErrWorkerKilled says that a worker process was ended from outside, by the kernel where
// memory is short or by a person. That says nothing of the file it was reading.
var ErrWorkerKilled = errors.New(WorkerKilled)

// WorkerKilled stands in the error or the notice of a document whose worker was
// killed at every attempt.
const WorkerKilled = "the process that read it was killed from outside"
