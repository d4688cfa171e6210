package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/backup"
	"ibid/internal/disk"
	"ibid/internal/store/sqlite"
)

// Three nights pass, on a clock of the test's own; one of them fails and is tried
// again an hour later.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	synctest.Test(t, func(t *testing.T) {
		db, err := sqlite.Open(t.Context(), filepath.Join(dir, datadir.DatabaseName), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.SetIdentity(t.Context(), "identity"); err != nil {
			t.Fatal(err)
		}
		schedule, err := backup.ParseSchedule("daily at 03:00 to " + to + ", keep 2")
		if err != nil {
			t.Fatal(err)
		}
		var broken atomic.Bool
		copyTo := func(ctx context.Context, path string, after func(done, total int64) error) error {
			if broken.Load() {
				return errors.New("broken")
			}
			return db.CopyTo(ctx, path, after)
		}
		u := &Upkeep{store: db, schedule: schedule, scrub: config.ScrubOff, disk: disk.OS{}, dir: dir, now: time.Now, log: slog.New(slog.DiscardHandler),
			library: backup.Config{FS: disk.OS{}, Dir: dir, Blobs: datadir.Originals(dir), Identity: "identity", Copy: copyTo, Hold: func() func() { return func() {} }, Now: time.Now}}
		days, night := 0, time.Now()
		for night.Hour() != 12 { // begin at noon
			night = night.Add(time.Hour)
		}
		time.Sleep(time.Until(night))
		stop := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer close(stop)
			u.KeepUp(ctx)
		}()
		names := func() []string {
			t.Helper()
			var names []string
			copies, err := backup.List(to)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range copies {
				names = append(names, c.MadeAt.Local().Format("02 15:04"))
			}
			return names
		}
		at := func(day int, clock string) string { return night.AddDate(0, 0, day).Format("02 ") + clock }
		expect := func(want ...string) {
			t.Helper()
			if got := names(); !slices.Equal(got, want) {
				t.Errorf("day %d: the copies are of %q, want %q", days, got, want)
			}
		}
		time.Sleep(time.Hour)
		expect(at(0, "12:00")) // none was ever made, so one is due at once
		time.Sleep(24 * time.Hour)
		expect(at(0, "12:00"), at(1, "03:00"))
		time.Sleep(24 * time.Hour)
		expect(at(1, "03:00"), at(2, "03:00"))
		broken.Store(true) // the next one fails
		time.Sleep(16*time.Hour - 30*time.Minute)
		broken.Store(false)
		expect(at(1, "03:00"), at(2, "03:00"))
		last, err := u.last(ctx)
		if err != nil || last.OK || last.Error == "" {
			t.Errorf("the failure is not remembered: %+v, %v", last, err)
		}
		time.Sleep(time.Hour)
		expect(at(2, "03:00"), at(3, "05:00"))
		cancel()
		<-stop
	})
}
