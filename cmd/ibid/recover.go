package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/disk"
	"ibid/internal/say"
	"ibid/internal/store/sqlite"
)

// A recovery goes through these steps. Each can be done again from its beginning.
const (
	stepMove  = "move"  // the unusable files get other names
	stepBuild = "build" // a database is made of what can be read in the old one
	stepRead  = "read"  // every document is made searchable, and originals that no document lists are added
)

// recovery is what recoveryName holds, and what --json prints at the end.
type recovery struct {
	Data     string          `json:"data"`
	Found    string          `json:"found"` // why the database could not be used
	Step     string          `json:"step,omitempty"`
	Stamp    string          `json:"stamp"`    // ends the names of what was moved aside
	Identity string          `json:"identity"` // of the directory, as its file said
	Moved    []string        `json:"moved"`    // new names, within the data directory
	Salvaged sqlite.Salvaged `json:"salvaged"`
	recovered
}

// recovered is what came of the originals.
type recovered struct {
	Documents int      `json:"documents"` // that can be searched now
	Unnamed   int      `json:"unnamed"`   // originals whose name is lost: recovered-….pdf
	Damaged   []string `json:"damaged"`   // originals whose bytes are not those that were added
	Failed    []string `json:"failed"`    // documents that could not be read, each with the reason
	Tables    []string `json:"tables"`    // files of attached databases that nothing lists
}

func (c *cli) recoverCommand() *cobra.Command {
	var asJSON, unlisted bool
	cmd := &cobra.Command{
		Use:        "recover",
		SuggestFor: []string{"salvage", "rescue", "rebuild"},
		Short:      "Build the library anew where its database is lost or damaged",
		Long: "Where the database of a data directory is missing, damaged or another directory's, moves it aside\n" +
			"(ibid.db.damaged-TIME; nothing is deleted) and makes a new one: of the documents and conversations that can\n" +
			"still be read in the old one, and of every original in the folder files. Documents that the old one names keep\n" +
			"their names, ids and footnotes; the others are called recovered-….pdf or the like.\n" +
			"What is interrupted goes on when it is started again. With a backup, use ibid restore instead.",
		Example: "  ibid recover\n" +
			"  ibid recover --data /path/to/data --json",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			context.AfterFunc(ctx, stop)
			cfg, err := c.config(cmd)
			if err != nil {
				return err
			}
			done, err := recoverLibrary(ctx, cfg, unlisted, c.err)
			if ctx.Err() != nil {
				fmt.Fprintln(c.err, "not done yet: ibid recover goes on where it was")
			}
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(c.out)
				enc.SetIndent("", "  ")
				return enc.Encode(done)
			}
			c.printRecovery(done)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object at the end")
	cmd.Flags().BoolVar(&unlisted, "unlisted", false, "where the database is sound, add the originals that it does not list")
	return cmd
}

// recoverLibrary does the steps that are left, and tells what it does.
func recoverLibrary(ctx context.Context, cfg config.Config, unlisted bool, tell io.Writer) (recovery, error) {
	dir := cfg.Data
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		e := ibid.Errorf(ibid.CodeNotFound, "there is no data directory %s", dir)
		e.Hint = "name the one to recover with --data DIR"
		return recovery{}, e
	}
	hold, err := datadir.Acquire(dir, "recover")
	if err != nil {
		return recovery{}, err
	}
	defer hold.Release()
	if err := datadir.RefuseHalfRestored(dir); err != nil {
		return recovery{}, err
	}
	r, err := readRecovery(dir)
	if errors.Is(err, fs.ErrNotExist) {
		r, err = beginRecovery(ctx, dir, unlisted)
	}
	if err != nil {
		return r, err
	}
	if r.Step == stepMove {
		fmt.Fprintf(tell, "%s\n", say.Safe(r.Found))
		if err := r.move(); err != nil {
			return r, err
		}
	}
	if r.Step == stepBuild {
		fmt.Fprintln(tell, "reading what can be read in the old database")
		if err := r.build(ctx); err != nil {
			return r, err
		}
	}
	if err := readOriginals(ctx, cfg, &r, tell); err != nil {
		return r, err
	}
	return r, disk.Delete(disk.OS{}, filepath.Join(dir, datadir.RecoveryName))
}

// beginRecovery finds out what is wrong with a database, and writes it down before
// anything is changed. That nothing is wrong is an error.
func beginRecovery(ctx context.Context, dir string, unlisted bool) (recovery, error) {
	r := recovery{Data: dir, Step: stepMove, Stamp: time.Now().UTC().Format("20060102-150405")}
	err := datadir.Inspect(ctx, dir)
	if err == nil {
		err = verifyDatabase(ctx, dir)
	}
	var known *ibid.Error
	switch {
	case err == nil && unlisted:
		r.Found, r.Step = "the database is sound", stepRead
	case err == nil:
		return r, nothingToRecover(dir)
	case errors.As(err, &known) && (known.Code == ibid.CodeConflict || sqlite.Damaged(err)):
		r.Found = strings.TrimSuffix(known.Message, datadir.UnchangedEnding)
		r.Identity, _ = datadir.ReadIdentity(dir)
	default:
		return r, err
	}
	return r, r.write()
}

// verifyDatabase looks at the whole database.
func verifyDatabase(ctx context.Context, dir string) error {
	in, err := sqlite.Inspect(ctx, filepath.Join(dir, datadir.DatabaseName), "")
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

func readRecovery(dir string) (recovery, error) {
	var r recovery
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

func (r *recovery) write() error {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := disk.WriteFile(disk.OS{}, filepath.Join(r.Data, datadir.RecoveryName), append(body, '\n')); err != nil {
		return datadir.Unusable(r.Data, err)
	}
	return nil
}

// aside is the name of the damaged database; its log's and the log's index's end in
// -wal and -shm, so that they can still be opened together.
func (r *recovery) aside(name string) string {
	for _, ending := range []string{"-wal", "-shm", "-journal"} {
		if name == datadir.DatabaseName+ending {
			return r.aside(datadir.DatabaseName) + ending
		}
	}
	return name + ".damaged-" + r.Stamp
}

// move gives the unusable files other names, and with them what was made from the
// database or vouches for it.
func (r *recovery) move() error {
	r.Moved = nil
	for _, name := range []string{datadir.IdentityName, datadir.SnapshotName, datadir.DatabaseName, datadir.DatabaseName + "-wal", datadir.DatabaseName + "-shm", datadir.DatabaseName + "-journal"} {
		path, aside := filepath.Join(r.Data, name), filepath.Join(r.Data, r.aside(name))
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
			r.Moved = append(r.Moved, r.aside(name))
		}
	}
	r.Step = stepBuild
	return r.write()
}

// build makes the new database beside its place and puts it there.
func (r *recovery) build(ctx context.Context) error {
	path := filepath.Join(r.Data, datadir.DatabaseName)
	next := path + ".recovering"
	if !datadir.Holds(path) { // else it was put there, and writing that down was interrupted
		var err error
		r.Salvaged, err = sqlite.Salvage(ctx, filepath.Join(r.Data, r.aside(datadir.DatabaseName)), next, r.Identity, time.Now())
		if err != nil {
			return fmt.Errorf("make a new database: %w", err)
		}
		if datadir.Holds(next + "-wal") {
			return fmt.Errorf("make a new database: %s was not taken into it", next+"-wal")
		}
		if err := r.write(); err != nil {
			return err
		}
		if err := disk.Move(disk.OS{}, next, path); err != nil {
			return datadir.Unusable(r.Data, err)
		}
	}
	r.Step = stepRead
	return r.write()
}
