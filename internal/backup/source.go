package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/disk"
)

// Copy is one copy in a backup, as a list shows it.
type Copy struct {
	Name     string `json:"name"`
	Manifest        // without its files
	Error    string `json:"error,omitempty"` // why it cannot be restored
}

// List returns the copies of a backup, the oldest first.
func List(path string) ([]Copy, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		s, err := Open(context.Background(), disk.OS{}, path, time.Time{}, nil)
		if err != nil {
			return nil, err
		}
		return []Copy{{Name: filepath.Base(path), Manifest: s.Manifest}}, nil
	}
	if err := isBackup(path); err != nil {
		return nil, err
	}
	names, err := copies(path)
	if err != nil {
		return nil, err
	}
	all := []Copy{}
	for _, name := range names {
		c := Copy{Name: name}
		m, err := readCopy(path, name)
		if err != nil {
			c.Error = err.Error()
		} else {
			c.Manifest = *m
		}
		all = append(all, c)
	}
	return all, nil
}

// isBackup refuses a directory that is none.
func isBackup(dir string) error {
	_, err := os.Stat(filepath.Join(dir, markerName))
	if err == nil {
		return nil
	}
	if _, there := os.Stat(dir); gone(there) {
		return ibid.Errorf(ibid.CodeNotFound, "there is no backup %s", dir)
	}
	if !gone(err) {
		return explain(dir, err)
	}
	if names, err := copies(dir); err == nil && len(names) > 0 {
		return nil // its marker is lost, its copies are not
	}
	e := ibid.Errorf(ibid.CodeBadRequest, "%s is no backup of ibid's", dir)
	e.Hint = "name the folder or the file that was given to ibid backup"
	return e
}

// A Source is one copy that can be put back.
type Source struct {
	Manifest
	Path string
	Name string // of the copy; "" for an archive

	fs      disk.FS
	archive bool
}

// Open finds the newest copy of a backup, or the newest that was made at a time or
// before it, and looks whether all that it lists is there. An archive is read to
// its end, which progress is told of; it may be nil.
func Open(ctx context.Context, fsys disk.FS, path string, at time.Time, progress func(Progress)) (*Source, error) {
	info, err := os.Stat(path)
	switch {
	case gone(err):
		return nil, ibid.Errorf(ibid.CodeNotFound, "there is no backup %s", path)
	case err != nil:
		return nil, explain(path, err)
	case info.IsDir():
		return openCopy(fsys, path, at)
	}
	return openArchiveCopy(ctx, fsys, path, info.Size(), at, progress)
}

func damaged(path, name string, err error) error {
	var known *ibid.Error
	if errors.As(err, &known) {
		return err
	}
	e := ibid.Errorf(ibid.CodeConflict, "the backup %s cannot be restored: %v", filepath.Join(path, name), err)
	e.Hint = "restore another copy or another backup: ibid backup --list " + path + " lists the copies, --at TIME chooses one"
	e.Err = err
	return e
}

func openCopy(fsys disk.FS, path string, at time.Time) (*Source, error) {
	if err := isBackup(path); err != nil {
		return nil, err
	}
	names, err := copies(path)
	if err != nil {
		return nil, explain(path, err)
	}
	if !at.IsZero() {
		limit := at.UTC().Format(copyTime)
		names = slices.DeleteFunc(names, func(name string) bool { return name > limit })
	}
	if len(names) == 0 {
		e := ibid.Errorf(ibid.CodeNotFound, "%s holds no finished copy", path)
		if !at.IsZero() {
			e = ibid.Errorf(ibid.CodeNotFound, "%s holds no copy of %s or before", path, at.Format(time.DateTime))
		}
		e.Hint = "ibid backup --list " + path + " lists the copies"
		return nil, e
	}
	name := names[len(names)-1]
	m, err := readCopy(path, name)
	if gone(err) {
		err = errors.New("its " + manifestName + " is missing")
	}
	if err != nil {
		return nil, damaged(path, name, err)
	}
	if mark, err := readMarker(path); err == nil && mark.Identity != m.Identity {
		return nil, damaged(path, name, errors.New("it is the copy of another library than the rest"))
	}
	s := &Source{Manifest: *m, Path: path, Name: name, fs: fsys}
	db, _ := m.database()
	info, err := os.Stat(s.file(db))
	switch {
	case gone(err):
		return nil, damaged(path, name, errors.New(databaseName+" is missing"))
	case err != nil:
		return nil, explain(path, err)
	case info.Size() != db.Bytes:
		return nil, damaged(path, name, fmt.Errorf("%s has %d bytes, not %d", databaseName, info.Size(), db.Bytes))
	}
	return s, nil
}

func openArchiveCopy(ctx context.Context, fsys disk.FS, path string, size int64, at time.Time, progress func(Progress)) (*Source, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, explain(path, err)
	}
	defer f.Close()
	defer forget(f)
	state := Progress{Phase: PhaseVerify, Total: size}
	m := mover{ctx: ctx, fs: fsys, moved: func(n int64) {
		if state.Done += n; progress != nil {
			progress(state)
		}
	}}
	sums, manifest, err := readArchive(f, path, m)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		switch {
		case strings.HasSuffix(path, partialEnding):
			err = errors.New("it was not finished")
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			err = errors.New("it is cut short")
		case errors.Is(err, tar.ErrHeader):
			err = errors.New("it is damaged, or no archive of ibid's")
		}
		return nil, damaged(path, "", err)
	}
	for _, file := range manifest.Files {
		if _, there := sums[file.Path]; !there {
			return nil, damaged(path, "", errors.New(file.Path+" is missing"))
		}
	}
	if !at.IsZero() && manifest.MadeAt.After(at) {
		return nil, ibid.Errorf(ibid.CodeNotFound, "%s was made at %s, not before", path, manifest.MadeAt.Format(time.DateTime))
	}
	return &Source{Manifest: *manifest, Path: path, fs: fsys, archive: true}, nil
}

// file is where a file of a directory lies.
func (s *Source) file(f File) string { return filepath.Join(s.Path, filepath.FromSlash(f.At)) }

// each calls do for the files that are wanted, with their content; err says why
// there is none. An archive is read from its beginning to its end.
func (s *Source) each(want func(File) bool, do func(f File, content io.Reader, err error) error) error {
	if s.archive {
		return s.eachEntry(want, do)
	}
	for _, f := range s.Files {
		if !want(f) {
			continue
		}
		open, err := s.fs.Open(s.file(f))
		if err != nil {
			if err := do(f, nil, err); err != nil {
				return err
			}
			continue
		}
		err = do(f, open, nil)
		forget(open)
		open.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) eachEntry(want func(File) bool, do func(f File, content io.Reader, err error) error) error {
	byPath := map[string]File{}
	for _, f := range s.Files {
		byPath[f.Path] = f
	}
	open, err := s.fs.Open(s.Path)
	if err != nil {
		return err
	}
	defer open.Close()
	entries, err := openTar(open, s.Path)
	if err != nil {
		return err
	}
	for {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f, listed := byPath[h.Name]; listed && want(f) {
			if err := do(f, entries, nil); err != nil {
				return err
			}
		}
	}
}
