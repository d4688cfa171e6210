package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/proc"
)

// source is an opened file: its bytes can be read from the beginning again.
type source struct {
	io.ReadSeeker
	name  string
	size  int64
	close func() error
}

// open opens what a request names. Only regular files are read: a FIFO would
// block, a device would never end.
func (r Request) open(limit int64) (*source, error) {
	s, err := r.source()
	if err != nil {
		return nil, err
	}
	if r.Name != "" {
		s.name = r.Name
	}
	switch {
	case s.size == 0:
		err = format.Refuse("the file is empty")
	case s.size > limit:
		err = format.Refuse(fmt.Sprintf("the file is %s large, more than the limit of %s", format.Megabytes(s.size), format.Megabytes(limit)))
	}
	if err != nil {
		_ = s.close()
		return nil, err
	}
	return s, nil
}

func (r Request) source() (*source, error) {
	if r.Path == "" {
		return &source{ReadSeeker: bytes.NewReader(r.Data), size: int64(len(r.Data)), close: func() error { return nil }}, nil
	}
	f, err := os.OpenFile(r.Path, os.O_RDONLY|proc.OpenFlags(r.NoFollow), 0)
	if err != nil {
		return nil, openError(r, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = format.Refuse("this is " + FileKind(info.Mode()) + ", not a regular file")
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &source{ReadSeeker: f, name: filepath.Base(r.Path), size: info.Size(), close: f.Close}, nil
}

func openError(r Request, err error) error {
	var message string
	switch info, statErr := os.Lstat(r.Path); {
	case errors.Is(err, fs.ErrNotExist):
		return &ibid.Error{Code: ibid.CodeNotFound, Message: "there is no such file"}
	case errors.Is(err, fs.ErrPermission):
		message = "the file may not be read by this user"
	case statErr == nil && !info.Mode().IsRegular():
		message = "this is " + FileKind(info.Mode()) + ", not a regular file"
	default:
		return &ibid.Error{Code: ibid.CodeBadRequest, Message: "the file cannot be opened", Err: err}
	}
	return format.Refuse(message)
}

// FileKind says what stands where a regular file should, for people.
func FileKind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}
