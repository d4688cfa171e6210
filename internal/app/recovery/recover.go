// Package recovery makes a data directory usable again: from what is left of its
// database, or from a backup.
package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/disk"
	"ibid/internal/say"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/inspect"
	"ibid/internal/store/sqlite/salvage"
)

// A recovery goes through these steps. Each can be done again from its beginning.
const (
	stepMove  = "move"  // the unusable files get other names
	StepBuild = "build" // a database is made of what can be read in the old one
	stepRead  = "read"  // every document is made searchable, and originals that no document lists are added
)

// Result is what recoveryName holds, and what --json prints at the end.
type Result struct {
	Data     string           `json:"data"`
	Found    string           `json:"found"` // why the database could not be used
	Step     string           `json:"step,omitempty"`
	Stamp    string           `json:"stamp"`    // ends the names of what was moved aside
	Identity string           `json:"identity"` // of the directory, as its file said
	Moved    []string         `json:"moved"`    // new names, within the data directory
	Salvaged salvage.Salvaged `json:"salvaged"`
	Originals
}

// Originals is what came of the originals.
type Originals struct {
	Documents int      `json:"documents"` // that can be searched now
	Unnamed   int      `json:"unnamed"`   // originals whose name is lost: recovered-….pdf
	Damaged   []string `json:"damaged"`   // originals whose bytes are not those that were added
	Failed    []string `json:"failed"`    // documents that could not be read, each with the reason
	Tables    []string `json:"tables"`    // files of attached databases that nothing lists
}

// Recover does the steps that are left, and tells what it does.
func Recover(ctx context.Context, cfg config.Config, unlisted bool, tell io.Writer) (Result, error) {
	dir := cfg.Data
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		e := ibid.Errorf(ibid.CodeNotFound, "there is no data directory %s", dir)
		e.Hint = "name the one to recover with --data DIR"
		return Result{}, e
	}
	hold, err := datadir.Acquire(dir, "recover")
	if err != nil {
		return Result{}, err
	}
	defer hold.Release()
	if err := datadir.RefuseHalfRestored(dir); err != nil {
		return Result{}, err
	}
	r, err := readRecovery(dir)
	if errors.Is(err, fs.ErrNotExist) {
		r, err = BeginRecovery(ctx, dir, unlisted)
	}
	if err != nil {
		return r, err
	}
	if r.Step == stepMove {
		fmt.Fprintf(tell, "%s\n", say.Safe(r.Found))
		if err := r.Move(); err != nil {
			return r, err
		}
	}
	if r.Step == StepBuild {
		fmt.Fprintln(tell, "reading what can be read in the old database")
		if err := r.Build(ctx); err != nil {
			return r, err
		}
	}
	if err := readOriginals(ctx, cfg, &r, tell); err != nil {
		return r, err
	}
	return r, disk.Delete(disk.OS{}, filepath.Join(dir, datadir.RecoveryName))
}

// BeginRecovery finds out what is wrong with a database, and writes it down before
// anything is changed. That nothing is wrong is an error.
func BeginRecovery(ctx context.Context, dir string, unlisted bool) (Result, error) {
	r := Result{Data: dir, Step: stepMove, Stamp: time.Now().UTC().Format("20060102-150405")}
	err := datadir.Inspect(ctx, dir, datadir.Originals(dir))
	if err == nil {
		err = verifyDatabase(ctx, dir)
	}
	var known *ibid.Error
	switch {
	case err == nil && unlisted:
		r.Found, r.Step = "the database is sound", stepRead
	case err == nil:
		return r, nothingToRecover(dir)
	case errors.As(err, &known) && (known.Code == ibid.CodeConflict || file.IsDamaged(err)):
		r.Found = strings.TrimSuffix(known.Message, datadir.UnchangedEnding)
		r.Identity, _ = datadir.ReadIdentity(dir)
	default:
		return r, err
	}
	return r, r.Write()
}

// verifyDatabase looks at the whole database.
func verifyDatabase(ctx context.Context, dir string) error {
	in, err := inspect.Open(ctx, filepath.Join(dir, datadir.DatabaseName), "")
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Empty {
		return nil
	}
	return in.Verify(ctx)
}

func nothingToRecover(dir string) error {
	e := ibid.Errorf(ibid.CodeConflict, "there is nothing to recover in %s: its database is sound", dir)
	e.Hint = "ibid doctor checks all else; ibid recover --unlisted adds the originals that the database does not list, where there are any"
	if !datadir.Holds(filepath.Join(dir, datadir.DatabaseName)) {
		e = ibid.Errorf(ibid.CodeNotFound, "there is nothing to recover in %s: it holds neither a database nor originals", dir)
		e.Hint = "name the data directory to recover with --data DIR"
	}
	return e
}

func readRecovery(dir string) (Result, error) {
	var r Result
	body, err := os.ReadFile(filepath.Join(dir, datadir.RecoveryName))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(body, &r); err != nil || r.Stamp == "" {
		e := ibid.Errorf(ibid.CodeConflict, "%s is damaged: how far the recovery has come is not known", filepath.Join(dir, datadir.RecoveryName))
		e.Hint = "move it away and run ibid recover again"
		return r, e
	}
	r.Data = dir
	return r, nil
}

func (r *Result) Write() error {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := disk.WriteFile(disk.OS{}, filepath.Join(r.Data, datadir.RecoveryName), append(body, '\n')); err != nil {
		return datadir.Unusable(r.Data, err)
	}
	return nil
}

// Aside is the name of the damaged database; its log's and the log's index's end in
// -wal and -shm, so that they can still be opened together.
func (r *Result) Aside(name string) string {
	for _, ending := range []string{"-wal", "-shm", "-journal"} {
		if name == datadir.DatabaseName+ending {
			return r.Aside(datadir.DatabaseName) + ending
		}
	}
	return name + ".damaged-" + r.Stamp
}

// Move gives the unusable files other names, and with them what was made from the
// database or vouches for it.
func (r *Result) Move() error {
	r.Moved = nil
	for _, name := range []string{datadir.IdentityName, datadir.SnapshotName, datadir.DatabaseName, datadir.DatabaseName + "-wal", datadir.DatabaseName + "-shm", datadir.DatabaseName + "-journal"} {
		path, aside := filepath.Join(r.Data, name), filepath.Join(r.Data, r.Aside(name))
		switch _, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return datadir.Unusable(r.Data, err)
		default:
			if err := disk.Move(disk.OS{}, path, aside); err != nil {
				return datadir.Unusable(r.Data, err)
			}
		}
		if _, err := os.Stat(aside); err == nil {
			r.Moved = append(r.Moved, r.Aside(name))
		}
	}
	r.Step = StepBuild
	return r.Write()
}

// Build makes the new database beside its place and puts it there.
func (r *Result) Build(ctx context.Context) error {
	path := filepath.Join(r.Data, datadir.DatabaseName)
	next := path + ".recovering"
	if !datadir.Holds(path) { // else it was put there, and writing that down was interrupted
		var err error
		r.Salvaged, err = salvage.Salvage(ctx, filepath.Join(r.Data, r.Aside(datadir.DatabaseName)), next, r.Identity, time.Now())
		if err != nil {
			return fmt.Errorf("make a new database: %w", err)
		}
		if datadir.Holds(next + "-wal") {
			return fmt.Errorf("make a new database: %s was not taken into it", next+"-wal")
		}
		if err := r.Write(); err != nil {
			return err
		}
		if err := disk.Move(disk.OS{}, next, path); err != nil {
			return datadir.Unusable(r.Data, err)
		}
	}
	r.Step = stepRead
	return r.Write()
}
