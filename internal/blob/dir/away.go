package dir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ibid"
	"ibid/internal/disk"
)

// The directory may lie on a disk of its own, or on another machine, and be away while
// the program runs or when it starts. Then its name stands for nothing, or for the empty
// directory that the disk is mounted on: without a closer look all bytes would seem to
// be lost. So whenever something is not there, and at the end of each page of a list,
// the directory itself is looked at. It is away
//
//   - where it answers with an error, or is gone though it was opened;
//   - where another directory has taken its place in which no store was ever opened;
//   - where files.mounted says that it lies on a disk of its own, and it does not.
//
// A directory that nobody has mounted and that is empty when the program starts is taken
// for what it looks like.

// mountedEnding ends the name of the file beside a directory that lies on another disk
// than what it is in.
const mountedEnding = ".mounted"

const mountedText = `The folder %s lies on a disk of its own. While that disk is not mounted, ibid waits for it and
takes nothing in that folder for lost. Delete this file once the folder lies on the same disk as this file for good.
`

// reach returns an error with the code STORE_AWAY where the directory cannot be reached.
func (s *Store) reach() error {
	info, err := os.Stat(s.dir)
	was := s.opened()
	mounted := s.wasMounted()
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil && !mounted:
		return nil // it was never made
	case err != nil:
		return s.away(err)
	case mounted && s.besideParent(info):
		e := s.away(errors.New("its disk is not mounted"))
		e.Hint = fmt.Sprintf("mount it, and all goes on; if the folder is to lie here from now on, delete %s", s.dir+mountedEnding)
		return e
	}
	if was != nil && !os.SameFile(was, info) {
		if _, err := os.Stat(s.tmp()); err != nil {
			return s.away(errors.New("another folder is in its place"))
		}
	}
	f, err := os.Open(s.dir)
	if err == nil {
		_, err = f.Readdirnames(1)
		f.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return s.away(err) // a disk that was pulled out
	}
	return nil
}

// wasMounted reports whether the directory lay on a disk of its own.
func (s *Store) wasMounted() bool {
	_, err := os.Stat(s.dir + mountedEnding)
	return err == nil
}

// besideParent reports whether the directory lies on the disk of the one that it is in.
func (s *Store) besideParent(info fs.FileInfo) bool {
	parent, err := os.Stat(filepath.Dir(s.dir))
	return err == nil && disk.SameDevice(info, parent)
}

// noteMounted writes down that the directory lies on a disk of its own, where it does.
func (s *Store) noteMounted(info fs.FileInfo) error {
	if s.wasMounted() || s.besideParent(info) {
		return nil
	}
	return disk.WriteFile(s.disk, s.dir+mountedEnding, fmt.Appendf(nil, mountedText, filepath.Base(s.dir)))
}

// away is the error of a directory that cannot be reached. It has only the words of err,
// which may be that a file does not exist: nobody must conclude that from this one.
func (s *Store) away(err error) *ibid.Error {
	return &ibid.Error{Code: ibid.CodeAway, Message: "the originals in " + s.dir + " can't be reached",
		Hint: "see that its disk is mounted and answers; what waits for it goes on by itself", Retryable: ibid.CodeAway.Retryable(), Err: errors.New(err.Error())}
}

// meaning is what an error of the file system means: that the directory is away, or what
// it says.
func (s *Store) meaning(err error) error {
	if err == nil {
		return nil
	}
	if disk.IsAway(err) {
		return s.away(err)
	}
	if away := s.reach(); away != nil {
		return away
	}
	if errors.Is(err, syscall.ENOSPC) {
		return &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full", Hint: "free some space on the disk of the data directory", Err: err}
	}
	return err
}
