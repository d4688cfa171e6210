package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ibid/internal/disk"
)

// Originals are the originals of a data directory.
type Originals struct {
	FS  disk.FS
	Dir string // data directory
}

// Problem is an original whose bytes are not what its name says.
type Problem struct {
	Hash    string `json:"hash"`
	Missing bool   `json:"missing"` // it is not there at all
}

func (o Originals) path(hash string) string {
	return filepath.Join(o.Dir, filepath.FromSlash(originalAt(hash)))
}

// Check reads one original. moved is told of the bytes that were read; it may be nil.
func (o Originals) Check(ctx context.Context, hash string, pace Pace, moved func(int64)) (*Problem, error) {
	if len(hash) != 32 || !originalPath.MatchString(originalAt(hash)) {
		return &Problem{Hash: hash, Missing: true}, nil
	}
	sum, _, err := mover{ctx: ctx, fs: o.FS, pace: pace, moved: moved}.sum(o.path(hash))
	switch {
	case gone(err):
		return &Problem{Hash: hash, Missing: true}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || !strings.HasPrefix(sum, hash):
		return &Problem{Hash: hash}, nil // a disk that gives an error has lost the bytes, too
	}
	return nil, nil
}

// Sizes is how many bytes the originals have together.
func (o Originals) Sizes(hashes []string) (total int64) {
	for _, hash := range hashes {
		if len(hash) != 32 {
			continue
		}
		if info, err := os.Stat(o.path(hash)); err == nil {
			total += info.Size()
		}
	}
	return total
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
	part := filepath.Join(m.Dir, restorePart)
	sum, _, err := m.mover.write(content, part)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(sum, p.Hash) {
		return errors.Join(errManifest, m.FS.Remove(part))
	}
	to := m.path(p.Hash)
	if err := m.FS.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if !p.Missing {
		if m.aside == "" {
			m.aside = filepath.Join(m.Dir, freeAside(m.Dir, m.now))
		}
		kept := filepath.Join(m.aside, filepath.FromSlash(originalAt(p.Hash)))
		if err := m.FS.MkdirAll(filepath.Dir(kept)); err != nil {
			return err
		}
		if err := disk.Move(m.FS, to, kept); err != nil && !gone(err) {
			return err
		}
	}
	return disk.Move(m.FS, part, to)
}
