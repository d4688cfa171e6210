package format

import (
	"errors"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/zipfile"
)

// OpenZip opens a zip file that is in memory. The error is for the user.
func OpenZip(data []byte) (*zipfile.File, error) {
	z, err := zipfile.Open(data, charset.XML)
	if err != nil {
		return nil, refused(err)
	}
	return z, nil
}

// refused makes an error for the user of what a zip file is refused for.
func refused(err error) error {
	var refusal *zipfile.Refusal
	if errors.As(err, &refusal) {
		return RefuseHint(refusal.Message, refusal.Hint)
	}
	return err
}

// PartError tells what the failure of a part means for the file: a notice where
// something was read, an error where nothing was.
func PartError(b *Builder, err error) (notice string, fatal error) {
	err = refused(err)
	var known *ibid.Error
	switch {
	case err == nil || b.Err != nil:
		return "", nil
	case errors.As(err, &known):
		return "", err
	case errors.Is(err, zipfile.ErrTooLarge):
		return BeginningOnly + err.Error(), nil
	}
	return BeginningOnly + "the file is damaged", nil
}
