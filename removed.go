package ibid

// Removed is something that was removed and can still be taken back.
type Removed struct {
	Kind      RemovedKind `json:"kind"`
	ID        string      `json:"id"`
	Name      string      `json:"name"`             // a conversation's title
	Folder    string      `json:"folder,omitempty"` // of a document
	RemovedAt Time        `json:"removed_at"`
	Until     Time        `json:"until"` // when it goes for good
}

// RemovedKind says what was removed.
type RemovedKind string

// What can be taken back.
const (
	RemovedDocument RemovedKind = "document"
	RemovedThread   RemovedKind = "thread"
	RemovedDatabase RemovedKind = "database"
)

// NotRestorable is the error about something that cannot be taken back: it was not
// removed, was removed too long ago, or never was there.
func NotRestorable(what, id string) error {
	err := Errorf(CodeNotFound, "there is no removed %s %s", what, id)
	err.Hint = "what was removed longer ago than limits.keep_removed is gone for good"
	return err
}
