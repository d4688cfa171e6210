package backup_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ibid/internal/backup"
	"ibid/internal/disk/faulty"
	"ibid/internal/ibidtest"
)

// Whatever operation fails or is the last before a power cut: no copy that has a
// name is anything but whole, and running the same command again finishes both a
// backup and a restore; what was finished survives the next power cut. IBID_SEEDS
// sets how many seeds are tried (make soak), IBID_SEED repeats one.
func TestFaultsAndPowerCuts(t *testing.T) {
	l := newLibrary(t, "one", "two")
	want, first, seeds := held(t, l.dir), uint64(0), uint64(ibidtest.Fewer(t, 4, 30))
	fmt.Sscan(os.Getenv("IBID_SEEDS"), &seeds)
	if n, _ := fmt.Sscan(os.Getenv("IBID_SEED"), &first); n == 1 {
		seeds = first + 1
	}
	cut := 0
	for seed := first; seed < seeds; seed++ {
		base := t.TempDir()
		to, dir := filepath.Join(base, "backup"), filepath.Join(base, "data")
		fsys := faulty.New(base, seed)
		c := l.config()
		c.FS = fsys
		attempt := func(what string, do func() error) {
			for n := 0; ; n++ {
				fsys.SetRates(faulty.Rates{Fail: 40, Cut: 40})
				if n == 5 {
					fsys.SetRates(faulty.Rates{})
				}
				err := do()
				if err == nil {
					fsys.Cut() // right after it has said that it is done
				}
				if fsys.Dead() {
					cut++
					if err := fsys.Crash(); err != nil {
						t.Fatal(err)
					}
				}
				if copies, err := backup.List(to); err == nil {
					for _, copy := range copies {
						if copy.Error != "" {
							t.Errorf("seed %d: %s: %s\n%s", seed, copy.Name, copy.Error, fsys.Log())
						}
					}
				}
				if err == nil {
					return
				}
				if n >= 5 {
					t.Fatalf("seed %d: %s: %v\n%s", seed, what, err, fsys.Log())
				}
			}
		}
		for range 3 {
			var name string
			attempt("backup", func() error {
				l.now = l.now.Add(time.Hour)
				made, err := c.Run(t.Context(), backup.Job{To: to, Keep: 2})
				name = made.Name
				return err
			})
			copies, err := backup.List(to)
			if err != nil || !slices.ContainsFunc(copies, func(c backup.Copy) bool { return c.Name == name }) {
				t.Fatalf("seed %d: %s was made and is lost: %+v, %v\n%s", seed, name, copies, err, fsys.Log())
			}
		}
		attempt("restore", func() error {
			if err := fsys.MkdirAll(dir); err != nil {
				return err
			}
			_, err := restore(t.Context(), fsys, to, dir, false)
			return err
		})
		if got := held(t, dir); !maps.Equal(got, want) {
			t.Fatalf("seed %d: restored were %q\n%s", seed, slices.Sorted(maps.Keys(got)), fsys.Log())
		}
		if got := documents(t, dir); !slices.Equal(got, []string{"one", "two"}) {
			t.Fatalf("seed %d: %q", seed, got)
		}
		if _, unfinished := backup.Unfinished(dir); unfinished {
			t.Fatalf("seed %d: the restore is not finished\n%s", seed, fsys.Log())
		}
	}
	if cut == 0 {
		t.Error("the power was never cut")
	}
}
