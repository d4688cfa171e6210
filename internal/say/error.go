package say

import (
	"errors"
	"io/fs"

	"ibid"
)

// Reason is why a file could not be added, without what stands before it
// already: the operation and the path.
func Reason(err error) string {
	var coded *ibid.Error
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &coded) && coded.Hint != "":
		return coded.Message + " (" + coded.Hint + ")"
	case errors.As(err, &coded):
		return coded.Message
	case errors.As(err, &pathErr):
		return pathErr.Err.Error()
	}
	return err.Error()
}
