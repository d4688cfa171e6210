package database

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"time"

	"ibid"
	"ibid/internal/disk"
)

// A SQLite file in WAL mode is two: what was committed last may stand in a file
// beside it, and whoever reads that needs a third. SQLite makes them where they are
// missing, also for a reader, and leaves them. Nothing of ours may come to stand
// beside a user's file, so how it is opened depends on what is there:
//
//	-wal missing or empty   all is in the file, which is read as one that does not change
//	-wal and -shm           another program has it open: both files are there to be shared
//	-wal alone              a program died or the file was copied: a copy of both is read
type walFiles struct{ path string }

func (w walFiles) wal() string { return w.path + "-wal" }

func (w walFiles) shm() string { return w.path + "-shm" }

// inUse reports whether the file says that it is in WAL mode: bytes 18 and 19 of
// its header, https://www.sqlite.org/fileformat2.html#file_format_version_numbers
func (w walFiles) inUse() bool {
	f, err := os.Open(w.path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 20)
	_, err = io.ReadFull(f, head)
	return err == nil && head[18] == 2
}

// stamp tells two states of the files apart.
type stamp struct {
	size, wal     int64
	time, walTime time.Time
}

func (w walFiles) stamp() stamp {
	var s stamp
	if info, err := os.Stat(w.path); err == nil {
		s.size, s.time = info.Size(), info.ModTime()
	}
	if info, err := os.Stat(w.wal()); err == nil {
		s.wal, s.walTime = info.Size(), info.ModTime()
	}
	return s
}

// copied is a copy of a database and its log, for as long as they stay the same.
type copied struct {
	of   stamp
	path string
}

// connection opens the database for one reading. done says whether what was read
// holds together, and closes it.
func (s *sqliteSource) connection() (db *sql.DB, done func() error, err error) {
	if !s.files.inUse() {
		return s.db, func() error { return nil }, nil
	}
	before := s.files.stamp()
	switch {
	case before.wal == 0:
		db, err = openFile(s.files.path, "&immutable=1")
	case exists(s.files.shm()):
		db, err = openFile(s.files.path, "")
	default:
		var path string
		if path, err = s.copy(before); err == nil {
			db, err = openFile(path, "")
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return db, func() error {
		db.Close()
		if before.wal == 0 && s.files.stamp() != before {
			return &ibid.Error{Code: ibid.CodeConflict, Message: "the database was written to while it was read; ask again", Retryable: true}
		}
		return nil
	}, nil
}

// copy returns a copy of the database and its log. It need not survive a crash,
// so it is not synced.
func (s *sqliteSource) copy(of stamp) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.copied.path != "" && s.copied.of == of {
		return s.copied.path, nil
	}
	s.forget()
	f, err := disk.OS{}.CreateTemp(s.dir, copyPattern)
	if err != nil {
		return "", fmt.Errorf("copy a database: %w", err)
	}
	f.Close()
	s.copied = copied{of, f.Name()}
	err = errors.Join(copyIfThere(s.files.path, f.Name()), copyIfThere(s.files.wal(), f.Name()+"-wal"))
	if err == nil && s.files.stamp() != of {
		err = &ibid.Error{Code: ibid.CodeConflict, Message: "the database is being written to; ask again", Retryable: true}
	}
	if err != nil {
		s.forget()
		return "", err
	}
	return f.Name(), nil
}

// copyPattern is what copies are called; Sweep removes those that a crash left.
const copyPattern = "copy-*.db"

// forget removes the copy. The mutex is held.
func (s *sqliteSource) forget() {
	if s.copied.path == "" {
		return
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		_ = disk.OS{}.Remove(s.copied.path + ending) // the next start sweeps what is left
	}
	s.copied = copied{}
}

func copyIfThere(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // written into the database meanwhile, as the stamp will show
	}
	if err != nil {
		return unreadable(err)
	}
	return copyFile(disk.OS{}, in, to)
}

// openFile opens a file for reading only.
func openFile(path, more string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?mode=ro&_pragma=busy_timeout(2000)&_pragma=query_only(ON)&_pragma=trusted_schema(OFF)&_pragma=cell_size_check(ON)&_pragma=cache_size(-8000)" + more
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db.SetMaxOpenConns(2)
	db.SetMaxIdleConns(1)
	return db, nil
}
