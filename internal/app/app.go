// Package app puts the program together over one data directory, and says how it
// is: settings, status, doctor, inventory.
package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"ibid"
	"ibid/internal/app/adding"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/app/upkeep"
	"ibid/internal/backup"
	"ibid/internal/blob/dir"
	"ibid/internal/client"
	"ibid/internal/database"
	"ibid/internal/document"
	"ibid/internal/engine/local"
	"ibid/internal/fetch"
	"ibid/internal/ingest"
	"ibid/internal/llm"
	"ibid/internal/run"
	"ibid/internal/sandbox"
	"ibid/internal/search"
	"ibid/internal/server"
	"ibid/internal/store/sqlite"
	"ibid/internal/store/sqlite/process"
	"ibid/internal/websearch"
	"ibid/web"
)

// App is the whole program over one data directory: the floors put together.
//
//	sqlite ◀── run ──▶ agent ──▶ tools ──▶ search ──▶ engine
//	   ▲                                                ▲
//	   └───────────── ingest ──▶ document (workers) ────┘
//	              server (HTTP) over all of them
type App struct {
	cfg config.Config
	log *slog.Logger
	DB  *sqlite.DB
	// Originals keeps the bytes of documents.
	Originals *dir.Store
	self      *process.Process // among the processes on this database
	engine    *local.Kept
	workers   *document.Pool
	Pipeline  *ingest.Pipeline
	searcher  *search.Searcher
	answers   *search.AnswerCache
	choices   []*choice  // models that may answer, the default first
	model     ibid.Model // the default
	planner   ibid.Model
	embedder  ibid.Embedder // the user's own; nil for the built-in one
	runner    *run.Runner
	server    *server.Server
	catalog   *database.Catalog
	watched   *adding.Folders
	upkeep    *upkeep.Upkeep
	web       *websearch.Engine // nil until it is set up
	fetcher   *fetch.Fetcher    // of pages for the model; nil until then
	painter   *llm.Painter      // nil until it is set up
	reranker  search.Reranker
	programs  *sandbox.Runner
	trimmer   *trimmer    // nil until Start
	open      atomic.Bool // everything is up
}

// Open puts the program together. It works on nothing before Start.
func Open(ctx context.Context, cfg config.Config) (Application, error) {
	collectEarly()
	a := &App{cfg: cfg, log: newLogger(cfg.LogLevel)}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.Stop())
	}
	return a, nil
}

// build puts the program together, each step over those before it.
func (a *App) build(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		a.openDatabase,  // and tell other processes that we are here
		a.openModels,    // that answer, plan and embed
		a.openWeb,       // nothing where it is not set up
		a.openSearch,    // the engine, and what asks it
		a.openPipeline,  // the workers that read files, and what becomes of files
		a.openDatabases, // that questions can be asked of
		a.openUpkeep,    // backups, and folders that are followed
		a.openRunner,    // which lets agents answer
		a.openServer,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) openDatabase(ctx context.Context) (err error) {
	a.Originals = datadir.Originals(a.cfg.Data)
	if a.DB, err = datadir.Open(ctx, a.cfg.Data, a.Originals, a.cfg.Recovering, a.log); err != nil {
		return err
	}
	a.self, err = a.DB.Join()
	return err
}

func (a *App) openSearch(context.Context) (err error) {
	a.engine = local.NewKept(local.KeptConfig{Path: filepath.Join(a.cfg.Data, datadir.SnapshotName), Library: a.DB,
		Slot: func() (release func()) { return a.Pipeline.Slot() }, Log: a.log})
	if a.reranker, err = OpenReranker(a.cfg, func() ibid.Embedder { return a.searcher.Embedder() }); err != nil {
		return err
	}
	a.searcher = search.New(search.Config{Engine: a.engine, Store: passages{a.DB}, Sections: a.DB, MaxLimit: 100, Reranker: a.reranker})
	a.answers = search.NewAnswerCache(a.DB, a.searcher.Embedder)
	return nil
}

func (a *App) openPipeline(context.Context) (err error) {
	a.workers, err = document.New(document.Config{CacheDir: filepath.Join(a.cfg.Data, "cache"), Workers: 2, OCRLanguages: a.cfg.OCRLanguages, Formats: a.formats(),
		Limits: document.Limits{Timeout: a.cfg.Limits.ExtractTime, InputBytes: int64(a.cfg.Limits.FileMB) << 20}})
	if err != nil {
		return err
	}
	if err := a.Originals.Begin(); ibid.CodeOf(err) == ibid.CodeAway && err != nil {
		a.log.Warn("originals can't be opened, read or added until they can be reached; search and answers go on", "error", err)
	} else if err != nil {
		return err
	}
	a.Pipeline, err = ingest.New(ingest.Config{
		Dir:         a.cfg.Data,
		Owner:       a.self.Owner(),
		Notifier:    a.self,
		Store:       a.DB,
		Leases:      a.DB,
		Library:     a.DB,
		Sweeper:     a.DB,
		Divider:     a.DB,
		Graph:       a.DB,
		Embeddings:  a.DB,
		Engine:      a.engine,
		Blobs:       a.Originals,
		Extractor:   files{a.workers},
		Unpacker:    files{a.workers},
		Formats:     a.formats(),
		Embedder:    a.embedder,
		Namer:       a.namer(),
		SetEmbedder: a.searcher.SetEmbedder,
		Damaged:     func(ctx context.Context) (map[string]bool, error) { return a.upkeep.Damaged(ctx) },
		KeepRemoved: a.cfg.Limits.KeepRemoved,
		Now:         time.Now,
		NewID:       newID,
		Log:         a.log,
	})
	return err
}

func (a *App) openDatabases(context.Context) error {
	a.catalog = openCatalog(a.cfg, a.DB, a.log)
	return nil
}

func (a *App) openUpkeep(ctx context.Context) (err error) {
	if a.watched, err = adding.OpenFolders(ctx, a.DB, config.IsLoopback(a.cfg.Addr)); err != nil {
		return err
	}
	a.upkeep, err = upkeep.New(a.cfg, a.DB, backup.Config{Copy: a.DB.CopyTo, Hold: a.Pipeline.HoldOriginals, Blobs: a.Originals}, a.log)
	return err
}

func (a *App) openRunner(context.Context) (err error) {
	if a.programs, err = sandbox.New(sandbox.Config{}); err != nil {
		return err
	}
	a.runner = run.New(run.Config{
		Store:           a.DB,
		Leases:          a.DB,
		Threads:         a.DB,
		Answer:          a.answer,
		Owner:           a.self.Owner(),
		Notifier:        a.self,
		MaxRuns:         a.cfg.Limits.Runs,
		MaxQueued:       a.cfg.Limits.QueuedRuns,
		Timeout:         a.cfg.Limits.AnswerTime,
		MemoryChars:     a.cfg.Limits.HistoryChars,
		HistoryMessages: a.cfg.Limits.HistoryMessages,
		Verb:            a.registry().Verb,
		Now:             time.Now,
		NewID:           newID,
		Log:             a.log,
	})
	return nil
}

func (a *App) openServer(context.Context) error {
	// Who asks over HTTP may be anybody that the server lets in, so hosts of the
	// local network are reached only where web_hosts names them.
	fetcher, err := newFetcher(a.cfg, config.HostList(a.cfg.WebHosts), false)
	if err != nil {
		return err
	}
	var page fs.FS
	if files, built := web.Files(); built {
		page = files
	}
	a.server = server.New(server.Config{
		Runner:             a.runner,
		Tools:              a.registry(),
		Formats:            listed(a.formats()),
		Threads:            a.DB,
		Messages:           a.DB,
		Branches:           a.DB,
		Library:            a.DB,
		Pipeline:           a.Pipeline,
		Originals:          a.Pipeline,
		FileText:           a.fileTexts().Text,
		Fetcher:            fetcher,
		Databases:          a.catalog,
		Watches:            a.watched,
		Upkeep:             a.upkeep,
		Searcher:           a.searcher,
		SearchMode:         search.Mode(a.cfg.SearchMode),
		Status:             a.status,
		Doctor:             a.doctor,
		Repair:             a.Pipeline.Rebuild,
		Inventory:          a.inventory,
		Settings:           a.settings,
		Try:                a.try,
		Ready:              a.ready,
		Forceable:          a.forceable,
		Choosable:          a.choosable,
		Page:               page,
		Token:              a.cfg.Token,
		Owner:              a.cfg.Owner,
		KeepRemoved:        a.cfg.Limits.KeepRemoved,
		MaxRequests:        a.cfg.Limits.Connections,
		MaxUploadBytes:     int64(a.cfg.Limits.FileMB) << 20,
		MaxAttachmentBytes: int64(a.cfg.Limits.AttachmentMB) << 20,
		Now:                time.Now,
		NewID:              newID,
		Log:                a.log,
	})
	return nil
}

// Handler answers HTTP requests.
func (a *App) Handler() http.Handler { return a.server.Handler() }

// Start brings the index up to date and goes on with what a process before us
// has left: documents that were being read, runs that were being answered.
func (a *App) Start(ctx context.Context) error {
	a.engine.Open()
	a.engine.Start()
	if err := a.Pipeline.Open(ctx); err != nil {
		return err
	}
	if err := a.catalog.Sweep(ctx); err != nil {
		a.log.Warn("cannot clear away removed databases", "error", err)
	}
	a.runner.Open()
	a.trimmer = newTrimmer()
	a.trimmer.Start()
	a.open.Store(true)
	return nil
}

// softStop is how long running answers may go on when the program stops.
const softStop = 3 * time.Second

// Work follows the watched folders, backs up and reads originals.
func (a *App) Work(ctx context.Context, self *client.Client) {
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		adding.Follow(ctx, self, a.watched)
	}()
	a.upkeep.KeepUp(ctx)
	<-ctx.Done()
	select {
	case <-followed:
	case <-time.After(softStop): // a file on a drive that hangs
	}
}

// Stop ends everything in the order in which it depends on one another. Runs
// that are not done are handed back and go on at the next start.
func (a *App) Stop() error {
	a.open.Store(false)
	if a.trimmer != nil {
		a.trimmer.Stop()
		a.trimmer = nil
	}
	if a.runner != nil {
		soft, cancel := context.WithTimeout(context.Background(), softStop)
		a.runner.Close(soft)
		cancel()
	}
	if a.Pipeline != nil {
		a.Pipeline.Stop()
	}
	if a.engine != nil {
		a.engine.Stop()
	}
	if a.workers != nil {
		a.workers.Stop()
	}
	if a.catalog != nil {
		a.catalog.Close()
	}
	if a.DB != nil {
		return a.DB.Close()
	}
	return nil
}

// newID returns a UUID that sorts by time (RFC 9562, version 7).
func newID() string { return uuid.Must(uuid.NewV7()).String() }

func newLogger(level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: l}))
}
