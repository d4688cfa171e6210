package backup

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/disk"
)

// Originals are the originals of a library.
type Originals struct {
	FS    disk.FS
	Dir   string // data directory, for what is moved aside
	Blobs Blobs
}

// Problem is an original whose bytes are not what its name says.
type Problem struct {
	Hash    string `json:"hash"`
	Missing bool   `json:"missing"` // it is not there at all
}

// Check reads one original. moved is told of the bytes that were read; it may be nil.
// Where the originals cannot be reached it finds out nothing, and that is an error.
func (o Originals) Check(ctx context.Context, hash string, pace Pace, moved func(int64)) (*Problem, error) {
	if !blob.IsHash(hash) {
		return &Problem{Hash: hash, Missing: true}, nil
	}
	content, err := openOriginal(ctx, o.Blobs, hash)
	sum := ""
	if err == nil {
		sum, _, err = mover{ctx: ctx, fs: o.FS, pace: pace, moved: moved}.readBack(content)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && ibid.CodeOf(err) == ibid.CodeAway:
		return nil, err
	case gone(err):
		return &Problem{Hash: hash, Missing: true}, nil
	case err != nil || !strings.HasPrefix(sum, hash):
		return &Problem{Hash: hash}, nil // a disk that gives an error has lost the bytes, too
	}
	return nil, nil
}

// Size is how many bytes an original has; 0 when it is not there.
func (o Originals) Size(ctx context.Context, hash string) (int64, error) {
	info, err := o.Blobs.Stat(ctx, hash)
	if err != nil && ibid.CodeOf(err) == ibid.CodeAway {
		return 0, err
	}
	return info.Bytes, nil
}

// Mend puts originals back from a backup. What is damaged is moved aside, into the
// folder that it returns, "" for none. left are those that the backup does not have
// whole either.
func (o Originals) Mend(ctx context.Context, problems []Problem, from string, now time.Time) (left []Problem, aside string, err error) {
	source, err := Open(ctx, o.FS, from, time.Time{}, nil)
	if err != nil {
		return problems, "", err
	}
	wanted := map[string]Problem{}
	for _, p := range problems {
		wanted[p.Hash] = p
	}
	m := mender{Originals: o, mover: mover{ctx: ctx, fs: o.FS}, now: now}
	put := func(f File, content io.Reader, err error) error {
		hash, _ := f.isOriginal()
		if err == nil {
			err = m.put(wanted[hash], content)
		}
		if err == nil {
			delete(wanted, hash)
		}
		if gone(err) || errors.Is(err, errManifest) {
			return nil
		}
		return err
	}
	if source.archive {
		err = source.each(func(f File) bool {
			hash, ok := f.isOriginal()
			_, want := wanted[hash]
			return ok && want
		}, put)
	} else {
		// Older copies may have what the newest one lacks.
		for _, p := range problems {
			f := File{Path: originalAt(p.Hash), At: originalAt(p.Hash)}
			var open disk.File
			if open, err = o.FS.Open(source.file(f)); gone(err) {
				err = nil
				continue
			} else if err != nil {
				break
			}
			err = put(f, open, nil)
			open.Close()
			if err != nil {
				break
			}
		}
	}
	for _, p := range problems {
		if still, ok := wanted[p.Hash]; ok {
			left = append(left, still)
		}
	}
	if err != nil {
		err = explain(o.Dir, err)
	}
	return left, m.aside, err
}

type mender struct {
	Originals
	mover mover
	now   time.Time
	aside string
}

// put puts one original in its place, if its content is right.
func (m *mender) put(p Problem, content io.Reader) error {
	upload, err := m.Blobs.Receive(m.mover.ctx, content)
	if err != nil {
		return err
	}
	defer upload.Drop()
	if upload.Hash() != p.Hash {
		return errManifest
	}
	if !p.Missing {
		if err := m.keepAside(p.Hash); err != nil {
			return err
		}
	}
	_, _, err = upload.Put(m.mover.ctx)
	return err
}

// keepAside copies what is kept in the place of an original, as far as it can be read.
func (m *mender) keepAside(hash string) error {
	if m.aside == "" {
		m.aside = filepath.Join(m.Dir, freeAside(m.Dir, m.now))
	}
	kept := filepath.Join(m.aside, filepath.FromSlash(originalAt(hash)))
	if err := m.FS.MkdirAll(filepath.Dir(kept)); err != nil {
		return err
	}
	content, err := openOriginal(m.mover.ctx, m.Blobs, hash)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer content.Close()
	f, err := m.FS.Create(kept)
	if err != nil {
		return err
	}
	readable := &asFar{Reader: content}
	_, err = io.Copy(f, readable)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if ibid.CodeOf(readable.err) == ibid.CodeAway {
		return readable.err
	}
	return m.FS.SyncDir(filepath.Dir(kept))
}

// asFar ends where the disk gives no more.
type asFar struct {
	io.Reader
	err error // what it said then; nil at the end
}

func (r *asFar) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err, err = err, io.EOF
	}
	return n, err
}
