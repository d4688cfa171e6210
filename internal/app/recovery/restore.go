package recovery

import (
	"context"
	"path/filepath"
	"time"

	"ibid"
	"ibid/internal/app/datadir"
	"ibid/internal/backup"
	"ibid/internal/disk"
	"ibid/internal/say"
	"ibid/internal/store/sqlite/inspect"
)

// Restore puts the newest copy of a moment or before into a data directory
// that no other process holds. A sound library is only replaced where replace says so.
func Restore(ctx context.Context, dir, from string, at time.Time, replace bool, progress func(backup.Progress)) (backup.Restored, error) {
	source, err := backup.Open(ctx, disk.OS{}, from, at, progress)
	if err != nil {
		return backup.Restored{}, err
	}
	hold, err := datadir.Acquire(dir, "restore")
	if err != nil {
		return backup.Restored{}, err
	}
	defer hold.Release()
	if err := mayRestore(ctx, dir, replace); err != nil {
		return backup.Restored{}, err
	}
	return backup.Restore{FS: disk.OS{}, Dir: dir, Source: source, Anew: replace, Progress: progress, Now: time.Now,
		OpenBlobs: func() (backup.Blobs, error) {
			originals := datadir.Originals(dir)
			return originals, originals.Begin()
		},
		Identify: func(identity string) error {
			return disk.WriteFile(disk.OS{}, filepath.Join(dir, datadir.IdentityName), []byte(datadir.IdentityLine(identity)))
		}}.Run(ctx)
}

// mayRestore refuses to move a library out of the way that is sound.
func mayRestore(ctx context.Context, dir string, replace bool) error {
	if _, unfinished := backup.Unfinished(dir); replace || unfinished {
		return nil
	}
	if err := datadir.Inspect(ctx, dir, datadir.Originals(dir)); ibid.CodeOf(err) == ibid.CodeAway && err != nil {
		return err
	} else if err != nil {
		return nil // this is what a backup is for
	}
	in, err := inspect.Open(ctx, filepath.Join(dir, datadir.DatabaseName), "")
	if err != nil {
		return nil
	}
	defer in.Close()
	if in.Empty || in.Verify(ctx) != nil {
		return nil
	}
	counted, err := in.Count(ctx)
	if err != nil {
		return nil
	}
	e := ibid.Errorf(ibid.CodeConflict, "there is a sound library in %s already, with %s and %s", dir, say.Count(counted.Documents, "document"), say.Count(counted.Threads, "conversation"))
	e.Hint = "to restore beside it, use --data with a new folder; --replace moves it aside; --only-damaged mends its originals"
	return e
}
