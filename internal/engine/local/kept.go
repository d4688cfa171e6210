package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ibid"
	"ibid/internal/disk"
	"ibid/internal/engine"
)

// Library is what a Kept index is compared with.
type Library interface {
	// ChunkSets returns which passages the library has, document by document.
	ChunkSets(ctx context.Context, page ibid.Page) (sets []ibid.DocumentChunkSet, next string, err error)
}

// KeptConfig is what a Kept index needs.
type KeptConfig struct {
	Config
	Path    string  // of the snapshot
	Disk    disk.FS // the file system of Path; nil: this machine's
	Library Library
	// Slot lets a piece of background work onto a processor; nil: at once.
	Slot func() (release func())
	Log  *slog.Logger
}

// Kept is an Index with a snapshot on disk, so that a start need not index the whole
// library. Open it, Start it, and Stop it.
//
// The snapshot is written every few minutes where anything has changed, at Stop, and
// soon after every passage has got its vector in a new space: a start that found only
// those of the embedder before would embed every passage anew. What is missing from a snapshot, or was
// changed since, comes from the library's changes after State.Saved.
type Kept struct {
	*Index
	cfg     KeptConfig
	filled  chan struct{} // a space is whole that was not in the last snapshot
	quit    chan struct{}
	stop    sync.Once
	stopped sync.WaitGroup

	saving  sync.Mutex // one snapshot at a time; before changes
	changes sync.Mutex
	dirty   bool            // something has changed since the snapshot that is written, or was last
	saved   int64           // the highest change number in the snapshot on disk
	whole   map[string]bool // spaces that were whole in the last snapshot
}

// NewKept returns an empty index.
func NewKept(cfg KeptConfig) *Kept {
	if cfg.Disk == nil {
		cfg.Disk = disk.OS{}
	}
	if cfg.Slot == nil {
		cfg.Slot = func() func() { return func() {} }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Kept{Index: New(cfg.Config), cfg: cfg, filled: make(chan struct{}, 1), quit: make(chan struct{})}
}

// Open reads the snapshot. Without a good one the index stays empty, and says so in
// its State.
func (k *Kept) Open() {
	f, err := k.cfg.Disk.Open(k.cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		k.cfg.Log.Warn("cannot open the index snapshot; rebuilding from the database", "error", err)
		return
	}
	defer f.Close()
	if err := k.Load(bufio.NewReaderSize(f, 1<<20)); err != nil {
		k.cfg.Log.Warn("the index snapshot is no good; rebuilding from the database", "error", err)
		return
	}
	k.changes.Lock()
	defer k.changes.Unlock()
	k.saved = k.applied.Load()
	k.whole = k.wholeSpaces()
}

// snapshotEvery is how long a crash can make the next start replay.
const snapshotEvery = 5 * time.Minute

// Start begins to write snapshots in the background.
func (k *Kept) Start() {
	k.stopped.Go(func() {
		tick := time.NewTicker(snapshotEvery)
		defer tick.Stop()
		for {
			select {
			case <-k.quit:
				return
			case <-tick.C:
			case <-k.filled:
			}
			if err := k.Keep(); err != nil {
				k.cfg.Log.Warn("cannot write the index snapshot", "error", err)
			}
		}
	})
}

// Stop writes a last snapshot. It may be called more than once.
func (k *Kept) Stop() {
	k.stop.Do(func() { close(k.quit) })
	k.stopped.Wait()
	if err := k.Keep(); err != nil {
		k.cfg.Log.Warn("cannot write the index snapshot; it will be rebuilt", "error", err)
	}
}

// Apply makes changes searchable.
func (k *Kept) Apply(ctx context.Context, changes []engine.Change) error {
	defer func() {
		k.changes.Lock()
		defer k.changes.Unlock()
		k.dirty = true
		for _, c := range changes {
			if v, ok := c.(engine.Vectors); ok && !k.whole[v.Space] && k.wholeSpaces()[v.Space] {
				select {
				case k.filled <- struct{}{}:
				default:
				}
			}
		}
	}()
	return k.Index.Apply(ctx, changes)
}

// Keep writes a snapshot where something has changed since the last one.
func (k *Kept) Keep() error {
	k.saving.Lock()
	defer k.saving.Unlock()
	if !k.begin() {
		return nil
	}
	var applied int64
	var whole map[string]bool
	err := disk.Replace(k.cfg.Disk, k.cfg.Path, func(w io.Writer) error {
		defer k.cfg.Slot()()
		k.writer.Lock()
		defer k.writer.Unlock()
		applied, whole = k.applied.Load(), k.wholeSpaces()
		return k.save(w)
	})
	k.changes.Lock()
	defer k.changes.Unlock()
	if err != nil {
		k.dirty = true
		return fmt.Errorf("write the index snapshot: %w", err)
	}
	k.saved, k.whole = applied, whole
	return nil
}

// wholeSpaces are the spaces where every passage has a vector.
func (k *Kept) wholeSpaces() map[string]bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	whole := make(map[string]bool)
	for name, s := range k.spaces {
		whole[name] = s.rows == k.totals.chunks
	}
	return whole
}

// begin reports whether there is something to write. What changes from now on is
// for the next snapshot, if it does not come into this one.
func (k *Kept) begin() bool {
	k.changes.Lock()
	defer k.changes.Unlock()
	dirty := k.dirty
	k.dirty = false
	return dirty
}

// State says how far the index is.
func (k *Kept) State(ctx context.Context) (engine.State, error) {
	s, err := k.Index.State(ctx)
	k.changes.Lock()
	defer k.changes.Unlock()
	s.Saved = k.saved
	return s, err
}

// Compare holds the index against the library, document by document: both must have
// the very same passages. Changes that the index was not told of yet are no
// difference. The caller tells it of none meanwhile.
func (k *Kept) Compare(ctx context.Context) (engine.Agreement, error) {
	return Compare(ctx, k.Index, k.cfg.Library)
}

// Compare is Kept.Compare for an index that is kept nowhere.
func Compare(ctx context.Context, x *Index, library Library) (engine.Agreement, error) {
	have, applied := x.fingerprints(), x.applied.Load()
	a := engine.Agreement{Differ: []string{}}
	for page := (ibid.Page{Limit: ibid.MaxLimit}); ; {
		held, next, err := library.ChunkSets(ctx, page)
		if err != nil {
			return engine.Agreement{}, fmt.Errorf("compare the index with the library: %w", err)
		}
		for _, d := range held {
			if d.Chunks.Count > 0 {
				a.Documents++
				a.Chunks += d.Chunks.Count
			}
			if d.Number <= applied && have[d.DocumentID].chunks != d.Chunks {
				a.Differ = append(a.Differ, d.DocumentID)
			}
			delete(have, d.DocumentID)
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	for id, f := range have { // the library does not have them
		if f.chunks.Count > 0 && f.change <= applied {
			a.Differ = append(a.Differ, id)
		}
	}
	slices.Sort(a.Differ)
	return a, nil
}
