package main

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
	"runtime"
	"strings"

	"ibid"
	"ibid/internal/sqlite"
)

// A data directory has an identity: a random word that stands in the database
// and, so that the loss of either is seen, in the file DIR/identity. The word in
// the database is on disk before the file is written. So a file without a
// database means that a database was lost, and never that a start was cut short.
const identityName = "identity"

// errDamaged is what readIdentity returns of a file that does not hold what was
// written to it.
var errDamaged = errors.New("the identity file is damaged")

// openDatabase opens the database of a data directory, and refuses to where the
// other files in the directory show that it is not theirs.
func openDatabase(ctx context.Context, dir string, log *slog.Logger) (*sqlite.DB, error) {
	beside, fileErr := readIdentity(dir)
	if fileErr != nil && !errors.Is(fileErr, fs.ErrNotExist) && !errors.Is(fileErr, errDamaged) {
		return nil, dirError(dir, fileErr)
	}
	inside, err := inspectDatabase(ctx, dir, beside, fileErr)
	if err != nil {
		var known *ibid.Error
		if errors.As(err, &known) && sqlite.Damaged(err) {
			return nil, refused(dir, known.Message+" ("+filepath.Join(dir, databaseName)+")")
		}
		return nil, err
	}
	db, err := sqlite.Open(ctx, filepath.Join(dir, databaseName), log)
	if err != nil {
		return nil, err
	}
	if err := settleIdentity(ctx, db, dir, inside, beside); ibid.CodeOf(err) == ibid.CodeDiskFull {
		log.Warn("no room to note which database belongs to this directory; the next start tries again", "error", err)
	} else if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// inspectDatabase returns the identity that the database has, "" for none yet.
// It looks at everything before anything is written: SQLite itself would delete
// the log of a database that is missing. fileErr says what is wrong
// with the identity file, nil for nothing.
func inspectDatabase(ctx context.Context, dir, beside string, fileErr error) (identity string, err error) {
	path := filepath.Join(dir, databaseName)
	in, err := sqlite.Inspect(ctx, path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	damaged := errors.Is(fileErr, errDamaged)
	switch {
	case in.Empty:
		left := leftovers(dir)
		if fileErr == nil || damaged {
			left = append(left, identityName)
		}
		if len(left) > 0 {
			return "", refused(dir, fmt.Sprintf("the database %s is missing or empty, and what belongs to it is there: %s", path, strings.Join(left, ", ")))
		}
		return "", nil
	case fileErr == nil && in.Identity != beside:
		return "", refused(dir, fmt.Sprintf("the database %s belongs to another data directory", path))
	case damaged && in.Identity == "":
		return "", refused(dir, fmt.Sprintf("the file %s is damaged, and the database does not say to which data directory it belongs", filepath.Join(dir, identityName)))
	}
	// Without a good file the originals show whose the database is. A crash may
	// have left some that it does not list, but not most of them.
	listed, unlisted := 0, 0
	err = eachOriginal(dir, func(hash string) error {
		is, err := in.Lists(ctx, hash)
		switch {
		case err != nil:
			return err
		case !is:
			unlisted++
			return nil
		}
		if listed++; fileErr == nil {
			return fs.SkipAll // one will do
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case fileErr != nil && listed < unlisted:
		return "", refused(dir, fmt.Sprintf("the database %s lists only %d of the %s in %s", path, listed, count(listed+unlisted, "original"), filepath.Join(dir, "files")))
	case listed == 0 && unlisted > 0:
		// Either a crash left these, or the database is damaged.
		return in.Identity, in.Verify(ctx)
	}
	return in.Identity, nil
}

// refused is the error of a start that would have cost a library.
func refused(dir, found string) error {
	e := ibid.Errorf(ibid.CodeConflict, "%s; nothing was changed", found)
	e.Hint = fmt.Sprintf("put the whole data directory, or the %s that belongs to it, back from a backup (if this database is the right one, delete %s and start again); "+
		"without a backup, move %s aside, start again and add your files again: copies of them are among those in its folder files",
		databaseName, filepath.Join(dir, identityName), dir)
	return e
}

// settleIdentity makes the database and the file beside it say the same.
func settleIdentity(ctx context.Context, db *sqlite.DB, dir, inside, beside string) error {
	if inside == "" {
		inside = newID()
		if err := db.SetIdentity(ctx, inside); err != nil {
			return err
		}
	}
	if inside == beside {
		return nil
	}
	return writeIdentity(dir, inside)
}

// readIdentity reads the identity file: the identity and the beginning of its
// hash, so that a flipped byte is told from another directory's identity.
func readIdentity(dir string) (string, error) {
	body, err := os.ReadFile(filepath.Join(dir, identityName))
	if err != nil {
		return "", err
	}
	identity, _, _ := strings.Cut(string(body), " ")
	if identity == "" || string(body) != identityLine(identity) {
		return "", errDamaged
	}
	return identity, nil
}

func identityLine(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return identity + " " + hex.EncodeToString(sum[:8]) + "\n"
}

// writeIdentity writes the identity file: whole and on disk, or not at all.
func writeIdentity(dir, identity string) error {
	// The database's name is on disk before the file that vouches for it.
	if err := syncDir(dir); err != nil {
		return dirError(dir, err)
	}
	path := filepath.Join(dir, identityName)
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return dirError(dir, err)
	}
	_, err = f.WriteString(identityLine(identity))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		os.Remove(next)
		return dirError(dir, err)
	}
	return nil
}

// syncDir puts on disk which files a directory holds.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // cannot, and need not
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// eachOriginal calls do with the hash of each original in a data directory, until
// it returns fs.SkipAll.
func eachOriginal(dir string, do func(hash string) error) error {
	root := filepath.Join(dir, "files")
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == root:
			return nil
		case err != nil:
			return dirError(dir, err)
		case d.IsDir() || len(name) != 32 || strings.Trim(name, "0123456789abcdef") != "" || filepath.Base(filepath.Dir(path)) != name[:2]:
			return nil
		}
		return do(name)
	})
}

// leftovers names files that only a database can have left in its directory: its
// log, and one of each kind of those that it lists or that are made from it.
func leftovers(dir string) []string {
	var left []string
	if info, err := os.Stat(filepath.Join(dir, databaseName+"-wal")); err == nil && info.Size() > 0 {
		left = append(left, databaseName+"-wal")
	}
	for _, pattern := range []string{"files/??/*", "databases/*", "index.snapshot", "lsa.model"} {
		if found, _ := fs.Glob(os.DirFS(dir), pattern); len(found) > 0 {
			left = append(left, found[0])
		}
	}
	return left
}
