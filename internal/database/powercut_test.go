package database

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/disk/faulty"
	"ibid/internal/ibidtest"
)

// remembered is a store whose writes survive every crash.
type remembered struct{ all []ibid.Database }

func (r *remembered) PutDatabase(_ context.Context, d ibid.Database) error {
	r.all = append(slices.DeleteFunc(r.all, func(o ibid.Database) bool { return o.ID == d.ID }), d)
	return nil
}
func (r *remembered) Databases(context.Context, access.View, ibid.Page) ([]ibid.Database, string, error) {
	return slices.Clone(r.all), "", nil
}
func (r *remembered) RemoveDatabase(context.Context, access.View, string, time.Time) error {
	return nil
}
func (r *remembered) RestoreDatabase(context.Context, access.View, string) (ibid.Database, error) {
	return ibid.Database{}, nil
}
func (r *remembered) ForgetDatabases(context.Context, time.Time, int) ([]string, error) {
	return nil, nil
}

// Whatever operation fails or is the last before a power cut, an attached file can
// be asked once that was acknowledged, and says what it said last or, where loading
// it anew was cut short, what it said before. $IBID_SEEDS sets how many seeds are
// tried, $IBID_SEED repeats one.
func TestTablesSurvivePowerCuts(t *testing.T) {
	first, seeds := uint64(0), uint64(ibidtest.Fewer(t, 6, 60))
	fmt.Sscan(os.Getenv("IBID_SEEDS"), &seeds)
	if n, _ := fmt.Sscan(os.Getenv("IBID_SEED"), &first); n == 1 {
		seeds = first + 1
	}
	for seed := first; seed < seeds; seed++ {
		dir := t.TempDir()
		source, fsys, store := filepath.Join(dir, "sales.csv"), faulty.New(dir, seed), &remembered{}
		var may []int64 // how many rows it may have
		for version := range int64(5) {
			fsys.SetRates(faulty.Rates{Fail: 15, Cut: 15})
			text := "item,price\n"
			for i := range version + 1 {
				text += fmt.Sprintf("lamp %d,%d\n", i, i)
			}
			if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := New(Config{Disk: fsys, Dir: filepath.Join(dir, "data", "databases"), Forbidden: filepath.Join(dir, "data"), Store: store, FileBytes: 1 << 20,
				Now: time.Now, NewID: func() string { return "1" }})
			_, err := c.Add(t.Context(), access.For(ibid.Owner), Addition{Source: ibid.Secret(source)})
			c.Close()
			if may = append(may, version+1); err == nil {
				may = []int64{version + 1}
			}
			if err := fsys.Crash(); err != nil {
				t.Fatal(err)
			}
			if len(store.all) == 0 {
				continue
			}
			fsys.SetRates(faulty.Rates{})
			c = New(Config{Disk: fsys, Dir: filepath.Join(dir, "data", "databases"), Store: store, Now: time.Now})
			answer, err := c.Query(t.Context(), access.For(ibid.Owner), "db_1", "SELECT count(*) FROM sales")
			c.Close()
			if err != nil || len(answer.Rows) != 1 || !slices.ContainsFunc(may, func(n int64) bool { return fmt.Sprint(answer.Rows[0][0]) == fmt.Sprint(n) }) {
				t.Fatalf("seed %d: %v, %v; want a count of %v\n%s", seed, answer.Rows, err, may, fsys.Log())
			}
		}
	}
}
