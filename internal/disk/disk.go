// Package disk is all that ibid does to files of its own: originals, the index's
// snapshot, server.json, backups. (SQLite sees to its own files.) A power cut
// loses what was written and not synced:
//
//   - what a file holds is safe once the file was synced;
//   - that there is a file of that name — made, renamed or removed — is safe once
//     its directory was synced.
//
// Between the two anything may be left: an empty file under the new name, the old
// file, both names, none. So whoever is about to say "it is kept" syncs the file,
// renames it into place, and syncs the directory; and whoever deletes a file that
// the database lists syncs the directory before the list forgets it. Replace,
// Move and Delete do so.
//
// Tests put internal/disk/faulty in the place of OS: it fails operations and cuts
// the power.
package disk

import (
	"bufio"
	"io"
	"io/fs"
	"path/filepath"
)

// FS is what ibid does to files. Whatever only looks (os.Stat, os.ReadDir) need
// not go through it.
type FS interface {
	// Create makes a file, or empties the one that is there. Only its owner may
	// read it.
	Create(path string) (File, error)
	// CreateTemp makes a file with a name that nobody has, as os.CreateTemp does.
	CreateTemp(dir, pattern string) (File, error)
	// Append opens a file for writing at its end, and makes it if need be.
	Append(path string) (File, error)
	// Open opens a file for reading.
	Open(path string) (File, error)
	// MkdirAll makes a directory and those above it, which its owner alone may
	// enter. Once it has returned, the directory survives a power cut, also if it
	// was there already; of those above, only the ones that were missing are seen
	// to. That is a sync or more: call it once for each directory.
	MkdirAll(path string) error
	// Rename gives a file another name, in the place of a file that has it.
	Rename(from, to string) error
	// Remove deletes a file or an empty directory.
	Remove(path string) error
	// SyncDir makes safe what was made, renamed or removed in a directory. It
	// does nothing on Windows, which has no such call.
	SyncDir(path string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Sync() error // makes safe what the file holds
}

// newEnding ends the names of files that are being written to take the place of
// another. One that a crash left is overwritten by the next.
const newEnding = ".new"

// Replace writes a file that takes the place of the one at path only when it is
// whole and on disk: at any moment, and after a power cut, path is the old file
// or the new one. After an error it is the old one, except where the last step,
// syncing the directory, fails. Only one may replace a file at a time.
func Replace(fsys FS, path string, write func(io.Writer) error) error {
	f, err := fsys.Create(path + newEnding)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = fsys.Rename(f.Name(), path)
	}
	if err != nil {
		_ = fsys.Remove(f.Name()) // what is left is overwritten by the next
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// WriteFile replaces what a file holds, as Replace does.
func WriteFile(fsys FS, path string, content []byte) error {
	return Replace(fsys, path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Move gives a file that was synced another name, which survives a power cut once
// Move has returned. (The old name may come back beside it.)
func Move(fsys FS, from, to string) error {
	if err := fsys.Rename(from, to); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(to))
}

// Delete removes a file, which does not come back by a power cut once Delete has
// returned.
func Delete(fsys FS, path string) error {
	if err := fsys.Remove(path); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// SyncFile makes safe what a file holds that was written by something else, such
// as SQLite.
func SyncFile(fsys FS, path string) error {
	f, err := fsys.Append(path) // Windows syncs only what is open for writing
	if err != nil {
		return err
	}
	err = f.Sync()
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
