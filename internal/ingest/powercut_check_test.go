package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/disk/faulty"
	"ibid/internal/store/sqlite"
)

// gate is the database of a life. Commits fail at times, the power is cut before
// and after them, and nothing is written once it is cut. What is committed is
// safe: SQLite syncs it.
type gate struct {
	*sqlite.DB
	life *life
}

func (g gate) commit(write func() error) error {
	if r := g.life.now; r.Fail > 0 && g.life.rng.IntN(4*r.Fail) == 0 {
		return errGate
	}
	return g.settle(write)
}

// settle is a commit of the work on a document. It never just fails: that would
// make the document one that failed.
func (g gate) settle(write func() error) error {
	l := g.life
	if l.fs.Dead() {
		return errGate
	}
	r := l.now
	switch {
	case r.Cut > 0 && l.rng.IntN(2*r.Cut) == 0:
		l.fs.Cut()
		return errGate
	}
	err := write()
	if r.Cut > 0 && l.rng.IntN(2*r.Cut) == 0 {
		l.fs.Cut()
		return errGate
	}
	return err
}

func (g gate) PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error) {
	err = g.commit(func() (err error) {
		stored, unchanged, err = g.DB.PutDocument(ctx, d, version)
		return err
	})
	return stored, unchanged, err
}

func (g gate) PutUpload(ctx context.Context, d ibid.Document, version string, on ibid.OnSameName) (stored ibid.Document, unchanged bool, same *ibid.SameName, err error) {
	err = g.commit(func() (err error) {
		stored, unchanged, same, err = g.DB.PutUpload(ctx, d, version, on)
		return err
	})
	return stored, unchanged, same, err
}

func (g gate) ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error) {
	err = g.settle(func() (err error) {
		d, l, a, ok, err = g.DB.ClaimDocument(ctx, owner, lease, maxCrashes)
		return err
	})
	return d, l, a, ok && err == nil, err
}

func (g gate) SetProgress(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error {
	return g.settle(func() error { return g.DB.SetProgress(ctx, l, d) })
}

func (g gate) FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (stored ibid.Document, change int64, err error) {
	err = g.settle(func() (err error) {
		stored, change, err = g.DB.FinishDocument(ctx, l, d, x, chunks, named, at)
		return err
	})
	return stored, change, err
}

func (g gate) SettleDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error {
	return g.settle(func() error { return g.DB.SettleDocument(ctx, l, d) })
}

func (g gate) RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) (removed []string, change int64, err error) {
	err = g.commit(func() (err error) {
		removed, change, err = g.DB.RemoveDocument(ctx, view, id, at)
		return err
	})
	return removed, change, err
}

func (g gate) RestoreDocument(ctx context.Context, view access.View, id string, since time.Time, chunks []ibid.Chunk, named []ibid.Naming) (stored ibid.Document, change int64, restored bool, err error) {
	err = g.commit(func() (err error) {
		stored, change, restored, err = g.DB.RestoreDocument(ctx, view, id, since, chunks, named)
		return err
	})
	return stored, change, restored, err
}

func (g gate) PutFit(ctx context.Context, name string, model []byte, replaces string, at time.Time) error {
	return g.settle(func() error { return g.DB.PutFit(ctx, name, model, replaces, at) })
}

func (g gate) SweepThreads(ctx context.Context, before time.Time) (n int, err error) {
	err = g.commit(func() (err error) {
		n, err = g.DB.SweepThreads(ctx, before)
		return err
	})
	return n, err
}

func (g gate) SweepVersions(ctx context.Context, before time.Time) (n int, err error) {
	err = g.commit(func() (err error) {
		n, err = g.DB.SweepVersions(ctx, before)
		return err
	})
	return n, err
}

func (g gate) SweepTombstones(ctx context.Context, before time.Time, upTo int64) error {
	return g.commit(func() error { return g.DB.SweepTombstones(ctx, before, upTo) })
}

func (g gate) Discarded(ctx context.Context, page ibid.Page) (hashes []string, next string, err error) {
	err = g.commit(func() (err error) {
		hashes, next, err = g.DB.Discarded(ctx, page)
		return err
	})
	return hashes, next, err
}

func (g gate) ForgetDiscarded(ctx context.Context, hash string) error {
	return g.commit(func() error { return g.DB.ForgetDiscarded(ctx, hash) })
}

func (g gate) ReleaseLostDocuments(ctx context.Context, maxCrashes int, giveUp string) (ids []string, failed int, err error) {
	err = g.commit(func() (err error) {
		ids, failed, err = g.DB.ReleaseLostDocuments(ctx, maxCrashes, giveUp)
		return err
	})
	return ids, failed, err
}

func (g gate) ReleaseDocuments(ctx context.Context, owner string) error {
	return g.commit(func() error { return g.DB.ReleaseDocuments(ctx, owner) })
}

// check holds an open library, on which nothing fails any more, against what was
// acknowledged.
func (l *life) check() error {
	if len(l.log.lines) > 0 {
		return fmt.Errorf("opening complained: %s", strings.Join(l.log.lines, "; "))
	}
	if err := l.checkFiles(); err != nil {
		return err
	}
	for l.work() {
	}
	docs, _, err := l.db.Documents(l.ctx, access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{Limit: ibid.MaxLimit})
	if err != nil {
		return err
	}
	there := map[string]ibid.Document{}
	for _, d := range docs {
		if d.Status != ibid.DocumentReady {
			return fmt.Errorf("%s is %s: %s", d.Source, d.Status, d.Error)
		}
		if _, back := l.removed[d.ID]; back {
			return fmt.Errorf("%s was removed and is back", d.Source)
		}
		there[key(d)] = d
	}
	if len(there) != len(docs) {
		return fmt.Errorf("%d documents of %d sources", len(docs), len(there))
	}
	for key := range l.may {
		d := there[key]
		if !slices.Contains(l.may[key], d.Version) && !(l.refused[d.Version] && isUpload(d)) {
			return fmt.Errorf("%s holds %q, want one of %q", key, d.Version, l.may[key])
		}
	}
	clear(l.may)
	for key, d := range there {
		// Nobody was told the id of an upload that was not acknowledged.
		if isUpload(d) && !l.refused[d.Version] && !l.known[d.ID] || !isUpload(d) && !l.known[d.Source] {
			return fmt.Errorf("nobody added %s", key)
		}
		l.may[key], l.known[key] = []string{d.Version}, true
	}
	if a, err := l.p.Compare(l.ctx); err != nil || len(a.Differ) > 0 {
		return fmt.Errorf("the index and the database differ: %+v, %w", a, errors.Join(err, errDiffer))
	}
	return l.checkFiles()
}

var errDiffer = errors.New("they must agree")

// checkFiles holds the directory against the database: what is listed is there,
// whole, and nothing else is, but for what an addition that failed has left.
func (l *life) checkFiles() error {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains([]string{"files", "ibid.db", "ibid.db-wal", "ibid.db-shm", "reserve", "index.snapshot",
			"index.snapshot.new"}, e.Name()) { // the next one overwrites those
			return fmt.Errorf("%s does not belong there", e.Name())
		}
	}
	files, err := faulty.Files(filepath.Join(l.dir, "files"))
	if err != nil {
		return err
	}
	for hash := range l.texts {
		used, err := l.db.VersionInUse(l.ctx, hash)
		if err != nil {
			return err
		}
		if _, there := files[filepath.Join(hash[:2], hash)]; used && !there {
			return fmt.Errorf("the original %s is lost", hash)
		}
	}
	for path, content := range files {
		name := filepath.Base(path)
		if path != filepath.Join(name[:2], name) || ibid.VersionOf([]byte(content)) != name {
			return fmt.Errorf("%s does not belong there: %.20q…, %d bytes", path, content, len(content))
		}
		listed, err := l.db.ListsVersion(l.ctx, name)
		if err != nil || !listed && !l.refused[name] {
			return fmt.Errorf("nobody knows %s any more (%w)", path, errors.Join(err, errUnlisted))
		}
	}
	return nil
}

var errUnlisted = errors.New("the database does not list it")

// checkSwept shows that what nobody needs goes: only what is in use stays, and what
// an addition that failed has left.
func (l *life) checkSwept() error {
	if err := l.index.Keep(); err != nil {
		return err
	}
	for range 2 { // texts go first, then their originals
		l.past += 8 * 24 * time.Hour
		if _, err := l.p.Sweep(l.ctx); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	originals, err := filepath.Glob(filepath.Join(l.dir, "files", "??", "*"))
	if err != nil {
		return err
	}
	for _, path := range originals {
		hash := filepath.Base(path)
		if used, err := l.db.VersionInUse(l.ctx, hash); err != nil || !used && !l.refused[hash] {
			return fmt.Errorf("the original %s stays though nobody needs it (%v)", hash, err)
		}
	}
	if err := l.check(); err != nil {
		return fmt.Errorf("after a sweep: %w", err)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "index.snapshot")); err != nil && l.chunks() > 0 {
		return err
	}
	return nil
}

// chunks is how many the engine searches.
func (l *life) chunks() int {
	state, err := l.index.State(l.ctx)
	if err != nil {
		panic(err) // it is in this process
	}
	return state.Chunks
}
