package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	dirblob "ibid/internal/blob/dir"
	"ibid/internal/disk/faulty"
	"ibid/internal/engine/local"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// powerCutSeeds is how many lives TestPowerCuts leads; $IBID_SEEDS overrides it
// (make soak). Under the race detector, which costs SQLite ten times as much,
// there are fewer: one goroutine does everything in it.
const (
	powerCutSeeds      = 2000
	powerCutSeedsRaced = 12
)

// TestPowerCuts leads libraries through random lives on a file system that fails
// and loses what was not synced, and shows after each crash that what was
// acknowledged is there. A seed is a life: $IBID_SEED repeats one.
func TestPowerCuts(t *testing.T) {
	first, seeds := uint64(1), uint64(0)
	if seeds = uint64(ibidtest.Fewer(t, powerCutSeedsRaced, powerCutSeeds)); testing.Short() {
		seeds = powerCutSeedsRaced
	}
	if n, err := strconv.ParseUint(os.Getenv("IBID_SEEDS"), 10, 64); err == nil {
		seeds = n
	}
	one, err := strconv.ParseUint(os.Getenv("IBID_SEED"), 10, 64)
	if err == nil {
		first, seeds = one, 1
	}
	dir := quickDir(t)
	template := emptyLibrary(t, dir)
	var next, failed atomic.Uint64
	var sum lifeSum
	var group sync.WaitGroup
	next.Store(first - 1)
	// SQLite waits for the disk at every commit, so there are more than processors.
	for range 2 * runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed := next.Add(1); seed < first+seeds && failed.Load() < 3; seed = next.Add(1) {
				l := newLife(t.Context(), template, filepath.Join(dir, fmt.Sprint(seed)), seed, &sum)
				if err := l.live(); err != nil {
					failed.Add(1)
					t.Errorf("seed %d: %v\nwhat happened:\n%s\nto repeat it: IBID_SEED=%d go test -run '^TestPowerCuts$' ./internal/ingest",
						seed, err, l.fs.Log(), seed)
				}
				os.RemoveAll(l.dir)
			}
		})
	}
	group.Wait()
	t.Logf("%d seeds: %d power cuts, %d kills, %d clean stops; %d changes acknowledged, %d not; %d removals taken back, %d originals swept",
		seeds, sum.cuts.Load(), sum.kills.Load(), sum.stops.Load(), sum.done.Load(), sum.refused.Load(), sum.restored.Load(), sum.swept.Load())
	if seeds >= 100 && (sum.cuts.Load() == 0 || sum.refused.Load() == 0 || sum.swept.Load() == 0 || sum.fits.Load() == 0 || sum.restored.Load() == 0) {
		t.Error("something never happened: the lives test too little")
	}
}

// lifeSum is what all lives came to.
type lifeSum struct {
	cuts, kills, stops, done, refused, restored, swept, fits atomic.Int64
}

// quickDir makes a directory in memory where there is such a thing: it makes no
// difference to what is tested how SQLite's own files are kept.
func quickDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ibid-powercut-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// emptyLibrary makes a directory with a migrated database, which lives begin with.
func emptyLibrary(t *testing.T, dir string) string {
	t.Helper()
	dir = filepath.Join(dir, "empty")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// life is a library that is used, crashes and is opened again. One goroutine does
// all of it, so that a seed always leads to the same life.
type life struct {
	ctx  context.Context
	dir  string
	rng  *rand.Rand
	fs   *faulty.FS
	sum  *lifeSum
	log  warnings
	now  faulty.Rates
	past time.Duration // how far the clock was moved on
	ids  int

	db    *sqlite.DB
	index *local.Kept
	p     *Pipeline

	words   int                  // contents made so far
	texts   map[string]string    // hash → content
	may     map[string][]string  // key of a document → what it may hold: hashes; "" for not there
	known   map[string]bool      // keys that ever were
	refused map[string]bool      // hashes of additions that were not acknowledged
	removed map[string]goneByAge // id → what was acknowledged as removed
}

// goneByAge is a document that was removed, and can be restored for a week.
type goneByAge struct {
	key  string
	held []string      // what it may have held
	at   time.Duration // how far the clock was moved on then
}

// key is what a document is known by: its path; of an upload its id, as an upload
// of the same name is another document.
func key(d ibid.Document) string {
	if isUpload(d) {
		return d.ID
	}
	return d.Source
}

func isUpload(d ibid.Document) bool { return strings.HasPrefix(d.Source, "upload:") }

func newLife(ctx context.Context, template, dir string, seed uint64, sum *lifeSum) *life {
	return &life{ctx: ctx, dir: dir, sum: sum, rng: rand.New(rand.NewPCG(seed, 7)), fs: newFaulty(template, dir, seed),
		may: map[string][]string{}, known: map[string]bool{}, texts: map[string]string{}, refused: map[string]bool{}, removed: map[string]goneByAge{}}
}

// newFaulty copies a library. The reserve is only ever there or not, so a link does.
func newFaulty(template, dir string, seed uint64) *faulty.FS {
	raw, err := os.ReadFile(filepath.Join(template, "ibid.db"))
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "ibid.db"), raw, 0o600)
	}
	if err == nil {
		err = os.Link(filepath.Join(template, "reserve"), filepath.Join(dir, "reserve"))
	}
	if err != nil {
		panic(err)
	}
	return faulty.New(dir, seed)
}

// live leads the life. Whatever it finds wrong ends it.
func (l *life) live() (err error) {
	defer func() {
		if l.db != nil {
			l.db.Close()
		}
	}()
	for range 2 + l.rng.IntN(3) {
		if err := l.session(); err != nil {
			return err
		}
	}
	l.fail(faulty.Rates{})
	if err := l.open(); err != nil {
		return fmt.Errorf("the last opening: %w", err)
	}
	if err := l.check(); err != nil {
		return err
	}
	return l.checkSwept()
}

// session opens the library, uses it until it crashes or is stopped, and checks
// what is left.
func (l *life) session() error {
	l.fail(l.rates())
	err := l.open()
	for range 4 + l.rng.IntN(12) {
		if err != nil || l.fs.Dead() {
			break
		}
		if err = l.something(); err != nil {
			return err
		}
	}
	if err != nil && !l.fs.Dead() && !isFault(err) {
		return fmt.Errorf("open: %w", err)
	}
	switch end := l.rng.IntN(4); {
	case l.p != nil && !l.fs.Dead() && end == 0:
		l.fail(faulty.Rates{})
		l.p.Stop()
		l.index.Stop()
		l.sum.stops.Add(1)
		err = l.close()
	case end == 1: // the process is killed: what it wrote is there, synced or not
		l.fs.Cut()
		err = l.close()
		l.fs.Revive()
		l.sum.kills.Add(1)
	default:
		l.fs.Cut()
		if err = l.close(); err == nil {
			err = l.fs.Crash()
		}
		l.sum.cuts.Add(1)
	}
	if err != nil || l.rng.IntN(2) == 0 {
		return err
	}
	l.fail(faulty.Rates{}) // a look in between
	if err := l.open(); err != nil {
		return fmt.Errorf("open after a crash: %w", err)
	}
	if err := l.check(); err != nil {
		return err
	}
	l.fs.Cut()
	err = l.close()
	l.fs.Revive()
	return err
}

func (l *life) fail(r faulty.Rates) {
	l.now = r
	l.fs.SetRates(r)
}

func (l *life) rates() faulty.Rates {
	return faulty.Rates{Fail: []int{0, 8, 30}[l.rng.IntN(3)], Cut: []int{0, 15, 40, 100}[l.rng.IntN(4)]}
}

// open opens the library as the program does, without what runs in the background.
func (l *life) open() error {
	l.log.lines = nil
	db, err := sqlite.Open(l.ctx, filepath.Join(l.dir, "ibid.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("the database does not open: %w", err)
	}
	l.db = db
	l.index = local.NewKept(local.KeptConfig{Path: filepath.Join(l.dir, "index.snapshot"), Disk: l.fs, Library: db, Log: slog.New(&l.log)})
	l.index.Open()
	store := gate{DB: db, life: l}
	originals, err := dirblob.Open(l.fs, filepath.Join(l.dir, "files"))
	if err != nil {
		return err
	}
	p, err := New(Config{Dir: l.dir, Disk: l.fs, Blobs: originals, Store: store, Leases: store, Library: store, Sweeper: store, Divider: db, Graph: db, Embeddings: store,
		Engine: l.index, Extractor: newParagraphs(), Unpacker: boxes{}, Formats: boxFormats, Log: slog.New(&l.log),
		Now:   func() time.Time { return time.Now().Add(l.past) },
		NewID: func() string { l.ids++; return fmt.Sprintf("d%d", l.ids) }})
	if err != nil {
		return err
	}
	l.p = p
	return p.bringUp(l.ctx)
}

func (l *life) close() error {
	l.p = nil
	db := l.db
	l.db = nil
	return db.Close()
}

// something happens to the library.
func (l *life) something() error {
	switch n := l.rng.IntN(24); {
	case n < 7:
		return l.add(l.source(), l.newText())
	case n < 8: // bytes that were there before
		return l.add(l.source(), l.knownText())
	case n < 11:
		return l.upload()
	case n < 14:
		return l.remove()
	case n < 16:
		return l.restore()
	case n < 19:
		for range 1 + l.rng.IntN(4) {
			l.work()
		}
	case n < 20:
		l.past += time.Duration(l.rng.IntN(9)) * 24 * time.Hour
		l.sweep()
	case n < 22: // what was removed goes for good, all that is left of it
		_ = l.index.Keep()
		l.past += 8 * 24 * time.Hour
		l.sweep()
		l.sweep()
	case n < 23:
		_ = l.index.Keep()
	default:
		if l.p.refit(l.ctx) == nil && l.p.fitted() != nil {
			l.sum.fits.Add(1)
		}
	}
	return nil
}

func (l *life) sweep() {
	swept, _ := l.p.Sweep(l.ctx)
	l.sum.swept.Add(int64(swept.Files))
}

func (l *life) source() string { return fmt.Sprintf("/shelf/%d.txt", l.rng.IntN(6)) }

// knownText is a text that was added before, where there is one.
func (l *life) knownText() string {
	if l.words == 0 {
		return l.newText()
	}
	return walrus(l.rng.IntN(l.words))
}

func (l *life) newText() string {
	l.words++
	return walrus(l.words - 1)
}

// walrus n has words of its own, and some paragraphs, so that a few are enough to
// fit the embedder.
func walrus(n int) string {
	var b strings.Builder
	for i := range 1 + n%4 {
		fmt.Fprintf(&b, "The walrus number%d sleeps on page%d of the ice. %s\n\n", n, i, strings.Repeat("It dreams of fish and of the warm sea beyond the cold one. ", 20))
	}
	return b.String()
}

func (l *life) add(source, content string) error {
	l.known[source] = true
	hash, d, err := l.put(File{Name: filepath.Base(source), Source: source}, content)
	if err != nil {
		return l.wasRefused(source, []string{hash}, err)
	}
	if _, back := l.removed[d.ID]; back {
		return fmt.Errorf("%s was added as %s, which was removed", source, d.ID)
	}
	l.may[source] = []string{hash}
	return nil
}

// upload adds a file that has only a name, which another may have.
func (l *life) upload() error {
	on := []ibid.OnSameName{ibid.KeepBoth, ibid.NewVersion}[l.rng.IntN(2)]
	hash, d, err := l.put(File{Name: fmt.Sprintf("upload%d.txt", l.rng.IntN(2)), OnSameName: on}, l.newText())
	if err != nil {
		return l.wasRefused("", []string{hash}, err)
	}
	if _, known := l.may[d.ID]; known && on == ibid.KeepBoth {
		return fmt.Errorf("an upload took the place of %s", d.ID)
	}
	l.may[d.ID], l.known[d.ID] = []string{hash}, true
	return nil
}

func (l *life) put(f File, content string) (hash string, d ibid.Document, err error) {
	hash = ibid.VersionOf([]byte(content))
	l.texts[hash] = content
	added, err := l.p.Add(l.ctx, access.For(ibid.Owner), f, strings.NewReader(content))
	if err != nil {
		l.refused[hash] = true
		return hash, d, err
	}
	l.sum.done.Add(1)
	return hash, added.Document, nil
}

// wasRefused notes that a change was not acknowledged: it may have happened all
// the same, or not. Which document an upload would have become, nobody knows.
func (l *life) wasRefused(key string, hashes []string, err error) error {
	if !isFault(err) {
		return fmt.Errorf("%s: %w", key, err)
	}
	l.sum.refused.Add(1)
	if key != "" {
		l.may[key] = append(l.states(key), hashes...)
	}
	return nil
}

func (l *life) states(key string) []string {
	if states, known := l.may[key]; known {
		return states
	}
	return []string{""}
}

func (l *life) remove() error {
	docs, _, err := l.db.Documents(l.ctx, access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{Limit: ibid.MaxLimit})
	if err != nil || len(docs) == 0 {
		return err
	}
	d := docs[l.rng.IntN(len(docs))]
	held := slices.DeleteFunc(slices.Clone(l.states(key(d))), func(hash string) bool { return hash == "" })
	if err := l.p.Remove(l.ctx, access.For(ibid.Owner), d.ID); err != nil {
		return l.wasRefused(key(d), []string{""}, err)
	}
	l.sum.done.Add(1)
	l.may[key(d)], l.known[key(d)] = []string{""}, true
	l.removed[d.ID] = goneByAge{key: key(d), held: held, at: l.past}
	return nil
}

// restore takes a removal back.
func (l *life) restore() error {
	ids := slices.Sorted(maps.Keys(l.removed))
	if len(ids) == 0 {
		return nil
	}
	id := ids[l.rng.IntN(len(ids))]
	gone := l.removed[id]
	old := l.past-gone.at >= 7*24*time.Hour
	switch _, err := l.p.Restore(l.ctx, access.For(ibid.Owner), id); {
	case err == nil && !old:
		l.sum.restored.Add(1)
		l.may[gone.key] = gone.held
		delete(l.removed, id)
	case ibid.CodeOf(err) == ibid.CodeNotFound && old, ibid.CodeOf(err) == ibid.CodeConflict: // swept, or another is in its place
	case err == nil || !isFault(err):
		return fmt.Errorf("restore %s, removed %v ago: %w", gone.key, l.past-gone.at, err)
	default:
		delete(l.removed, id)
		return l.wasRefused(gone.key, gone.held, err)
	}
	return nil
}

// work takes in one document that waits.
func (l *life) work() (worked bool) {
	d, lease, attempts, ok, err := l.p.cfg.Leases.ClaimDocument(l.ctx, "", l.p.cfg.Lease, maxCrashes)
	if err != nil || !ok {
		return false
	}
	l.p.process(d, lease, attempts)
	return true
}

// isFault reports whether an error comes from the faults of this test.
func isFault(err error) bool {
	var path *os.PathError
	return errors.As(err, &path) || errors.Is(err, errGate)
}

var errGate = &ibid.Error{Code: ibid.CodeInternal, Message: "the disk of the database fails"}

// warnings keeps what the pipeline complains of.
type warnings struct {
	slog.Handler
	lines []string
}

func (w *warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	w.lines = append(w.lines, line)
	return nil
}
