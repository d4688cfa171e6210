package dir_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/internal/blob"
	"ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/disk/faulty"
)

// What Put has put is there after a power cut, whole, and what Delete has deleted is
// not. A disk that only says that it syncs is noticed.
func TestPutAndDeleteSurvivePowerCuts(t *testing.T) {
	for seed := range uint64(150) {
		if err := life(t.Context(), t.TempDir(), seed, func(f *faulty.FS) disk.FS { return f }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	for what, lie := range map[string]func(f *faulty.FS) disk.FS{
		"directories": func(f *faulty.FS) disk.FS { return noNames{f} },
		"files":       func(f *faulty.FS) disk.FS { return noBytes{f} },
	} {
		noticed := false
		for seed := uint64(0); seed < 100 && !noticed; seed++ {
			noticed = life(t.Context(), t.TempDir(), seed, lie) != nil
		}
		if !noticed {
			t.Errorf("nobody notices that %s are not synced", what)
		}
	}
}

// noNames syncs no directory, but for those that hold others.
type noNames struct{ *faulty.FS }

func (f noNames) SyncDir(string) error { return nil }

// noBytes syncs no file.
type noBytes struct{ *faulty.FS }

func (f noBytes) CreateTemp(dir, pattern string) (disk.File, error) {
	file, err := f.FS.CreateTemp(dir, pattern)
	return unsynced{file}, err
}

type unsynced struct{ disk.File }

func (unsynced) Sync() error { return nil }

// life puts and deletes until the power is cut, and looks at what is left.
func life(ctx context.Context, base string, seed uint64, over func(*faulty.FS) disk.FS) error {
	rng, root := rand.New(rand.NewPCG(seed, 3)), filepath.Join(base, "files")
	fsys := faulty.New(base, seed)
	there := map[string]bool{} // by content, what was acknowledged; what was not is not in it
	for range 3 {
		fsys.SetRates(faulty.Rates{})
		s, err := dir.Open(over(fsys), root)
		if err != nil {
			return err
		}
		fsys.SetRates(faulty.Rates{Fail: []int{0, 10}[rng.IntN(2)], Cut: 25})
		for n := 0; n < 20 && !fsys.Dead(); n++ {
			content := fmt.Sprintf("The walrus %d sleeps.", rng.IntN(5))
			put := rng.IntN(3) > 0
			if put {
				err = tryPut(ctx, s, content)
			} else {
				_, err = s.Delete(ctx, ibidHash(content), time.Now().Add(time.Hour))
			}
			if there[content] = put; err != nil {
				delete(there, content) // it may have happened, or not
			}
		}
		fsys.Cut()
		if err := fsys.Crash(); err != nil {
			return err
		}
		if err := compare(ctx, root, there); err != nil {
			return fmt.Errorf("%w\n%s", err, fsys.Log())
		}
	}
	return nil
}

func ibidHash(content string) string {
	hash, _ := blob.HashOf(strings.NewReader(content))
	return hash
}

func tryPut(ctx context.Context, s *dir.Store, content string) error {
	u, err := s.Receive(ctx, strings.NewReader(content))
	if err != nil {
		return err
	}
	defer u.Drop()
	_, _, err = u.Put(ctx)
	return err
}

// compare holds a directory against what was acknowledged. Whatever lies in it under a
// hash is whole.
func compare(ctx context.Context, root string, there map[string]bool) error {
	s := dir.Look(disk.OS{}, root)
	for content, want := range there {
		if _, err := s.Stat(ctx, ibidHash(content)); (err == nil) != want {
			return fmt.Errorf("%q is there: %v, want %v (%w)", content, err == nil, want, errors.Join(err, errLost))
		}
	}
	for info, err := range blob.All(ctx, s) {
		if err != nil {
			return err
		}
		r, err := s.Open(ctx, info.Hash, 0, blob.Whole)
		if err != nil {
			return err
		}
		content, err := io.ReadAll(r)
		r.Close()
		if err != nil || ibidHash(string(content)) != info.Hash {
			return fmt.Errorf("%s holds %q, %w", info.Hash, content, errors.Join(err, errLost))
		}
	}
	if left, err := filepath.Glob(filepath.Join(root, "tmp", "lock-*")); err != nil || len(left) > 0 {
		return fmt.Errorf("locks are left: %v (%w)", left, os.ErrExist)
	}
	return nil
}

var errLost = errors.New("it is not as it was acknowledged")
