package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/disk"
	"ibid/internal/document/csv"
	"ibid/internal/document/ooxml"
)

// Store keeps which databases are attached.
type Store interface {
	// PutDatabase keeps a database, in the place of one with the same id.
	PutDatabase(ctx context.Context, d ibid.Database) error
	// Databases returns a page of those that are attached, the oldest first; a principal
	// has ibid.MaxDatabases at most.
	Databases(ctx context.Context, view access.View, page ibid.Page) (databases []ibid.Database, next string, err error)
	// RemoveDatabase and RestoreDatabase answer NOT_FOUND where there is nothing
	// to remove or to restore.
	RemoveDatabase(ctx context.Context, view access.View, id string, at time.Time) error
	RestoreDatabase(ctx context.Context, view access.View, id string) (ibid.Database, error)
	// ForgetDatabases lets go of those that were removed before a time, limit of them
	// at most, and returns their ids.
	ForgetDatabases(ctx context.Context, before time.Time, limit int) (ids []string, err error)
}

// Config is what a catalog works with.
type Config struct {
	Disk        disk.FS // the file system of Dir; nil: this machine's
	Dir         string  // where tables of CSV files and workbooks are kept
	Forbidden   string  // a directory in which no file may be attached: our own data
	Store       Store
	Limits      Limits
	FileBytes   int64         // largest CSV file or workbook
	KeepRemoved time.Duration // how long a removed database can be restored
	Now         func() time.Time
	NewID       func() string
	Log         *slog.Logger
}

// Catalog holds the attached databases. It is safe for concurrent use.
type Catalog struct {
	cfg  Config
	mu   sync.Mutex
	open map[string]source
}

// New returns a catalog.
func New(cfg Config) *Catalog {
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Disk == nil {
		cfg.Disk = disk.OS{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Catalog{cfg: cfg, open: map[string]source{}}
}

// Close closes all connections.
func (c *Catalog) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, s := range c.open {
		s.close()
		delete(c.open, id)
	}
}

// Sweep deletes what was removed so long ago that it is not restored any more.
func (c *Catalog) Sweep(ctx context.Context) error {
	if left, err := filepath.Glob(filepath.Join(c.cfg.Dir, copyPattern+"*")); err == nil {
		for _, path := range left { // of a process that died
			_ = c.cfg.Disk.Remove(path)
		}
	}
	for {
		gone, err := c.cfg.Store.ForgetDatabases(ctx, c.cfg.Now().Add(-c.cfg.KeepRemoved), ibid.MaxLimit)
		for _, id := range gone {
			c.shut(id)
			_ = c.cfg.Disk.Remove(c.ownFile(id)) // most have none
		}
		if err != nil || len(gone) < ibid.MaxLimit {
			return err
		}
	}
}

// List returns a page of the databases, the oldest first, as they were when they were
// last looked at.
func (c *Catalog) List(ctx context.Context, view access.View, page ibid.Page) (databases []ibid.Database, next string, err error) {
	databases, next, err = c.cfg.Store.Databases(ctx, view, page)
	if err != nil {
		return nil, "", fmt.Errorf("list the databases: %w", err)
	}
	return databases, next, nil
}

// Databases returns the databases in a scope, as List does: of a principal there are
// ibid.MaxDatabases at most.
func (c *Catalog) Databases(ctx context.Context, view access.View, scope ibid.Scope) ([]ibid.Database, error) {
	var in []ibid.Database
	all := ibid.Each(func(page ibid.Page) ([]ibid.Database, string, error) { return c.List(ctx, view, page) })
	for d, err := range all {
		if err != nil {
			return nil, err
		}
		if scope.HasDatabase(d.ID) {
			in = append(in, d)
		}
	}
	return in, nil
}

// Database returns one database by its id or its name.
func (c *Catalog) Database(ctx context.Context, view access.View, wanted string) (ibid.Database, error) {
	all, err := c.Databases(ctx, view, ibid.Scope{})
	if err != nil {
		return ibid.Database{}, err
	}
	for _, d := range all {
		if d.ID == wanted || strings.EqualFold(d.Name, wanted) {
			return d, nil
		}
	}
	none := ibid.Errorf(ibid.CodeNotFound, "there is no database %q", clip(printable(wanted), 100))
	none.Hint = "`ibid database ls` lists them"
	return ibid.Database{}, none
}

// Addition is a database that is to be attached.
type Addition struct {
	Name   string      // "": the file's or the database's own
	Source ibid.Secret // path of a file, or connection string of PostgreSQL
	File   string      // path of an upload that is named Source; it is taken over or may be deleted afterwards
}

// Add attaches a database, or looks again at one that was attached from the same
// source: a CSV file or a workbook is loaded anew. What cannot be opened is not
// attached.
func (c *Catalog) Add(ctx context.Context, view access.View, a Addition) (ibid.Database, error) {
	d, err := c.identify(a)
	if err != nil {
		return d, err
	}
	all, err := c.Databases(ctx, view, ibid.Scope{})
	if err != nil {
		return d, err
	}
	d.Principal, d.ID, d.AddedAt = view.Principal(), "db_"+c.cfg.NewID(), ibid.At(c.cfg.Now())
	for _, old := range all {
		switch {
		case old.Source == d.Source && old.Kind == d.Kind:
			d.ID, d.AddedAt = old.ID, old.AddedAt
			if a.Name == "" {
				d.Name = old.Name
			}
		}
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(all, func(o ibid.Database) bool { return o.ID != d.ID && strings.EqualFold(o.Name, name) })
	}
	if a.Name != "" && taken(a.Name) {
		return d, ibid.Errorf(ibid.CodeConflict, "there is a database %q already", a.Name)
	}
	if len(all) >= ibid.MaxDatabases && !slices.ContainsFunc(all, func(o ibid.Database) bool { return o.ID == d.ID }) {
		return d, ibid.TooManyDatabases() // before anything is loaded
	}
	for base, n := d.Name, 2; taken(d.Name); n++ {
		d.Name = fmt.Sprintf("%s-%d", base, n)
	}
	if err := c.take(ctx, d, a); err != nil {
		return d, err
	}
	c.shut(d.ID)
	if d.Tables, err = c.look(ctx, d); err != nil {
		return d, err
	}
	if len(d.Tables) == 0 {
		return d, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the database has no tables that can be read"}
	}
	if err := c.cfg.Store.PutDatabase(ctx, d); err != nil {
		return d, fmt.Errorf("keep database %s: %w", d.Name, err)
	}
	return d, nil
}

// identify says what a source is, and refuses what must not be attached.
func (c *Catalog) identify(a Addition) (ibid.Database, error) {
	var d ibid.Database
	if a.Name != "" {
		if err := validName(a.Name); err != nil {
			return d, err
		}
	}
	d.Name, d.Source = a.Name, a.Source
	if isDSN(string(a.Source)) {
		d.Kind = ibid.DatabasePostgres
		place, name, err := placeOf(string(a.Source))
		d.Place, d.Name = place, cmp.Or(d.Name, nameFrom(name))
		return d, err
	}
	path := cmp.Or(a.File, string(a.Source))
	if a.File == "" {
		real, err := c.permitted(path)
		if err != nil {
			return d, err
		}
		path, d.Source = real, ibid.Secret(real)
	}
	d.Place = string(d.Source)
	base := filepath.Base(filepath.ToSlash(string(d.Source)))
	d.Name = cmp.Or(d.Name, nameFrom(strings.TrimSuffix(base, filepath.Ext(base))))
	var err error
	d.Kind, err = kindOf(path, base)
	return d, err
}

// permitted returns the real path of a file that may be attached.
func (c *Catalog) permitted(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", &ibid.Error{Code: ibid.CodeBadRequest, Message: "the path of a database must be absolute",
			Hint: "or postgres://USER:PASSWORD@HOST/NAME for a server"}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", unreadable(err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return "", ibid.Errorf(ibid.CodeBadRequest, "that is no file")
	}
	own, err := filepath.EvalSymlinks(c.cfg.Forbidden)
	if err == nil && strings.HasPrefix(real, own+string(filepath.Separator)) {
		return "", &ibid.Error{Code: ibid.CodeForbidden, Message: "files of ibid's own data directory cannot be attached"}
	}
	return real, nil
}

// kindOf tells a file's kind by its first bytes, then by its name.
func kindOf(path, name string) (ibid.DatabaseKind, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", unreadable(err)
	}
	defer f.Close()
	head := make([]byte, len(sqliteMagic))
	n, _ := f.Read(head)
	ext := strings.ToLower(filepath.Ext(name))
	switch {
	case string(head[:n]) == sqliteMagic:
		return ibid.DatabaseSQLite, nil
	case strings.HasPrefix(string(head[:n]), "PK\x03\x04") && (slices.Contains(ooxml.WorkbookExtensions, ext) || ext == ooxml.BinaryExtension): // a binary one is refused when it is opened
		return ibid.DatabaseXLSX, nil
	case slices.Contains(csv.Extensions, ext):
		return ibid.DatabaseCSV, nil
	}
	return "", &ibid.Error{Code: ibid.CodeBadRequest, Message: "the file is no database that ibid can read",
		Hint: "a SQLite file, a CSV file (.csv, .tsv), a workbook (.xlsx), or postgres://USER:PASSWORD@HOST/NAME"}
}

// validName refuses names that people and models could not use.
func validName(name string) error {
	if name != printable(name) || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\n\t\"`<>") || utf8.RuneCountInString(name) > 80 {
		return ibid.Errorf(ibid.CodeBadRequest, "a database's name has at most 80 letters, no quotes and no line breaks")
	}
	return nil
}

// nameFrom makes a name of a file's.
func nameFrom(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if strings.ContainsRune("\"`<>", c) {
			return ' '
		}
		return c
	}, printable(s))), " ")
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60])
	}
	return cmp.Or(s, "data")
}

// ownFile is where we keep the tables of a file that was loaded, or a database
// that was uploaded.
func (c *Catalog) ownFile(id string) string { return filepath.Join(c.cfg.Dir, id+".db") }

// take loads a file that is not asked where it is.
func (c *Catalog) take(ctx context.Context, d ibid.Database, a Addition) error {
	load := loadCSV
	switch {
	case d.Kind == ibid.DatabasePostgres, d.Kind == ibid.DatabaseSQLite && a.File == "":
		return nil
	case d.Kind == ibid.DatabaseXLSX:
		load = loadXLSX
	case d.Kind == ibid.DatabaseSQLite:
		load = func(_ context.Context, from, to, _ string) error { return copySQLite(c.cfg.Disk, from, to) }
	}
	path := cmp.Or(a.File, string(d.Source))
	info, err := os.Stat(path)
	if err != nil {
		return unreadable(err)
	}
	if c.cfg.FileBytes > 0 && info.Size() > c.cfg.FileBytes {
		return &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("the file is larger than %d MB", c.cfg.FileBytes>>20),
			Hint: "raise limits.file_mb, or load it into SQLite or PostgreSQL and attach that"}
	}
	if err := c.cfg.Disk.MkdirAll(c.cfg.Dir); err != nil {
		return fmt.Errorf("make the directory of databases: %w", err)
	}
	fresh := c.ownFile(d.ID) + ".new"
	defer c.cfg.Disk.Remove(fresh)
	_ = c.cfg.Disk.Remove(fresh) // of a process that was killed
	if err := load(ctx, path, fresh, d.Name); err != nil {
		return err
	}
	c.shut(d.ID)
	err = disk.SyncFile(c.cfg.Disk, fresh)
	if err == nil {
		err = disk.Move(c.cfg.Disk, fresh, c.ownFile(d.ID))
	}
	if err != nil {
		return fmt.Errorf("keep the tables of %s: %w", d.Name, err)
	}
	return nil
}

// source opens a database, once.
func (c *Catalog) source(d ibid.Database) (source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.open[d.ID]; s != nil {
		return s, nil
	}
	var s source
	var err error
	switch own := c.ownFile(d.ID); {
	case d.Kind == ibid.DatabasePostgres:
		s, err = openPostgres(string(d.Source), c.cfg.Limits)
	case exists(own):
		s, err = openSQLite(own, c.cfg.Dir)
	case d.Kind == ibid.DatabaseSQLite:
		s, err = openSQLite(string(d.Source), c.cfg.Dir)
	default:
		err = ibid.Errorf(ibid.CodeNotFound, "the tables of %s are gone; add the file again", d.Name)
	}
	if err != nil {
		return nil, err
	}
	c.open[d.ID] = s
	return s, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shut closes the connections to a database.
func (c *Catalog) shut(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.open[id]; s != nil {
		s.close()
		delete(c.open, id)
	}
}

func (c *Catalog) look(ctx context.Context, d ibid.Database) ([]ibid.DatabaseTable, error) {
	s, err := c.source(d)
	if err != nil {
		return nil, err
	}
	tables, err := describe(ctx, s, c.cfg.Limits.Time)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, tooSlow(c.cfg.Limits)
	}
	return tables, err
}

// Test looks at a database anew and keeps what it found, also that it cannot be
// reached.
func (c *Catalog) Test(ctx context.Context, view access.View, id string) (ibid.Database, error) {
	d, err := c.Database(ctx, view, id)
	if err != nil {
		return d, err
	}
	tables, err := c.look(ctx, d)
	switch {
	case ctx.Err() != nil:
		return d, ctx.Err()
	case err != nil:
		c.shut(d.ID)
		d.Error = plainError(err)
	default:
		d.Tables, d.Error = tables, ""
	}
	if err := c.cfg.Store.PutDatabase(ctx, d); err != nil {
		return d, fmt.Errorf("keep database %s: %w", d.Name, err)
	}
	return d, nil
}

// plainError is an error's own sentence.
func plainError(err error) string {
	var e *ibid.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "the database cannot be read"
}

// Describe looks at a database anew. Where a question is given it also returns
// the values that the question names.
func (c *Catalog) Describe(ctx context.Context, view access.View, id, question string) (ibid.Database, []ibid.DatabaseMatch, error) {
	d, err := c.Database(ctx, view, id)
	if err != nil {
		return d, nil, err
	}
	if d.Tables, err = c.look(ctx, d); err != nil || question == "" {
		return d, nil, err
	}
	s, err := c.source(d)
	if err != nil {
		return d, nil, err
	}
	return d, matches(ctx, s, d.Tables, question, c.cfg.Limits.Time), nil
}

// Query runs one statement that only reads. What is wrong with it, or what the
// database says against it, is an error with the code BAD_REQUEST; a query that
// takes too long is stopped and gives a TIMEOUT.
func (c *Catalog) Query(ctx context.Context, view access.View, id, statement string) (ibid.Table, error) {
	d, err := c.Database(ctx, view, id)
	if err != nil {
		return ibid.Table{}, err
	}
	s, err := c.source(d)
	if err != nil {
		return ibid.Table{}, err
	}
	return ask(ctx, s, statement, c.cfg.Limits)
}

// Remove detaches a database. What it is read from is not touched.
func (c *Catalog) Remove(ctx context.Context, view access.View, id string) (ibid.Database, error) {
	d, err := c.Database(ctx, view, id)
	if err != nil {
		return d, err
	}
	c.shut(d.ID)
	return d, c.cfg.Store.RemoveDatabase(ctx, view, d.ID, c.cfg.Now())
}

// Restore attaches a database again that was removed.
func (c *Catalog) Restore(ctx context.Context, view access.View, id string) (ibid.Database, error) {
	d, err := c.cfg.Store.RestoreDatabase(ctx, view, id)
	if err != nil {
		return d, err
	}
	return c.Test(ctx, view, d.ID)
}
