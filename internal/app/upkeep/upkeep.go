// Package upkeep backs a library up and reads its originals, by request and by the
// clock.
package upkeep

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/backup"
	"ibid/internal/disk"
	"ibid/internal/server/api"
)

// Upkeep backs the library up, by request and by the clock, and reads its
// originals. One backup runs at a time, and one reading.
type Upkeep struct {
	library  backup.Config
	store    upkeepStore
	schedule backup.Schedule
	scrub    string // the setting
	disk     disk.FS
	dir      string // data directory
	alone    bool   // nobody else is served, so that nothing needs to rest
	now      func() time.Time
	log      *slog.Logger

	backingUp sync.Mutex
	scrubbing sync.Mutex

	mu      sync.Mutex
	running *backup.Progress // of the backup that is made now; nil: none
}

// upkeepStore keeps what upkeep has to know after a restart.
type upkeepStore interface {
	Setting(ctx context.Context, name string) (string, error)
	SetSetting(ctx context.Context, name, value string) error
	Originals(ctx context.Context, page ibid.Page) (hashes []string, next string, err error)
	NamesOfVersions(ctx context.Context, view access.View, hashes []string) (map[string]string, error)
}

// Names of the settings in the database.
const (
	lastBackupSetting = "backup.last"
	scrubSetting      = "scrub"
)

// New returns the upkeep of a data directory whose database is open. Of
// library only Copy, Hold and Blobs are given.
func New(cfg config.Config, store upkeepStore, library backup.Config, log *slog.Logger) (*Upkeep, error) {
	schedule, err := backup.ParseSchedule(cfg.Backup)
	if err != nil {
		return nil, err
	}
	identity, err := datadir.ReadIdentity(cfg.Data)
	if err != nil {
		log.Warn("no backup can be made: the data directory has no identity", "error", err)
	}
	settings, err := config.SettingsWithoutSecrets(cfg.Data)
	if err != nil {
		log.Warn("the settings file is not in backups", "error", err)
	}
	if cfg.Alone {
		log = slog.New(slog.DiscardHandler) // the command itself says what happens
	}
	library.FS, library.Dir, library.Identity, library.Version = disk.OS{}, cfg.Data, identity, cfg.Version
	library.Settings, library.Now = settings, time.Now
	return &Upkeep{library: library, store: store, schedule: schedule, scrub: cfg.Scrub, disk: disk.OS{}, dir: cfg.Data, alone: cfg.Alone,
		now: time.Now, log: log}, nil
}

func (u *Upkeep) last(ctx context.Context) (last api.LastBackup, err error) {
	text, err := u.store.Setting(ctx, lastBackupSetting)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &last)
	}
	return last, err
}

// Backup makes a backup now.
func (u *Upkeep) Backup(ctx context.Context, to string, keep int, progress func(backup.Progress)) (backup.Result, error) {
	if to == "" {
		if u.schedule.To == "" {
			e := ibid.Errorf(ibid.CodeBadRequest, "no place for backups is set")
			e.Hint = `name one: ibid backup DIR, or set backup = "daily to DIR" in the configuration`
			return backup.Result{}, e
		}
		to, keep = u.schedule.To, u.schedule.Keep
	}
	pace := backup.Gentle
	if u.alone {
		pace = backup.Pace{}
	}
	return u.make(ctx, backup.Job{To: to, Keep: keep, Pace: pace, Progress: progress})
}

// make makes one backup, and remembers what came of it.
func (u *Upkeep) make(ctx context.Context, job backup.Job) (backup.Result, error) {
	if u.library.Identity == "" {
		return backup.Result{}, ibid.Errorf(ibid.CodeConflict, "the data directory has no identity, so no backup could be told to be its own; start ibid again")
	}
	if !u.backingUp.TryLock() {
		e := ibid.Errorf(ibid.CodeConflict, "a backup is being made already")
		e.Hint = "wait for it to end; GET /v1/status shows how far it is"
		return backup.Result{}, e
	}
	defer u.backingUp.Unlock()
	show := func(p *backup.Progress) {
		u.mu.Lock()
		u.running = p
		u.mu.Unlock()
	}
	show(&backup.Progress{})
	defer show(nil)
	tell := job.Progress
	job.Progress = func(p backup.Progress) {
		show(&p)
		if tell != nil {
			tell(p)
		}
	}
	result, err := u.library.Run(ctx, job)
	if ctx.Err() != nil {
		return result, ctx.Err() // it was told to stop: that says nothing about backups
	}
	if kept := u.remember(ctx, job.To, result, err); kept != nil {
		u.log.Warn("cannot note the last backup", "error", kept)
	}
	return result, err
}

// remember notes what came of a backup. One by hand that failed, in a place that
// nothing is scheduled for, was seen to fail by whoever asked for it.
func (u *Upkeep) remember(ctx context.Context, to string, result backup.Result, failed error) error {
	if failed != nil && to != u.schedule.To {
		return nil
	}
	last, err := u.last(ctx)
	if err != nil {
		return err
	}
	last.At, last.To, last.OK, last.Error = u.now().UTC(), to, failed == nil, ""
	if failed != nil {
		last.Error = failed.Error()
	} else {
		last.Success, last.Result = last.At, &result
		if to == u.schedule.To {
			last.Kept = last.At
		}
	}
	text, err := json.Marshal(last)
	if err != nil {
		return err
	}
	return u.store.SetSetting(ctx, lastBackupSetting, string(text))
}

// tryAgain is how long after one that failed the next scheduled backup waits.
const tryAgain = time.Hour

// due is when the next scheduled backup is to be made. One that was missed is due
// at once.
func (u *Upkeep) due(last api.LastBackup) time.Time {
	due := time.Time{}
	if !last.Kept.IsZero() {
		due = u.schedule.Next(last.Kept.In(time.Local))
	}
	if !last.OK && last.To == u.schedule.To && !last.At.IsZero() && due.Before(last.At.Add(tryAgain)) {
		due = last.At.Add(tryAgain)
	}
	return due
}

// longestWait is how often the clock is looked at: it may be set, and a machine
// may have slept.
const longestWait = time.Minute

// KeepUp makes scheduled backups and reads originals until ctx ends.
func (u *Upkeep) KeepUp(ctx context.Context) {
	var both sync.WaitGroup
	if u.schedule.Every != "" {
		both.Go(func() { u.keepBackedUp(ctx) })
	}
	if u.scrub != config.ScrubOff {
		both.Go(func() { u.keepScrubbed(ctx) })
	}
	both.Wait()
}

func (u *Upkeep) keepBackedUp(ctx context.Context) {
	for {
		last, err := u.last(ctx)
		if err != nil && ctx.Err() == nil {
			u.log.Warn("cannot read when the last backup was made", "error", err)
		}
		wait := u.due(last).Sub(u.now())
		if wait <= 0 {
			u.makeScheduled(ctx)
			wait = time.Second // another one may have been running
		}
		if sleep(ctx, min(wait, longestWait)) != nil {
			return
		}
	}
}

func (u *Upkeep) makeScheduled(ctx context.Context) {
	result, err := u.make(ctx, backup.Job{To: u.schedule.To, Keep: u.schedule.Keep, Pace: backup.Gentle})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		u.log.Error("the scheduled backup failed", "to", u.schedule.To, "error", err)
	default:
		u.log.Info("backed up", "to", u.schedule.To, "copy", result.Name, "files", result.Files, "bytes", result.Bytes, "new_bytes", result.NewBytes, "missing", len(result.Missing))
	}
}

func (u *Upkeep) BackupStatus(ctx context.Context) api.BackupStatus {
	report := api.BackupStatus{Schedule: u.schedule.String()}
	u.mu.Lock()
	report.Running = u.running
	u.mu.Unlock()
	last, err := u.last(ctx)
	if err != nil {
		return report
	}
	if !last.At.IsZero() {
		report.Last = &last
	}
	if u.schedule.Every != "" {
		next := u.due(last)
		if next.Before(u.now()) {
			next = u.now()
		}
		report.Next = &next
	}
	return report
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
