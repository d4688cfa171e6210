package ibid

import "errors"

// Attempts counts how often the work on a document was cut short from outside.
type Attempts struct {
	Killed  int // readers (worker processes) that were killed while they read it
	Crashes int // ends of ibid itself, by a kill or a power cut, while it was in work
}

// ErrReaderKilled says that a reader was ended from outside, by the kernel where
// memory is short or by a person. That says nothing of the file it was reading.
var ErrReaderKilled = errors.New(ReaderKilled)

// ReaderKilled stands in the error or the notice of a document whose reader was
// killed at every attempt.
const ReaderKilled = "its reader was killed from outside"
