package faulty_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/disk"
	"ibid/internal/disk/faulty"
	"ibid/internal/ibidtest"
)

const tries = 150 // seeds; what has one chance in ten is seen for sure

// outcomes crashes after some work, by seed, and counts what the directory holds.
func outcomes(t *testing.T, rates faulty.Rates, work func(fsys disk.FS, dir string) error) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for seed := range uint64(tries) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := faulty.New(dir, seed)
		f.SetRates(rates)
		ended := "refused"
		if work(f, dir) == nil {
			ended = "done"
		}
		if err := f.Crash(); err != nil {
			t.Fatal(err)
		}
		files, err := faulty.Files(dir)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Trim(files["a"], "\x00") == "" && files["a"] != "" {
			files["a"] = "zeros"
		}
		seen[ended+": "+files["a"]]++
	}
	return seen
}

func TestReplaceSurvives(t *testing.T) {
	seen := outcomes(t, faulty.Rates{Fail: 10, Cut: 10}, func(fsys disk.FS, dir string) error {
		return disk.WriteFile(fsys, filepath.Join(dir, "a"), []byte("new"))
	})
	if len(seen) != 3 || seen["done: new"] == 0 || seen["refused: old"] == 0 || seen["refused: new"] == 0 {
		t.Errorf("after a cut: %v", seen)
	}
}

// Without a sync, each thing that can be lost is lost at times.
func TestWhatIsNotSyncedIsLost(t *testing.T) {
	ibidtest.WithoutRace(t, "one file system after the other")
	write := func(fsys disk.FS, path string) disk.File {
		f, err := fsys.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "new")
		return f
	}
	for name, c := range map[string]struct {
		work func(fsys disk.FS, dir string) error
		want []string
	}{
		"file not synced": {func(fsys disk.FS, dir string) error {
			write(fsys, filepath.Join(dir, "b")).Close()
			return disk.Move(fsys, filepath.Join(dir, "b"), filepath.Join(dir, "a"))
		}, []string{"done: new", "done: ", "done: zeros", "done: n"}},
		"directory not synced": {func(fsys disk.FS, dir string) error {
			f := write(fsys, filepath.Join(dir, "b"))
			defer f.Close()
			return errors.Join(f.Sync(), fsys.Rename(f.Name(), filepath.Join(dir, "a")))
		}, []string{"done: new", "done: old"}},
		"overwritten in place": {func(fsys disk.FS, dir string) error {
			return write(fsys, filepath.Join(dir, "a")).Close()
		}, []string{"done: new", "done: old", "done: ", "done: zeros"}},
		"removed": {func(fsys disk.FS, dir string) error {
			return fsys.Remove(filepath.Join(dir, "a"))
		}, []string{"done: old", "done: "}},
		"appended": {func(fsys disk.FS, dir string) error {
			f, err := fsys.Append(filepath.Join(dir, "a"))
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.WriteString(f, "er")
			return err
		}, []string{"done: old", "done: olde", "done: older"}},
	} {
		seen := outcomes(t, faulty.Rates{}, c.work)
		for _, want := range c.want {
			if seen[want] == 0 {
				t.Errorf("%s: %q was never left: %v", name, want, seen)
			}
		}
	}
}

func TestSyncedStays(t *testing.T) {
	seen := outcomes(t, faulty.Rates{}, func(fsys disk.FS, dir string) error {
		below := filepath.Join(dir, "x", "y")
		return errors.Join(fsys.MkdirAll(below), disk.WriteFile(fsys, filepath.Join(below, "c"), []byte("c")),
			disk.Move(fsys, filepath.Join(below, "c"), filepath.Join(dir, "a")))
	})
	if seen["done: c"] != tries {
		t.Errorf("what was synced is lost: %v", seen)
	}
	seen = outcomes(t, faulty.Rates{}, func(fsys disk.FS, dir string) error {
		return disk.Delete(fsys, filepath.Join(dir, "a"))
	})
	if seen["done: "] != tries {
		t.Errorf("what was deleted came back: %v", seen)
	}
}

// A directory that is made and not synced may take all below it along.
func TestDirectoryIsLost(t *testing.T) {
	lost := 0
	for seed := range uint64(tries) {
		dir := t.TempDir()
		f := faulty.New(dir, seed)
		if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil { // by somebody who does not sync
			t.Fatal(err)
		}
		if err := disk.WriteFile(f, filepath.Join(dir, "d", "c"), []byte("c")); err != nil {
			t.Fatal(err)
		}
		if err := f.Crash(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "d")); err != nil {
			lost++
		}
	}
	if lost == 0 || lost == tries {
		t.Errorf("lost %d of %d", lost, tries)
	}
}

func TestDeadUntilRevived(t *testing.T) {
	dir := t.TempDir()
	f := faulty.New(dir, 1)
	f.Cut()
	if err := disk.WriteFile(f, filepath.Join(dir, "a"), nil); !errors.Is(err, faulty.ErrPowerCut) {
		t.Errorf("after the cut: %v", err)
	}
	if f.Revive(); f.Dead() {
		t.Error("still dead")
	}
	if err := disk.WriteFile(f, filepath.Join(dir, "a"), nil); err != nil {
		t.Error(err)
	}
}
