package document

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
		return refuseHint(refusal.Message, refusal.Hint)
	}
	return err
}

// partError tells what the failure of a part means for the file: a notice where
// something was read, an error where nothing was.
func partError(b *Builder, err error) (notice string, fatal error) {
	err = refused(err)
	var known *ibid.Error
	switch {
	case err == nil || b.err != nil:
		return "", nil
	case errors.As(err, &known):
		return "", err
	case errors.Is(err, zipfile.ErrTooLarge):
		return beginningOnly + err.Error(), nil
	}
	return beginningOnly + "the file is damaged", nil
}
