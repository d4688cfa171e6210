package disk

import "errors"

// ErrLocked is what Lock returns when someone else has the lock.
var ErrLocked = errors.New("locked by another process")
