// Package ingest takes documents in: it keeps the original, has it read in a
// worker process, cuts the text into chunks, and makes them searchable. The
// database knows at every moment where each document stands; what a crash
// interrupts is begun again when the house opens, and chunks that did not
// change keep their embeddings.
//
//	queued ─▶ extract ─▶ chunk ─▶ index ─▶ embed ─▶ ready
//	                └─▶ failed (one clear line; an older version stays searchable)
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/blob"
	"ibid/internal/disk"
	"ibid/internal/document/format"
)

// Store keeps where each document stands.
type Store interface {
	PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error)
	// DocumentsBySource returns the documents that were added from some paths and URLs:
	// one at most of each principal for each.
	DocumentsBySource(ctx context.Context, view access.View, sources []string) ([]ibid.Document, error)
	// PutUpload takes in a file that has no path or URL, but a name in a folder.
	PutUpload(ctx context.Context, d ibid.Document, version string, on ibid.OnSameName) (stored ibid.Document, unchanged bool, same *ibid.SameName, err error)
	RetryDocument(ctx context.Context, view access.View, documentID string, at time.Time) (ibid.Document, error)
	CancelDocument(ctx context.Context, view access.View, documentID string) (ibid.Document, error)
	ChangeDocument(ctx context.Context, view access.View, documentID string, change func(*ibid.Document) error) (ibid.Document, error)
	// RemoveDocument removes a document, and what came out of it where it is an
	// archive.
	RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) (removed []string, change int64, err error)
	// RemovedWith returns a page of a removed document and what went with it, if it was
	// removed at since or later, outer archives before inner ones; RestoreDocument takes
	// the removal of one back.
	RemovedWith(ctx context.Context, view access.View, id string, since time.Time, page ibid.Page) (removed []ibid.Document, next string, err error)
	RestoreDocument(ctx context.Context, view access.View, id string, since time.Time, chunks []ibid.Chunk, named []ibid.Naming) (stored ibid.Document, change int64, restored bool, err error)
	// HalfRestored are archives of which a crash left something unrestored.
	HalfRestored(ctx context.Context, page ibid.Page) (documentIDs []string, next string, err error)
	QueueCounts(ctx context.Context, view access.View) (ibid.QueueCounts, error)
	Members(ctx context.Context, view access.View, archiveID string, page ibid.Page) (documents []ibid.Document, next string, err error)
	// Below counts what lies below a source, archives within archives included.
	Below(ctx context.Context, view access.View, source string) (files int, bytes int64, err error)
}

// Leases hands out the right to work on documents. Every write names the lease and
// fails with ibid.ErrLeaseLost once the work is somebody else's, or of no use.
type Leases interface {
	// ClaimDocument passes over documents that have seen more than maxCrashes ends
	// of ibid itself.
	ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error)
	RenewDocument(ctx context.Context, l ibid.DocumentLease, lease time.Duration) error
	SetProgress(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error // its stage, progress, pages and ETA
	// FinishDocument is given the chunks of all levels, and what the passages name.
	FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (stored ibid.Document, change int64, err error)
	SettleDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error
	PutBackDocument(ctx context.Context, l ibid.DocumentLease) error
	NoteWorkerKilled(ctx context.Context, l ibid.DocumentLease) error
	ReleaseDocuments(ctx context.Context, owner string) error // puts back what it has in work
	// ReleaseLostDocuments puts back what others had in work when they died, or whose
	// lease is over, and fails what has seen maxCrashes of that with the line giveUp; some
	// hundreds at a time.
	ReleaseLostDocuments(ctx context.Context, maxCrashes int, giveUp string) (documentIDs []string, failed int, err error)
	// HoldVersion leaves the reading of a version to those who have its password in
	// memory, as long as one of them lives.
	HoldVersion(ctx context.Context, owner, version string) error
	ReleaseVersion(ctx context.Context, owner, version string) error
}

// Notifier carries hints between the processes that share a library: something about a
// topic was committed. What is true stands in the store. A hint may be lost, and then
// what it spoke of is seen a little later.
type Notifier interface {
	// Notify tells the other processes, and does not wait for them.
	Notify(ctx context.Context, topic string)
	// Listen returns the topics that others notify of. The empty one says that some
	// may have been lost. The channel is closed when ctx ends.
	Listen(ctx context.Context) <-chan string
}

// Sweeper lets go of what is stored and not needed any more.
type Sweeper interface {
	SweepThreads(ctx context.Context, before time.Time) (int, error)
	SweepVersions(ctx context.Context, before time.Time) (int, error)
	SweepTombstones(ctx context.Context, before time.Time, upTo int64) error
	VersionInUse(ctx context.Context, hash string) (bool, error)
	// Discarded are the hashes whose originals may be deleted, and nothing else
	// may: a database that is not the one of this directory lists none of its
	// files.
	Discarded(ctx context.Context, page ibid.Page) (hashes []string, next string, err error)
	ForgetDiscarded(ctx context.Context, hash string) error
	// ListsVersion reports whether an original is in use, or discarded.
	ListsVersion(ctx context.Context, hash string) (bool, error)
	// MergeNames makes searches for parts of names fast again after many changes.
	MergeNames(ctx context.Context) error
}

// Library reads what is stored.
type Library interface {
	Document(ctx context.Context, view access.View, id string) (ibid.Document, error)
	// HasVersion reports whether a document, removed or not, has or had a version.
	HasVersion(ctx context.Context, view access.View, documentID, version string) (bool, error)
	// DocumentChunks returns a page of a document's passages, in the order of its text.
	DocumentChunks(ctx context.Context, view access.View, documentID string, page ibid.Page) (passages []ibid.Chunk, next string, err error)
	// Chunks returns those of some chunks that there are.
	Chunks(ctx context.Context, view access.View, ids []string) ([]ibid.Chunk, error)
	// Changes are what an engine is fed with.
	Changes(ctx context.Context, after int64, limit int) ([]ibid.Change, error)
	LastChange(ctx context.Context, documentID string) (ibid.Change, error)
	LastNumber(ctx context.Context) (int64, error)
}

// Divider gives documents that were taken in before there were sections and
// sentences theirs.
type Divider interface {
	Undivided(ctx context.Context, page ibid.Page) (documentIDs []string, next string, err error)
	Extract(ctx context.Context, view access.View, documentID, version string) (ibid.Extract, error)
	Divide(ctx context.Context, documentID string, chunks []ibid.Chunk) error
}

// Graph keeps what passages name.
type Graph interface {
	PassagesNamedBy(ctx context.Context, by ibid.NamedBy, limit int) ([]ibid.Chunk, error)
	PutNamings(ctx context.Context, namings []ibid.Naming, by ibid.NamedBy) error
	MarkNamed(ctx context.Context, chunkIDs []string, by ibid.NamedBy) error
	NamingCounts(ctx context.Context) (passages map[ibid.NamedBy]int, entities int, err error)
}

// Embeddings keeps vectors that cost something to make.
type Embeddings interface {
	Embeddings(ctx context.Context, space string, chunkIDs []string) (map[string][]float32, error)
	PutEmbeddings(ctx context.Context, space string, chunkIDs []string, vectors [][]float32) error
	AnyEmbedding(ctx context.Context, space string) (chunkID string, vector []float32, ok bool, err error)
	DropEmbeddings(ctx context.Context, space string) error
	// Fit is the built-in embedder as it was fitted last, by whichever process; name
	// is "" where it was not. The error of PutFit is a CONFLICT when the stored fit
	// is not the one named replaces any more.
	Fit(ctx context.Context) (name string, model []byte, err error)
	FitName(ctx context.Context) (string, error)
	PutFit(ctx context.Context, name string, model []byte, replaces string, at time.Time) error
}

// Blobs keeps originals (see package blob).
type Blobs interface {
	Receive(ctx context.Context, content io.Reader) (blob.Upload, error)
	File(ctx context.Context, hash string) (path string, release func(), err error)
	Open(ctx context.Context, hash string, from, n int64) (io.ReadCloser, error)
	Stat(ctx context.Context, hash string) (blob.Info, error)
	Delete(ctx context.Context, hash string, before time.Time) (gone bool, err error)
	List(ctx context.Context, page ibid.Page) (list []blob.Info, next string, err error)
}

// Original is a file that is to be read.
type Original struct {
	Path     string
	Name     string
	Password string // "" for none
	Killed   int    // how often its worker was killed from outside before
}

// Extractor reads files, in a process that can be killed. The error is an
// ErrWorkerKilled where that came from outside and the file may be tried again;
// the more often it was, the less is read beside it.
type Extractor interface {
	Extract(ctx context.Context, o Original, progress func(page, pages int)) (ibid.Extract, error)
	PageImage(ctx context.Context, path string, page, width int) ([]byte, error)
}

// Unpacker opens archives and messages.
type Unpacker interface {
	// Members calls each for every file that lies in a file; there are none in
	// one that is no archive. notice says what was left out. The error may be an
	// ErrWorkerKilled, as that of an Extractor.
	Members(ctx context.Context, o Original, each func(name string, data []byte) error) (notice string, err error)
}

// Config is what a Pipeline needs.
type Config struct {
	Dir        string  // where an older ibid has left a file that is taken over
	Disk       disk.FS // the file system of Dir; nil: this machine's
	Store      Store
	Leases     Leases
	Library    Library
	Sweeper    Sweeper
	Divider    Divider
	Graph      Graph
	Embeddings Embeddings
	Engine     Engine
	Blobs      Blobs // originals
	Extractor  Extractor
	Unpacker   Unpacker    // nil: archives are not unpacked
	Formats    format.List // of files: it says in which of them others lie
	// Embedder is the user's own; nil stands for the built-in one, which is
	// fitted on the library and fitted anew as it grows.
	Embedder    ibid.Embedder
	SetEmbedder func(ibid.Embedder) // told which embedder queries must use; nil: none yet
	// Namer is a model that is asked what passages name; nil: the heuristic alone.
	Namer   ibid.Model
	Workers int // documents at once; 2

	Owner    string        // names this process in leases
	Notifier Notifier      // nil where no other process works on the library
	Lease    time.Duration // on a document; 15 s

	// Damaged are the hashes of originals that were found to hold other bytes; nil:
	// none are known.
	Damaged     func(ctx context.Context) (map[string]bool, error)
	KeepRemoved time.Duration // how long texts and bytes outlive their removal or replacement; 7 days

	Now   func() time.Time
	NewID func() string
	Log   *slog.Logger
}

// Pipeline takes documents in. Open it, and Stop it.
type Pipeline struct {
	cfg       Config
	base      context.Context
	cancel    context.CancelFunc
	group     sync.WaitGroup
	wake      chan struct{}
	embed     chan struct{} // chunks may lack vectors
	unread    chan struct{} // passages may wait for the Namer
	changed   chan struct{} // another process may have changed the library
	feedEvery time.Duration
	jobs      jobs
	slots     slots
	opened    time.Time    // when Open was called
	beside    sync.RWMutex // held for writing by work that nothing may run beside

	taken     atomic.Int64 // documents since names were merged
	activity  activity
	passwords passwords
	tally     tally
	namer     namerState

	// bytes is held for reading from when an original is put in its place until
	// its document refers to it, and for writing while one is thrown away.
	bytes sync.RWMutex
	held  int // how many want no original to be thrown away; guarded by bytes

	// publish orders what becomes searchable: the database is changed and the engine
	// told of it under it.
	publish sync.Mutex
	feed    feed
	vectors vectorKeeper
}

// New returns a Pipeline that does nothing before Open.
func New(cfg Config) (*Pipeline, error) {
	if cfg.Workers == 0 {
		cfg.Workers = 2
	}
	cfg.Lease = cmp.Or(cfg.Lease, 15*time.Second)
	if cfg.KeepRemoved == 0 {
		cfg.KeepRemoved = 7 * 24 * time.Hour
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Damaged == nil {
		cfg.Damaged = func(context.Context) (map[string]bool, error) { return nil, nil }
	}
	if cfg.SetEmbedder == nil {
		cfg.SetEmbedder = func(ibid.Embedder) {}
	}
	if cfg.Disk == nil {
		cfg.Disk = disk.OS{}
	}
	p := &Pipeline{cfg: cfg, wake: make(chan struct{}, cfg.Workers), embed: make(chan struct{}, 1), unread: make(chan struct{}, 1), changed: make(chan struct{}, 1), slots: newSlots(), feedEvery: feedEvery}
	p.base, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Open brings the index up to date with the library and begins to work on what
// waits.
func (p *Pipeline) Open(ctx context.Context) error {
	if err := p.bringUp(ctx); err != nil {
		return err
	}
	if p.cfg.Notifier != nil {
		topics := p.cfg.Notifier.Listen(p.base)
		p.group.Go(func() { p.listen(topics) })
	}
	p.group.Go(p.lookLoop)
	for range p.cfg.Workers {
		p.group.Go(p.workLoop)
		p.nudge()
	}
	p.group.Go(p.embedLoop)
	p.group.Go(p.feedLoop)
	p.group.Go(p.sweepLoop)
	p.group.Go(p.divideAll)
	p.group.Go(p.nameLoop)
	return nil
}

// bringUp makes the index agree with the library, lets what was in work wait, and
// finishes what was half done.
func (p *Pipeline) bringUp(ctx context.Context) error {
	if err := p.openFeed(ctx); err != nil {
		return err
	}
	if err := p.openVectors(ctx); err != nil {
		return err
	}
	p.opened = p.cfg.Now()
	if err := p.releaseLost(ctx); err != nil {
		return err
	}
	if err := p.finishRestores(ctx); err != nil {
		return fmt.Errorf("finish restoring removed documents: %w", err)
	}
	return nil
}

// Stop ends the work under way, to be begun again at the next Open. It may be called
// more than once.
func (p *Pipeline) Stop() {
	p.cancel()
	p.group.Wait()
	p.release()
}

// nudge lets a worker look for waiting documents now.
func (p *Pipeline) nudge() { nudge(p.wake) }

// nudge tells the loop at a channel that there may be something to do. It waits for
// nobody: a nudge that is not taken yet stands for this one, too.
func nudge(loop chan<- struct{}) {
	select {
	case loop <- struct{}{}:
	default:
	}
}

// Original returns a version's bytes, to be closed; version "" is the current one.
func (p *Pipeline) Original(ctx context.Context, view access.View, documentID, version string) (*blob.Reader, error) {
	version, err := p.versionOf(ctx, view, documentID, version)
	if err != nil {
		return nil, err
	}
	info, err := p.cfg.Blobs.Stat(ctx, version)
	if err != nil {
		return nil, err
	}
	return blob.NewReader(ctx, p.cfg.Blobs, info), nil
}

func (p *Pipeline) versionOf(ctx context.Context, view access.View, documentID, version string) (string, error) {
	if version == "" {
		d, err := p.cfg.Library.Document(ctx, view, documentID)
		return d.Version, err
	}
	has, err := p.cfg.Library.HasVersion(ctx, view, documentID, version)
	if err == nil && !has {
		err = ibid.Errorf(ibid.CodeNotFound, "there is no version %s of document %s", version, documentID)
	}
	return version, err
}

// PageImage renders a page of a version as PNG; width is in pixels.
func (p *Pipeline) PageImage(ctx context.Context, view access.View, documentID, version string, page, width int) ([]byte, error) {
	version, err := p.versionOf(ctx, view, documentID, version)
	if err != nil {
		return nil, err
	}
	path, release, err := p.cfg.Blobs.File(ctx, version)
	if err != nil {
		return nil, err
	}
	defer release()
	return p.cfg.Extractor.PageImage(ctx, path, page, width)
}

// oneLine is what a person is told of an error.
func oneLine(err error) string {
	var known *ibid.Error
	text := err.Error()
	if errors.As(err, &known) {
		text = known.Message
		if known.Hint != "" {
			text += "; " + known.Hint
		}
	}
	return strings.Join(strings.Fields(text), " ")
}
