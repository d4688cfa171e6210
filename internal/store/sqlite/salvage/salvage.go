// Package salvage takes over what can be read of a damaged database file.
package salvage

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
)

// Salvaged counts what Salvage could read.
type Salvaged struct {
	Documents int `json:"documents"`
	Removed   int `json:"removed"` // documents that were removed and can be taken back
	Texts     int `json:"texts"`   // of versions of documents
	Threads   int `json:"threads"`
	Messages  int `json:"messages"`
	Files     int `json:"files"` // of messages
	Databases int `json:"databases"`
	// Gaps counts the places at which rows could not be read: one row, or all those
	// of one page.
	Gaps int `json:"gaps"`
}

// Salvage makes a new database at to of the rows that can be read in the damaged
// one at from, which it does not change. It takes documents, what their versions
// say, conversations with their files, attached databases and settings. All else is
// made anew from these, or is of no use any more (the logs of finished runs).
//
// Every document waits for the pipeline in the new database. It keeps its id, so
// that footnotes of old messages open. What was removed or replaced counts as
// removed now, so that nothing is swept before people have had time to look.
//
// Where identity, that of the data directory, is not the damaged database's, it is
// somebody else's, and nothing is taken from it.
func Salvage(ctx context.Context, from, to, identity string, now time.Time) (got Salvaged, err error) {
	if err := schema.Register(); err != nil {
		return got, err
	}
	names, err := schema.Names()
	if err != nil {
		return got, err
	}
	s := &salvage{names: names, now: now, got: &got}
	if err := s.open(ctx, from, to+"-copy", identity); err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	// The new database begins with the old one's format, so that rows fit; whoever
	// opens it brings it to the present one.
	return got, s.build(ctx, to)
}

type salvage struct {
	names []string // of migrations
	now   time.Time
	got   *Salvaged

	copies  []string // files to delete
	damaged *sql.DB  // a copy of the damaged database; nil when nothing is to be had
	format  int
	fresh   *sql.Conn
}

// open copies the damaged database, so that SQLite may work on it, and opens it.
func (s *salvage) open(ctx context.Context, from, scratch, identity string) error {
	s.format = len(s.names)
	_, size, err := file.ReadMark(from)
	if err != nil || size == 0 {
		return err
	}
	s.copies = []string{scratch, scratch + file.LogEnding, scratch + file.MemoryEnding, scratch + "-journal"}
	// First without the log: it may be another database's.
	if err := s.copy(from, scratch); err != nil {
		return err
	}
	inside := s.identity(ctx, scratch)
	if identity != "" && inside != "" && inside != identity {
		return nil
	}
	if err := s.copy(from, scratch); err != nil {
		return err
	}
	if _, err := os.Stat(from + file.LogEnding); err == nil {
		if err := copyFile(from+file.LogEnding, scratch+file.LogEnding); err != nil {
			return err
		}
	}
	if s.damaged, err = openCopy(scratch); err != nil {
		return err
	}
	var format int
	if err := s.damaged.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format); err != nil || format <= 0 {
		return nil // as the present one, to be on the safe side
	}
	if format > len(s.names) && format < 1000 { // else it is damage
		return schema.Newer(format, len(s.names))
	}
	if format <= len(s.names) {
		s.format = format
	}
	return nil
}

func (s *salvage) close() error {
	var err error
	if s.damaged != nil {
		err = s.damaged.Close()
	}
	for _, path := range s.copies {
		if gone := os.Remove(path); gone != nil && !os.IsNotExist(gone) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// identity returns what a copy says to which data directory it belongs, "" where
// it does not.
func (s *salvage) identity(ctx context.Context, scratch string) string {
	db, err := openCopy(scratch)
	if err != nil {
		return ""
	}
	defer db.Close()
	var identity string
	_ = db.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = ?", schema.IdentitySetting).Scan(&identity)
	return identity
}

func openCopy(path string) (*sql.DB, error) {
	// writable_schema lets SQLite open a file that is shorter than its header says.
	db, err := sql.Open("sqlite", file.DSN(path)+"?mode=rw&_pragma=writable_schema(ON)")
	if err != nil {
		return nil, fmt.Errorf("open a copy of the damaged database: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// copy copies the damaged database and mends the header of the copy: every
// database of ibid's has the same there.
func (s *salvage) copy(from, scratch string) error {
	for _, path := range s.copies {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if err := copyFile(from, scratch); err != nil {
		return err
	}
	f, err := os.OpenFile(scratch, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	head := []byte("SQLite format 3\x00\x10\x00\x02\x02\x00\x40\x20\x20") // pages of 4096 bytes, with a log
	if _, err := f.WriteAt(head, 0); err != nil {
		return err
	}
	var encoding [8]byte // format of the schema, then, at 56, UTF-8
	binary.BigEndian.PutUint32(encoding[:], 4)
	if _, err := f.WriteAt(encoding[:4], 44); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(encoding[:], 1)
	_, err = f.WriteAt(encoding[:4], 56)
	return err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// build writes the new database.
func (s *salvage) build(ctx context.Context, to string) error {
	for _, path := range []string{to, to + file.LogEnding, to + file.MemoryEnding} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	fresh, err := sql.Open("sqlite", file.DSN(to)+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(OFF)&_pragma=temp_store(MEMORY)")
	if err != nil {
		return err
	}
	defer fresh.Close()
	if s.fresh, err = fresh.Conn(ctx); err != nil {
		return file.Translate(err)
	}
	defer s.fresh.Close()
	if err := schema.Migrate(ctx, s.fresh, s.names, s.format); err != nil {
		return err
	}
	if s.damaged == nil {
		return nil
	}
	if _, err := s.fresh.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return file.Translate(err)
	}
	for _, t := range salvagedTables() {
		if err := s.table(ctx, t); err != nil {
			return err
		}
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	if _, err := s.fresh.ExecContext(ctx, "COMMIT"); err != nil {
		return file.Translate(err)
	}
	return nil
}

// RecoveredName is the name of a document whose own is lost. ending is ".pdf" or
// the like.
func RecoveredName(hash, ending string) string {
	return "recovered-" + hash[:min(8, len(hash))] + ending
}
