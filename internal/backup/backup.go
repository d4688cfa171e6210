// Package backup copies a library while it is used, puts copies back, and reads
// originals to see whether they are still what they were.
//
// A backup is a directory or one archive. A directory takes any number of copies,
// each with the name of its time, which share the originals:
//
//	DIR/ibid-backup.json          whose backup this is
//	DIR/README.txt                how to use it, also without ibid
//	DIR/files/ab/ab12…            originals and tables, by the hash of their bytes
//	DIR/2026-11-22T03-00-00Z/     one copy: ibid.db, lsa.model, ibid.toml and
//	    manifest.jsonl            what belongs to it, with hashes
//	DIR/unfinished/               the copy under way; what a crash leaves of it is
//	                              overwritten by the next
//
// The copy of the database comes first. Whatever original it lists is then
// copied, while Config.Hold keeps the library from deleting any, so a copy holds
// all that its database names. Files get their names once they are synced, and a
// copy gets its name once everything in it was read back: one that has a name is
// whole. An archive (archive.go) holds the same files, the manifest last.
//
// Not in a backup: what is made anew (the search index's snapshot, caches), and
// secrets of the configuration. Passwords of attached databases are, inside the
// database.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/disk"
	"ibid/internal/store/sqlite/inspect"
)

// Blobs keeps the originals of a library (see package blob): those of a data directory
// are the directory files in it, others lie on other machines.
type Blobs interface {
	Receive(ctx context.Context, content io.Reader) (blob.Upload, error)
	Open(ctx context.Context, hash string, from, n int64) (io.ReadCloser, error)
	Stat(ctx context.Context, hash string) (blob.Info, error)
	List(ctx context.Context, page ibid.Page) (list []blob.Info, next string, err error)
}

// Config is the library that is backed up.
type Config struct {
	FS       disk.FS
	Dir      string // data directory
	Blobs    Blobs  // originals
	Identity string // of the data directory
	Version  string // of this program
	// Copy writes a consistent copy of the database, as sqlite.DB.CopyTo does.
	Copy func(ctx context.Context, path string, after func(done, total int64) error) error
	// Hold keeps originals from being deleted until release is called.
	Hold func() (release func())
	// Settings is the settings file of the data directory without secrets; nil: none.
	Settings []byte
	Now      func() time.Time
}

// Job is one backup to make.
type Job struct {
	To       string // a directory, or an archive where the name ends so; absolute
	Keep     int    // copies that a directory keeps, this one among them; 0: all
	Pace     Pace
	Progress func(Progress) // may be nil
}

// The phases of a backup and of a restore, in order.
const (
	PhaseDatabase = "database"
	PhaseCopy     = "copy"
	PhaseVerify   = "verify"
)

// Progress says how far a backup or a restore is.
type Progress struct {
	Phase string `json:"phase"`
	Done  int64  `json:"done"`  // bytes, of this phase
	Total int64  `json:"total"` // bytes
	// Resumed: an earlier attempt was cut short, and this one goes on with what it left.
	Resumed bool `json:"resumed,omitempty"`
}

// Result is what a backup came to.
type Result struct {
	To        string    `json:"to"`
	Name      string    `json:"name"` // of the copy in a directory; "" for an archive
	MadeAt    time.Time `json:"made_at"`
	Documents int       `json:"documents"`
	Threads   int       `json:"threads"`
	Files     int       `json:"files"`
	Bytes     int64     `json:"bytes"`     // of all files
	NewBytes  int64     `json:"new_bytes"` // that had to be written
	NewFiles  int       `json:"new_files"` // that had to be written
	Missing   []string  `json:"missing"`   // originals that the library itself has lost or that are damaged, by hash
	Repaired  int       `json:"repaired"`  // files of the backup that were damaged, and were written anew
	Dropped   []string  `json:"dropped"`   // names of older copies that went
	TookMS    int64     `json:"took_ms"`   // all in all
	Resumed   bool      `json:"resumed"`   // it went on with what an earlier attempt had left
	ReadBack  bool      `json:"read_back"` // every file was read and compared
}

// Run makes a backup. Only one may run at a time.
func (c Config) Run(ctx context.Context, job Job) (Result, error) {
	began := time.Now()
	if err := c.checkPlace(job.To); err != nil {
		return Result{}, err
	}
	defer c.Hold()()
	run := c.newRun(ctx, job)
	var err error
	if IsArchive(job.To) {
		err = run.archive()
	} else {
		err = run.directory()
	}
	if err != nil {
		return Result{}, explain(job.To, err)
	}
	run.result.TookMS = time.Since(began).Milliseconds()
	return run.result, nil
}

// checkPlace refuses places in which a backup would be lost with the library.
func (c Config) checkPlace(to string) error {
	if !filepath.IsAbs(to) {
		return ibid.Errorf(ibid.CodeBadRequest, "a backup needs an absolute path, not %q", to)
	}
	if within(c.Dir, to) {
		e := ibid.Errorf(ibid.CodeBadRequest, "%s is in the data directory, and would be lost together with it", to)
		e.Hint = "choose a folder outside, best on another disk"
		return e
	}
	if lower := strings.ToLower(to); !IsArchive(to) && (strings.HasSuffix(lower, ".zst") || strings.HasSuffix(lower, ".zip") || strings.HasSuffix(lower, ".gz")) {
		e := ibid.Errorf(ibid.CodeBadRequest, "%s is not a kind of archive that is written here", filepath.Base(to))
		e.Hint = "name it .tar or .tar.gz, or give a folder"
		return e
	}
	return nil
}

// within reports whether path is dir or lies in it.
func within(dir, path string) bool {
	for _, resolve := range []func(string) string{filepath.Clean, real} {
		rel, err := filepath.Rel(resolve(dir), resolve(path))
		if err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// real resolves the links in a path as far as it exists.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(real(parent), filepath.Base(path))
	}
	return path
}

// explain gives the errors of a disk their words.
func explain(place string, err error) error {
	var known *ibid.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &ibid.Error{Code: ibid.CodeDiskFull, Message: fmt.Sprintf("the disk of %s is full", place), Hint: "make room there, or choose another place; what is written already is not written again", Err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &ibid.Error{Code: ibid.CodeForbidden, Message: fmt.Sprintf("%s cannot be written: %v", place, err), Hint: "choose a place that the user who runs ibid may write to", Err: err}
	}
	return &ibid.Error{Code: ibid.CodeInternal, Message: err.Error(), Hint: "look after the disk of " + place, Err: err}
}

// run is a backup at work.
type run struct {
	Config
	job    Job
	mover  mover
	at     Progress
	result Result
}

func (c Config) newRun(ctx context.Context, job Job) *run {
	r := &run{Config: c, job: job, result: Result{To: job.To}}
	r.mover = mover{ctx: ctx, fs: c.FS, pace: job.Pace, moved: func(n int64) {
		r.at.Done += n
		r.tell()
	}}
	return r
}

func (r *run) tell() {
	if r.job.Progress != nil {
		r.job.Progress(r.at)
	}
}

func (r *run) phase(name string, total int64) {
	r.at = Progress{Phase: name, Total: total, Resumed: r.result.Resumed}
	r.tell()
}

// copyDatabase writes a copy of the database, synced and checked, and says what
// else belongs to the backup.
func (r *run) copyDatabase(to string) (*Manifest, []piece, error) {
	r.phase(PhaseDatabase, 0)
	m := &Manifest{Format: formatNow, Ibid: r.Version, MadeAt: r.Now().UTC().Truncate(time.Second)}
	began, before := time.Now(), int64(0)
	err := r.Copy(r.mover.ctx, to, func(done, total int64) error {
		err := r.job.Pace.rest(r.mover.ctx, began, done-before)
		r.at.Done, r.at.Total, before, began = done, total, done, time.Now()
		r.tell()
		return err
	})
	if err == nil {
		err = disk.SyncFile(r.FS, to)
	}
	if err != nil {
		return nil, nil, err
	}
	pieces, err := r.plan(m, to)
	return m, pieces, err
}

// piece is one file that belongs to a backup.
type piece struct {
	path  string // in the data directory, with slashes
	from  string // the file to copy; "" for an original
	hash  string // of an original; "" for others
	bytes int64  // what it has now; -1: it is not there
}

// open opens what is to be copied. What is not there is an error of kind fs.ErrNotExist,
// and what cannot be reached now is none of that kind.
func (r *run) open(p piece) (io.ReadCloser, error) {
	if p.from == "" {
		return openOriginal(r.mover.ctx, r.Blobs, p.hash)
	}
	return r.FS.Open(p.from)
}

func openOriginal(ctx context.Context, from blob.Opener, hash string) (io.ReadCloser, error) {
	content, err := from.Open(ctx, hash, 0, blob.Whole)
	if err != nil && ibid.CodeOf(err) == ibid.CodeNotFound {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return content, err
}

// sizes are the lengths of all originals, by their hashes.
func sizes(ctx context.Context, blobs blob.Lister) (map[string]int64, error) {
	all := map[string]int64{}
	for info, err := range blob.All(ctx, blobs) {
		if err != nil {
			return nil, err
		}
		all[info.Hash] = info.Bytes
	}
	return all, nil
}

// plan checks a copy of the database and lists what belongs to it.
func (r *run) plan(m *Manifest, database string) ([]piece, error) {
	ctx := r.mover.ctx
	in, err := inspect.Open(ctx, database, "")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.Empty || in.Identity != r.Identity {
		return nil, fmt.Errorf("the copy %s is not of this library's database", database)
	}
	if err := in.Verify(ctx); err != nil {
		return nil, err
	}
	counted, err := in.Count(ctx)
	if err != nil {
		return nil, err
	}
	m.Identity, m.DatabaseFormat, m.Documents, m.Threads = in.Identity, counted.Format, counted.Documents, counted.Threads
	var pieces []piece // one for each file, as the manifest has them
	add := func(path string) {
		p := piece{path: path, from: filepath.Join(r.Dir, filepath.FromSlash(path))}
		if info, err := os.Stat(p.from); err == nil && info.Mode().IsRegular() {
			p.bytes = info.Size()
			pieces = append(pieces, p)
		}
	}
	add(modelName)
	tables, err := filepath.Glob(filepath.Join(r.Dir, "databases", "*.db"))
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		if p := "databases/" + filepath.Base(table); tablePath.MatchString(p) {
			add(p)
		}
	}
	originals, err := sizes(ctx, r.Blobs)
	if err != nil {
		return nil, err
	}
	for hash, err := range ibid.Each(func(page ibid.Page) ([]string, string, error) { return in.Originals(ctx, page) }) {
		if err != nil {
			return nil, err
		}
		if blob.IsHash(hash) && originalPath.MatchString(originalAt(hash)) {
			p := piece{path: originalAt(hash), hash: hash, bytes: -1}
			if bytes, there := originals[hash]; there {
				p.bytes = bytes
			}
			pieces = append(pieces, p)
		}
	}
	return pieces, nil
}

// done fills the result from the manifest of a backup that is whole.
func (r *run) done(m *Manifest) {
	res := &r.result
	res.MadeAt, res.Documents, res.Threads, res.Files, res.Bytes = m.MadeAt, m.Documents, m.Threads, len(m.Files), m.Bytes
	slices.Sort(m.Missing)
	res.Missing, res.ReadBack = m.Missing, true
}

// lost notes an original that the library itself does not have any more.
func (m *Manifest) lost(hash string) { m.Missing = append(m.Missing, hash) }
