package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/disk"
	"ibid/internal/store/sqlite/inspect"
	"ibid/internal/store/sqlite/schema"
)

// Restore puts a copy into a data directory, which is held by this process:
//
//	database ─▶ moving ─▶ copying ─▶ done
//
// First the database is copied beside the one that is there, and checked: until
// then a backup that is no good has changed nothing. Then what is there is moved
// into the folder Aside, the originals come, and the database gets its name as the
// last file. DIR/restore.json says how far it is, so that the same command goes on
// after a crash, and no server starts in between.
type Restore struct {
	FS     disk.FS
	Dir    string
	Source *Source
	// OpenBlobs opens what keeps the originals, once what was there is moved aside.
	OpenBlobs func() (Blobs, error)
	Anew      bool                        // a restore of another copy that was cut short is given up
	Identify  func(identity string) error // writes the identity file
	Progress  func(Progress)              // may be nil
	Now       func() time.Time
}

// Restored is what a restore came to.
type Restored struct {
	From      string    `json:"from"`
	Name      string    `json:"name"` // of the copy in a directory; "" for an archive
	MadeAt    time.Time `json:"made_at"`
	Documents int       `json:"documents"`
	Threads   int       `json:"threads"`
	Files     int       `json:"files"`
	Bytes     int64     `json:"bytes"`
	Aside     string    `json:"aside"`   // where that lies now which was there before; "": nothing was
	Damaged   []string  `json:"damaged"` // files that the backup has lost or that are damaged in it
	Missing   []string  `json:"missing"` // originals that the library had lost when the backup was made, by hash
	Resumed   bool      `json:"resumed"`
}

const (
	stateName    = "restore.json"
	stagedName   = "restore.db"   // the database, until everything else is there
	restorePart  = "restore.part" // the file that is being copied
	asidePrefix  = "before-restore-"
	stageMoving  = "moving"
	stageCopying = "copying"
)

// restoreState is what restore.json holds.
type restoreState struct {
	From     string    `json:"from"`
	MadeAt   time.Time `json:"made_at"`
	Checksum string    `json:"checksum"` // of the manifest
	Stage    string    `json:"stage"`
	Aside    string    `json:"aside"`
}

// Unfinished says from which backup a restore of a data directory was cut short.
func Unfinished(dir string) (from string, unfinished bool) {
	state, err := readState(dir)
	return state.From, !gone(err)
}

func readState(dir string) (state restoreState, err error) {
	body, err := os.ReadFile(filepath.Join(dir, stateName))
	if err == nil {
		err = json.Unmarshal(body, &state)
	}
	return state, err
}

// Run restores. It may be called again after any end.
func (r Restore) Run(ctx context.Context) (Restored, error) {
	job := restoring{Restore: r, result: Restored{From: r.Source.Path, Name: r.Source.Name, MadeAt: r.Source.MadeAt,
		Documents: r.Source.Documents, Threads: r.Source.Threads, Files: len(r.Source.Files), Bytes: r.Source.Bytes,
		Damaged: []string{}, Missing: r.Source.Missing}}
	job.mover = mover{ctx: ctx, fs: r.FS, moved: func(n int64) {
		job.at.Done += n
		job.tell()
	}}
	err := job.run()
	if err != nil {
		return job.result, explain(r.Dir, err)
	}
	return job.result, nil
}

type restoring struct {
	Restore
	mover  mover
	blobs  Blobs // originals; from copyFiles on
	state  restoreState
	at     Progress
	result Restored
}

func (r *restoring) run() error {
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.stageDatabase(); err != nil {
		return err
	}
	if r.state.Stage == "" {
		if err := r.setAside(); err != nil {
			return err
		}
	}
	if r.state.Stage == stageMoving {
		if err := r.move(); err != nil {
			return err
		}
	}
	r.result.Aside = r.state.Aside
	if r.state.Aside != "" {
		r.result.Aside = filepath.Join(r.Dir, r.state.Aside)
	}
	if err := r.copyFiles(); err != nil {
		return err
	}
	if err := r.finish(); err != nil {
		return err
	}
	return disk.Delete(r.FS, filepath.Join(r.Dir, stateName))
}

// begin reads how far an earlier attempt has come.
func (r *restoring) begin() error {
	if known := schema.Format(); r.Source.DatabaseFormat > known {
		return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("the backup was made by a newer ibid (%s, database format %d; this one knows %d)", r.Source.Ibid, r.Source.DatabaseFormat, known),
			Hint: "restore it with that ibid or a newer one"}
	}
	state, err := readState(r.Dir)
	switch {
	case gone(err):
	case err == nil && state.Checksum == r.Source.checksum:
		r.state, r.result.Resumed = state, true
	case !r.Anew:
		e := ibid.Errorf(ibid.CodeConflict, "another restore of %s, from %s, is not finished", r.Dir, state.From)
		e.Hint = "run that one again, or use --replace to give it up and begin with this one"
		return e
	}
	return nil
}

func (r *restoring) tell() {
	if r.Progress != nil {
		r.Progress(r.at)
	}
}

func (r *restoring) phase(name string, total int64) {
	r.at = Progress{Phase: name, Total: total, Resumed: r.result.Resumed}
	r.tell()
}

var errEnough = errors.New("seen enough")

// stageDatabase copies the database beside its place and checks it.
func (r *restoring) stageDatabase() error {
	db, _ := r.Source.database()
	staged := filepath.Join(r.Dir, stagedName)
	if r.result.Resumed {
		if sum, _, err := r.mover.sum(filepath.Join(r.Dir, databaseName)); err == nil && sum == db.SHA256 && r.state.Stage == stageCopying {
			return nil // it has its name already
		}
		if sum, _, err := r.mover.sum(staged); err == nil && sum == db.SHA256 {
			return nil
		}
	}
	r.phase(PhaseDatabase, db.Bytes)
	err := r.Source.each(func(f File) bool { return f.Path == databaseName }, func(f File, content io.Reader, err error) error {
		if err == nil {
			var sum string
			if sum, _, err = r.mover.write(content, staged); err == nil && sum != db.SHA256 {
				err = damaged(r.Source.Path, r.Source.Name, errors.New(databaseName+" is damaged"))
			}
		}
		if err == nil {
			err = errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		err = r.checkDatabase(staged)
	} else if err == nil {
		err = damaged(r.Source.Path, r.Source.Name, errors.New(databaseName+" is missing"))
	}
	if err != nil {
		_ = r.FS.Remove(staged)
	}
	return err
}

func (r *restoring) checkDatabase(path string) error {
	in, err := inspect.Open(r.mover.ctx, path, "")
	if err != nil {
		return damaged(r.Source.Path, r.Source.Name, err)
	}
	defer in.Close()
	if in.Empty || in.Identity != r.Source.Identity {
		return damaged(r.Source.Path, r.Source.Name, errors.New("its database is not the one that it says it holds"))
	}
	return in.Verify(r.mover.ctx)
}

// stays are the names in a data directory that a restore leaves where they are:
// who holds the directory, the user's settings, and what is made anew anyway.
func stays(name string) bool {
	return slices.Contains([]string{"lock", "server.json", "server.json.new", settingsName, "cache", "reserve",
		stateName, stateName + ".new", stagedName, restorePart}, name) || strings.HasPrefix(name, asidePrefix)
}

// setAside decides where that goes which is there now, and writes it down before
// anything is moved.
func (r *restoring) setAside() error {
	r.state = restoreState{From: r.Source.Path, MadeAt: r.Source.MadeAt, Checksum: r.Source.checksum, Stage: stageMoving}
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !stays(e.Name()) && !emptyDir(filepath.Join(r.Dir, e.Name())) }) {
		r.state.Aside = freeAside(r.Dir, r.Now())
	}
	return r.saveState()
}

// emptyDir reports whether a folder holds no file: nothing of it need be kept.
func emptyDir(path string) bool {
	empty := true
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			empty = false
			return fs.SkipAll
		}
		return nil
	})
	return err == nil && empty
}

// freeAside is a name in a directory for what is moved out of the way.
func freeAside(dir string, now time.Time) string {
	for {
		name := asidePrefix + now.UTC().Format(copyTime)
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return name
		}
		now = now.Add(time.Second)
	}
}

func (r *restoring) saveState() error {
	body, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteFile(r.FS, filepath.Join(r.Dir, stateName), append(body, '\n'))
}

// move moves what is there aside.
func (r *restoring) move() error {
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return err
	}
	if aside := filepath.Join(r.Dir, r.state.Aside); r.state.Aside != "" {
		if err := r.FS.MkdirAll(aside); err != nil {
			return err
		}
		for _, e := range entries {
			if stays(e.Name()) {
				continue
			}
			to := filepath.Join(aside, e.Name())
			for _, err := os.Lstat(to); err == nil; _, err = os.Lstat(to) {
				to += "~" // a power cut has left both names
			}
			if err := r.FS.Rename(filepath.Join(r.Dir, e.Name()), to); err != nil {
				return err
			}
		}
		if err := errors.Join(r.FS.SyncDir(aside), r.FS.SyncDir(r.Dir)); err != nil {
			return err
		}
	}
	r.state.Stage = stageCopying
	return r.saveState()
}

// copyFiles copies everything but the database.
func (r *restoring) copyFiles() (err error) {
	if r.blobs, err = r.OpenBlobs(); err != nil {
		return err
	}
	originals, err := sizes(r.mover.ctx, r.blobs)
	if err != nil {
		return err
	}
	want := func(f File) bool {
		if f.Path == databaseName {
			return false
		}
		if hash, ok := f.isOriginal(); ok {
			bytes, there := originals[hash]
			return !there || bytes != f.Bytes
		}
		info, err := os.Stat(r.target(f))
		return err != nil || info.Size() != f.Bytes && f.Path != settingsName
	}
	var total int64
	for _, f := range r.Source.Files {
		if want(f) {
			total += f.Bytes
		}
	}
	r.phase(PhaseCopy, total)
	err = r.Source.each(want, func(f File, content io.Reader, err error) error {
		if err == nil {
			err = r.put(f, content)
		}
		if gone(err) || errors.Is(err, errManifest) {
			r.result.Damaged = append(r.result.Damaged, f.Path)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	// Also those in which an attempt that was cut short has put files.
	folders := map[string]bool{}
	for _, f := range r.Source.Files {
		if _, original := f.isOriginal(); !original {
			folders[filepath.Dir(r.target(f))] = true
		}
	}
	for dir := range folders {
		if err := r.FS.SyncDir(dir); err != nil && !gone(err) {
			return err
		}
	}
	if kept, ok := r.blobs.(interface {
		Sync(ctx context.Context) error
	}); ok {
		return kept.Sync(r.mover.ctx)
	}
	return nil
}

func (r *restoring) target(f File) string { return filepath.Join(r.Dir, filepath.FromSlash(f.Path)) }

// put writes one file. One that is not what the manifest says is errManifest, and
// is not put in its place.
func (r *restoring) put(f File, content io.Reader) error {
	if hash, ok := f.isOriginal(); ok {
		return r.putOriginal(hash, content)
	}
	part := filepath.Join(r.Dir, restorePart)
	sum, _, err := r.mover.write(content, part)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return errors.Join(errManifest, r.FS.Remove(part))
	}
	if err := r.FS.MkdirAll(filepath.Dir(r.target(f))); err != nil {
		return err
	}
	return r.FS.Rename(part, r.target(f))
}

func (r *restoring) putOriginal(hash string, content io.Reader) error {
	upload, err := r.blobs.Receive(r.mover.ctx, told{content, r.mover.moved})
	if err != nil {
		return err
	}
	defer upload.Drop()
	if upload.Hash() != hash {
		return errManifest
	}
	_, _, err = upload.Put(r.mover.ctx)
	return err
}

// told tells how much was read.
type told struct {
	io.Reader
	moved func(n int64)
}

func (r told) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.moved(int64(n))
	return n, err
}

// sum reads a file of the library.
func (r *restoring) sum(f File) (string, error) {
	hash, original := f.isOriginal()
	if !original {
		sum, _, err := r.mover.sum(r.target(f))
		return sum, err
	}
	content, err := openOriginal(r.mover.ctx, r.blobs, hash)
	if err != nil {
		return "", err
	}
	sum, _, err := r.mover.readBack(content)
	return sum, err
}

// finish gives the database its name, and reads everything back.
func (r *restoring) finish() error {
	staged := filepath.Join(r.Dir, stagedName)
	if _, err := os.Stat(staged); err == nil {
		if err := disk.Move(r.FS, staged, filepath.Join(r.Dir, databaseName)); err != nil {
			return err
		}
	}
	if r.Source.Identity != "" { // a library of an older ibid gets one when it is opened
		if err := r.Identify(r.Source.Identity); err != nil {
			return err
		}
	}
	r.phase(PhaseVerify, r.Source.Bytes)
	for _, f := range r.Source.Files {
		if f.Path == settingsName || slices.Contains(r.result.Damaged, f.Path) {
			continue
		}
		sum, err := r.sum(f)
		if err != nil {
			return err
		}
		if sum != f.SHA256 {
			return errReadBack(r.target(f))
		}
	}
	return nil
}
