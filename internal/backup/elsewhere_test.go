package backup_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/backup"
	"ibid/internal/blob"
	"ibid/internal/disk"
)

// elsewhere keeps originals in memory, as a store on another machine would, which can be
// away.
type elsewhere struct {
	mu    sync.Mutex
	bytes map[string]string // by hash
	away  bool
	reads int // parts that may still be opened before it goes away; 0: any number
}

var errAway = ibid.Errorf(ibid.CodeAway, "the originals can't be reached")

func (e *elsewhere) get(hash string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.away {
		return "", errAway
	}
	content, there := e.bytes[hash]
	if !there {
		return "", ibid.Errorf(ibid.CodeNotFound, "there is no %s", hash)
	}
	return content, nil
}

func (e *elsewhere) set(away bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.away = away
}

func (e *elsewhere) Open(_ context.Context, hash string, from, n int64) (io.ReadCloser, error) {
	content, err := e.get(hash)
	e.mu.Lock()
	if e.reads > 0 {
		if e.reads--; e.reads == 0 {
			e.away = true
		}
	}
	e.mu.Unlock()
	return io.NopCloser(io.NewSectionReader(strings.NewReader(content), from, n)), err
}

func (e *elsewhere) Stat(_ context.Context, hash string) (blob.Info, error) {
	content, err := e.get(hash)
	return blob.Info{Hash: hash, Bytes: int64(len(content))}, err
}

func (e *elsewhere) List(_ context.Context, page ibid.Page) (list []blob.Info, next string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	after := ""
	if _, err := page.DecodeCursor(&after); err != nil || e.away {
		return nil, "", errors.Join(err, errAway)
	}
	for _, hash := range slices.Sorted(maps.Keys(e.bytes)) {
		if hash > after {
			return []blob.Info{{Hash: hash, Bytes: int64(len(e.bytes[hash]))}}, ibid.EncodeCursor(hash), nil // one by one
		}
	}
	return nil, "", nil
}

type arriving struct {
	e       *elsewhere
	content string
}

func (e *elsewhere) Receive(_ context.Context, content io.Reader) (blob.Upload, error) {
	raw, err := io.ReadAll(content)
	return arriving{e, string(raw)}, err
}

func (a arriving) Hash() string { return ibid.VersionOf([]byte(a.content)) }
func (a arriving) Bytes() int64 { return int64(len(a.content)) }
func (a arriving) Drop()        {}

func (a arriving) Put(context.Context) (time.Time, bool, error) {
	a.e.mu.Lock()
	defer a.e.mu.Unlock()
	if a.e.away {
		return time.Time{}, false, errAway
	}
	_, there := a.e.bytes[a.Hash()]
	a.e.bytes[a.Hash()] = a.content
	return time.Now(), !there, nil
}

// A library whose originals lie elsewhere is backed up, read, mended and restored by
// the same code; its backups are those of any library.
func TestOriginalsElsewhere(t *testing.T) {
	l, blobs := newLibrary(t, "one", "two", "three"), &elsewhere{bytes: map[string]string{}}
	whole := map[string]string{}
	for _, text := range []string{"one", "two", "three"} {
		whole[ibid.VersionOf([]byte(text))] = text
	}
	maps.Copy(blobs.bytes, whole)
	if err := os.RemoveAll(filepath.Join(l.dir, "files")); err != nil {
		t.Fatal(err)
	}
	c := l.config()
	c.Blobs = blobs
	originals := backup.Originals{FS: disk.OS{}, Dir: l.dir, Blobs: blobs}
	for _, name := range []string{"backup", "all.tar.gz"} {
		to := filepath.Join(t.TempDir(), name)
		made, err := c.Run(t.Context(), backup.Job{To: to})
		if err != nil || len(made.Missing) > 0 || made.Files != 7 {
			t.Fatalf("%s: %+v, %v", name, made, err)
		}
		// Into another store, and into a data directory of its own.
		source, err := backup.Open(t.Context(), disk.OS{}, to, time.Time{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, dir := &elsewhere{bytes: map[string]string{}}, t.TempDir()
		restored, err := backup.Restore{FS: disk.OS{}, Dir: dir, Source: source, Now: time.Now, Identify: func(string) error { return nil },
			OpenBlobs: func() (backup.Blobs, error) { return other, nil }}.Run(t.Context())
		if err != nil || len(restored.Damaged) > 0 || !maps.Equal(other.bytes, whole) {
			t.Errorf("%s: restored %+v, %q, %v", name, restored, other.bytes, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "files")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: originals lie in the data directory, too: %v", name, err)
		}
		if _, err := restore(t.Context(), disk.OS{}, to, t.TempDir(), false); err != nil {
			t.Error(name, err)
		}
		// What is damaged and missing there is mended.
		one, two := ibid.VersionOf([]byte("one")), ibid.VersionOf([]byte("two"))
		blobs.bytes[one] = "ONE"
		delete(blobs.bytes, two)
		var problems []backup.Problem
		for hash := range whole {
			p, err := originals.Check(t.Context(), hash, backup.Pace{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if p != nil {
				problems = append(problems, *p)
			}
		}
		left, aside, err := originals.Mend(t.Context(), problems, to, l.now)
		if len(problems) != 2 || err != nil || len(left) > 0 || !maps.Equal(blobs.bytes, whole) {
			t.Errorf("%s: of %v are left %v, %q, %v", name, problems, left, blobs.bytes, err)
		}
		if kept, err := os.ReadFile(filepath.Join(aside, "files", one[:2], one)); string(kept) != "ONE" {
			t.Errorf("%s: aside lies %q, %v", name, kept, err)
		}
	}
}

// What cannot be reached is not missing: no backup says so, none is made, and no check
// finds damage.
func TestOriginalsThatAreAway(t *testing.T) {
	l, blobs := newLibrary(t, "one", "two", "three"), &elsewhere{bytes: map[string]string{}}
	for _, text := range []string{"one", "two", "three"} {
		blobs.bytes[ibid.VersionOf([]byte(text))] = text
	}
	c := l.config()
	c.Blobs = blobs
	isAway := func(what string, err error) {
		t.Helper()
		if err == nil || ibid.CodeOf(err) != ibid.CodeAway {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, name := range []string{"backup", "all.tar"} {
		for reads := range 3 { // it goes away before, and after the first and the second that is read
			to := filepath.Join(t.TempDir(), name)
			blobs.reads = reads
			blobs.set(reads == 0)
			made, err := c.Run(t.Context(), backup.Job{To: to})
			isAway(name, err)
			if len(made.Missing) > 0 {
				t.Errorf("%s after %d: missing are %v", name, reads, made.Missing)
			}
			if copies, err := backup.List(to); err == nil && len(copies) > 0 {
				t.Errorf("%s after %d: a copy was made: %+v", name, reads, copies)
			}
			_, err = backup.Originals{FS: disk.OS{}, Dir: l.dir, Blobs: blobs}.Check(t.Context(), ibid.VersionOf([]byte("one")), backup.Pace{}, nil)
			isAway("a check", err)
			blobs.reads = 0
			blobs.set(false)
			if made, err := c.Run(t.Context(), backup.Job{To: to}); err != nil || len(made.Missing) > 0 {
				t.Errorf("%s after %d: back: %+v, %v", name, reads, made, err)
			}
		}
	}
}
