package datadir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"ibid"
	"ibid/internal/backup"
	"ibid/internal/blob"
	blobdir "ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/say"
	"ibid/internal/store/sqlite"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/inspect"
)

// A data directory has an identity: a random word that stands in the database
// and, so that the loss of either is seen, in the file DIR/identity. The word is on
// disk in the database before the file is written. So a file without a database
// means that a database was lost, and never that a start was cut short.
const IdentityName = "identity"

// SnapshotName is the file that internal/engine/local keeps the search index in.
const SnapshotName = "index.snapshot"

// errDamaged is what readIdentity returns of a file that does not hold what was
// written to it.
var errDamaged = errors.New("the identity file is damaged")

// Originals is what keeps the originals of a data directory. Nothing is written before
// it is begun.
func Originals(dir string) *blobdir.Store {
	return blobdir.Look(disk.OS{}, filepath.Join(dir, "files"))
}

// Open opens the database of a data directory, and refuses to where the
// originals or other files in the directory show that it is not theirs. A recovery has
// seen to that itself.
func Open(ctx context.Context, dir string, originals blob.Lister, recovering bool, log *slog.Logger) (*sqlite.DB, error) {
	if !recovering {
		if err := errors.Join(RefuseHalfRestored(dir), refuseUnfinished(dir)); err != nil {
			return nil, err
		}
		if err := Inspect(ctx, dir, originals); err != nil {
			return nil, err
		}
	}
	db, err := sqlite.Open(ctx, filepath.Join(dir, DatabaseName), log)
	if err != nil {
		return nil, err
	}
	if err := settleIdentity(ctx, db, dir); ibid.CodeOf(err) == ibid.CodeDiskFull {
		log.Warn("no room to note which database belongs to this directory; the next start tries again", "error", err)
	} else if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Inspect looks at a data directory. The error is a CONFLICT when its
// database is not sound, or not the one of this directory.
func Inspect(ctx context.Context, dir string, originals blob.Lister) error {
	beside, fileErr := ReadIdentity(dir)
	if fileErr != nil && !errors.Is(fileErr, fs.ErrNotExist) && !errors.Is(fileErr, errDamaged) {
		return Unusable(dir, fileErr)
	}
	err := inspectDatabase(ctx, dir, originals, beside, fileErr)
	var known *ibid.Error
	if errors.As(err, &known) && file.IsDamaged(err) {
		return refused(known.Message + " (" + filepath.Join(dir, DatabaseName) + ")")
	}
	return err
}

// inspectDatabase looks at everything before anything is written: SQLite itself
// would delete the log of a database that is missing. beside is the identity in the
// file, and fileErr says what is wrong with that file, nil for nothing.
func inspectDatabase(ctx context.Context, dir string, originals blob.Lister, beside string, fileErr error) error {
	path := filepath.Join(dir, DatabaseName)
	in, err := inspect.Open(ctx, path, beside)
	if err != nil {
		return err
	}
	defer in.Close()
	damaged := errors.Is(fileErr, errDamaged)
	switch {
	case in.Empty:
		left := leftovers(ctx, dir, originals)
		if fileErr == nil || damaged {
			left = append(left, IdentityName)
		}
		if len(left) > 0 {
			return refused(fmt.Sprintf("the database %s is missing or empty, and what belongs to it is there: %s", path, strings.Join(left, ", ")))
		}
		return nil
	case in.Foreign, fileErr == nil && in.Identity != beside:
		return refused(fmt.Sprintf("the database %s belongs to another data directory", path))
	case damaged && in.Identity == "":
		return refused(fmt.Sprintf("the file %s is damaged, and the database does not say to which data directory it belongs", filepath.Join(dir, IdentityName)))
	}
	// Without a good file the originals show whose the database is. A crash may
	// have left some that it does not list, but not most of them.
	listed, unlisted, err := countListed(ctx, dir, in, originals, fileErr == nil)
	switch {
	case err != nil && ibid.CodeOf(err) == ibid.CodeAway && fileErr == nil:
		return nil // the file shows it, and what is away shows nothing
	case err != nil:
		return err
	case fileErr != nil && listed < unlisted:
		return refused(fmt.Sprintf("the database %s lists only %d of the %s in %s", path, listed, say.Count(listed+unlisted, "original"), filepath.Join(dir, "files")))
	case listed > 0:
		return nil
	}
	// The database needs none of the originals. It keeps a row of the last document
	// that was removed, so one without any never had documents, or has lost them.
	had, err := in.HasDocuments(ctx)
	switch {
	case err != nil:
		return err
	case !had && unlisted > crashLeaves:
		return refused(fmt.Sprintf("the database %s is empty, and there are %s in %s", path, say.Count(unlisted, "original"), filepath.Join(dir, "files")))
	case !had && Holds(filepath.Join(dir, SnapshotName)):
		return refused(fmt.Sprintf("the database %s is empty, and the search index %s was made from one that was not", path, SnapshotName))
	case unlisted > 0:
		// Either a crash left these, or the database is damaged.
		return in.Verify(ctx)
	}
	return nil
}

// countListed counts the originals that a database lists and those that it does not.
// Where one that is listed is enough, it counts no further.
func countListed(ctx context.Context, dir string, in *inspect.Inspection, originals blob.Lister, oneIsEnough bool) (listed, unlisted int, err error) {
	for original, err := range blob.All(ctx, originals) {
		if err != nil && ibid.CodeOf(err) != ibid.CodeAway {
			err = Unusable(dir, err)
		}
		if err != nil {
			return 0, 0, err
		}
		is, err := in.Lists(ctx, original.Hash)
		if err != nil {
			return 0, 0, err
		}
		if !is {
			unlisted++
		} else if listed++; oneIsEnough {
			break
		}
	}
	return listed, unlisted, nil
}

// crashLeaves is how many originals at most are taken for what a crash left of the
// first additions: they are on disk before the database lists them.
const crashLeaves = 100

// Holds reports whether there is a file with something in it.
func Holds(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// UnchangedEnding ends the messages of starts that were refused.
const UnchangedEnding = "; nothing was changed"

// refused is the error of a start that would have cost a library.
func refused(found string) error {
	e := ibid.Errorf(ibid.CodeConflict, "%s%s", found, UnchangedEnding)
	e.Hint = "with a backup: ibid restore BACKUP; without one: ibid recover, which builds the library anew from the originals that are there"
	return e
}

// settleIdentity makes the database and the file beside it say the same.
func settleIdentity(ctx context.Context, db *sqlite.DB, dir string) error {
	beside, _ := ReadIdentity(dir) // what is damaged is written anew
	inside, err := db.Identity(ctx)
	if err != nil {
		return err
	}
	if inside == "" {
		inside = uuid.Must(uuid.NewV7()).String()
	}
	if marked, err := db.MarkLog(ctx, inside); err != nil {
		return err
	} else if !marked {
		if err := db.SetIdentity(ctx, inside); err != nil {
			return err
		}
	}
	if inside == beside {
		return nil
	}
	// The database's name is on disk before the file that vouches for it.
	if err := (disk.OS{}).SyncDir(dir); err != nil {
		return Unusable(dir, err)
	}
	if err := disk.WriteFile(disk.OS{}, filepath.Join(dir, IdentityName), []byte(IdentityLine(inside))); err != nil {
		return Unusable(dir, err)
	}
	return nil
}

// ReadIdentity reads the identity file: the identity and the beginning of its
// hash, so that a flipped byte is told from another directory's identity.
func ReadIdentity(dir string) (string, error) {
	body, err := os.ReadFile(filepath.Join(dir, IdentityName))
	if err != nil {
		return "", err
	}
	identity, _, _ := strings.Cut(string(body), " ")
	if identity == "" || string(body) != IdentityLine(identity) {
		return "", errDamaged
	}
	return identity, nil
}

func IdentityLine(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return identity + " " + hex.EncodeToString(sum[:8]) + "\n"
}

// leftovers names files that only a database can have left in its directory: its
// log, and one of each kind of those that it lists or that are made from it.
func leftovers(ctx context.Context, dir string, originals blob.Lister) []string {
	var left []string
	if Holds(filepath.Join(dir, DatabaseName+"-wal")) {
		left = append(left, DatabaseName+"-wal")
	}
	if found, _, err := originals.List(ctx, ibid.Page{Limit: 1}); err == nil && len(found) > 0 {
		left = append(left, found[0].Place)
	} else if err != nil {
		left = append(left, "originals that can't be reached now")
	}
	for _, pattern := range []string{"databases/*", SnapshotName, "lsa.model"} {
		if found, _ := fs.Glob(os.DirFS(dir), pattern); len(found) > 0 {
			left = append(left, found[0])
		}
	}
	return left
}

// RecoveryName is the file that says how far a recovery has come. While it is
// there, the directory is opened by `ibid recover` alone.
const RecoveryName = "recovery.json"

// refuseUnfinished is an error where a recovery is under way.
func refuseUnfinished(dir string) error {
	if !Holds(filepath.Join(dir, RecoveryName)) {
		return nil
	}
	e := ibid.Errorf(ibid.CodeConflict, "the recovery of %s is not finished", dir)
	e.Hint = "ibid recover goes on with it"
	return e
}

// RefuseHalfRestored refuses to work on a data directory in which a restore was cut
// short.
func RefuseHalfRestored(dir string) error {
	from, unfinished := backup.Unfinished(dir)
	if !unfinished {
		return nil
	}
	e := ibid.Errorf(ibid.CodeConflict, "a restore of %s is not finished", dir)
	e.Hint = "run it again, and it goes on: ibid restore " + say.ShellQuote(from)
	return e
}
