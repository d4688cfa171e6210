// Package app puts the program together over one data directory, and says how it
// is: settings, status, doctor, inventory.
package app

import (
	"cmp"
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
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/app/adding"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/app/upkeep"
	"ibid/internal/backup"
	"ibid/internal/blob/dir"
	"ibid/internal/client"
	"ibid/internal/database"
	"ibid/internal/disk"
	"ibid/internal/document"
	"ibid/internal/engine/local"
	"ibid/internal/fetch"
	"ibid/internal/ingest"
	"ibid/internal/llm"
	"ibid/internal/reader"
	"ibid/internal/run"
	"ibid/internal/sandbox"
	"ibid/internal/search"
	"ibid/internal/server"
	"ibid/internal/store/sqlite"
	"ibid/internal/tool"
	"ibid/internal/websearch"
	"ibid/web"
)

// App is the whole program over one data directory: the floors put together.
//
//	sqlite ◀── run ──▶ agent ──▶ tools ──▶ search ──▶ index
//	   ▲                                               ▲
//	   └───────────── ingest ──▶ extract (workers) ────┘
//	              server (HTTP) over all of them
type App struct {
	cfg      config.Config
	log      *slog.Logger
	DB       *sqlite.DB
	engine   *local.Kept
	readers  *document.Pool
	Pipeline *ingest.Pipeline
	searcher *search.Searcher
	answers  *search.AnswerCache
	choices  []*choice  // models that may answer, the default first
	model    ibid.Model // the default
	planner  ibid.Model
	embedder ibid.Embedder // the user's own; nil for the built-in one
	runner   *run.Runner
	server   *server.Server
	catalog  *database.Catalog
	watched  *adding.Folders
	upkeep   *upkeep.Upkeep
	web      *websearch.Engine // nil until it is set up
	fetcher  *fetch.Fetcher    // of pages for the model; nil until then
	painter  *llm.Painter      // nil until it is set up
	reranker search.Reranker
	programs *sandbox.Runner
	trimmer  *trimmer    // nil until Start
	open     atomic.Bool // everything is up
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

func (a *App) build(ctx context.Context) error {
	var err error
	if a.DB, err = datadir.Open(ctx, a.cfg.Data, a.cfg.Recovering, a.log); err != nil {
		return err
	}
	self, err := a.DB.Join()
	if err != nil {
		return err
	}
	if err := a.openModels(); err != nil {
		return err
	}
	if err := a.openWeb(); err != nil {
		return err
	}
	if a.programs, err = sandbox.New(sandbox.Config{}); err != nil {
		return err
	}
	a.engine = local.NewKept(local.KeptConfig{Path: filepath.Join(a.cfg.Data, datadir.SnapshotName), Library: a.DB,
		Slot: func() (release func()) { return a.Pipeline.Slot() }, Log: a.log})
	if a.reranker, err = OpenReranker(a.cfg, func() ibid.Embedder { return a.searcher.Embedder() }); err != nil {
		return err
	}
	a.searcher = search.New(search.Config{Engine: a.engine, Store: passages{a.DB}, Sections: a.DB, MaxLimit: 100, Reranker: a.reranker})
	a.answers = search.NewAnswerCache(a.DB, a.searcher.Embedder)
	a.readers, err = document.New(document.Config{CacheDir: filepath.Join(a.cfg.Data, "cache"), Workers: 2, OCRLanguages: a.cfg.OCRLanguages, Formats: a.formats(),
		Limits: document.Limits{Timeout: a.cfg.Limits.ExtractTime, InputBytes: int64(a.cfg.Limits.FileMB) << 20}})
	if err != nil {
		return err
	}
	originals, err := dir.Open(disk.OS{}, filepath.Join(a.cfg.Data, "files"))
	if err != nil {
		return err
	}
	a.Pipeline, err = ingest.New(ingest.Config{
		Dir:         a.cfg.Data,
		Owner:       self.Owner(),
		Notifier:    self,
		Store:       a.DB,
		Leases:      a.DB,
		Library:     a.DB,
		Sweeper:     a.DB,
		Divider:     a.DB,
		Graph:       a.DB,
		Embeddings:  a.DB,
		Engine:      a.engine,
		Blobs:       originals,
		Extractor:   files{a.readers},
		Unpacker:    files{a.readers},
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
	if err != nil {
		return err
	}
	a.catalog = openCatalog(a.cfg, a.DB, a.log)
	if a.watched, err = adding.OpenFolders(ctx, a.DB, config.IsLoopback(a.cfg.Addr)); err != nil {
		return err
	}
	if a.upkeep, err = upkeep.New(a.cfg, a.DB, backup.Config{Copy: a.DB.CopyTo, Hold: a.Pipeline.HoldOriginals}, a.log); err != nil {
		return err
	}
	// Who asks over HTTP may be anybody that the server lets in, so hosts of the
	// local network are reached only where web_hosts names them.
	fetcher, err := newFetcher(a.cfg, config.HostList(a.cfg.WebHosts), false)
	if err != nil {
		return err
	}
	a.runner = run.New(run.Config{
		Store:           a.DB,
		Leases:          a.DB,
		Threads:         a.DB,
		Answer:          a.answer,
		Owner:           self.Owner(),
		Notifier:        self,
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

func (a *App) openModels() error {
	var err error
	if a.choices, err = openChoices(a.cfg); err != nil {
		return err
	}
	a.model = a.choices[0].model
	if a.cfg.PlanModel != "" {
		if a.planner, err = OpenModel(a.cfg, a.cfg.PlanModel); err != nil {
			return err
		}
	}
	a.embedder, err = OpenEmbedder(a.cfg)
	return err
}

// namer is the model that says what passages name; nil for the heuristic alone.
func (a *App) namer() ibid.Model {
	if a.cfg.Entities != config.EntitiesModel || a.cfg.Model == config.BuiltInModel {
		return nil
	}
	return a.model
}

// OpenReranker returns what cfg.Rerank names, nil for none. embedder returns the
// one in use.
func OpenReranker(cfg config.Config, embedder func() ibid.Embedder) (search.Reranker, error) {
	switch cfg.Rerank {
	case config.RerankOff:
		return nil, nil
	case config.RerankMaxSim:
		return search.NewMaxSim(embedder), nil
	}
	return llm.OpenReranker(llm.Config{Spec: cfg.Rerank, APIKey: cfg.RerankKey})
}

func OpenModel(cfg config.Config, spec string) (ibid.Model, error) {
	if spec == config.BuiltInModel {
		return reader.New(), nil
	}
	return llm.Open(llm.Config{Spec: spec, APIKey: cfg.APIKey, ContextTokens: cfg.ContextTokens, Dialects: cfg.Dialects})
}

// OpenEmbedder opens the user's own embedder; nil stands for the built-in one.
func OpenEmbedder(cfg config.Config) (ibid.Embedder, error) {
	if cfg.Embedder == config.BuiltInEmbedder {
		return nil, nil
	}
	return llm.OpenEmbedder(llm.Config{Spec: cfg.Embedder, APIKey: cfg.EmbedderKey, Dialects: cfg.Dialects})
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
	if a.readers != nil {
		a.readers.Stop()
	}
	if a.catalog != nil {
		a.catalog.Close()
	}
	if a.DB != nil {
		return a.DB.Close()
	}
	return nil
}

// answer lets a fresh agent answer one question.
func (a *App) answer(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
	chosen, err := a.chosen(task.Request.Model)
	if err != nil {
		return agent.Outcome{}, err
	}
	documents, exact, err := a.DB.CountDocuments(ctx, task.View, ibid.DocumentQuery{Scope: task.Request.Scope})
	if err != nil {
		return agent.Outcome{}, err
	}
	some, _, err := a.DB.Documents(ctx, task.View, ibid.DocumentQuery{Scope: task.Request.Scope}, ibid.Page{Limit: namedDocumentsInPrompt})
	if err != nil {
		return agent.Outcome{}, err
	}
	task.Library = holdings(documents, exact, some)
	task.NoDocuments = documents == 0 && task.Request.Scope.IsZero()
	databases, err := a.catalog.Databases(ctx, task.View, task.Request.Scope)
	if err != nil {
		return agent.Outcome{}, err
	}
	task.Databases = describeDatabases(databases)
	sees := chosen.sees(ctx)
	if task.Request.Attachments, err = a.attached(ctx, task, sees); err != nil {
		return agent.Outcome{}, err
	}
	cfg := agent.Config{
		Model: chosen.model, Planner: a.planner, Judge: chosen.writer(), Fallback: reader.New(),
		Limits:  agent.Limits{ToolCalls: a.cfg.Limits.ToolCalls, ModelRequests: a.cfg.Limits.ModelRequests},
		Grading: agent.Judging(a.cfg.Grading), Verification: agent.Judging(a.cfg.Verification), Parents: a.DB.Parents, Around: a.DB.Around,
		Now: time.Now, NewID: newID, Log: a.log,
	}
	texts := a.fileTexts()
	cfg.FilePassages = texts.Passages
	there, err := a.DB.Files(ctx, task.View, task.ThreadID)
	if err != nil {
		return agent.Outcome{}, err
	}
	has := tool.Resources{HasFiles: len(there) > 0, Sees: sees}
	if len(databases) > 0 {
		has.Databases = a.catalog
	}
	cfg.Tools = a.offered(chosen, task.Request, has)
	if sees {
		cfg.PageImage = a.pageImage
	}
	before, err := a.answersFor(ctx, task, databases)
	if err != nil {
		return agent.Outcome{}, err
	}
	// An answer that files of its conversation may have gone into is for nobody else.
	cached := a.cfg.Cache == config.CacheOn && len(there) == 0
	if cached {
		cfg.Cache = before
	}
	out, err := agent.Run(ctx, cfg, task, emit)
	if err == nil && cached {
		before.keep(ctx, task, out)
	}
	return out, err
}

// pageWidth is how wide a page is drawn for a model, in pixels: print is legible
// and the picture is not cut into many tiles.
const pageWidth = 1000

func (a *App) pageImage(ctx context.Context, view access.View, page ibid.PageRef) (ibid.Image, error) {
	if page.File != "" {
		return a.picture(ctx, view, page.File)
	}
	png, err := a.Pipeline.PageImage(ctx, view, page.DocumentID, page.Version, page.Page, pageWidth)
	return ibid.Image{MIME: "image/png", Data: png}, err
}

// namedDocumentsInPrompt is how many documents a model is told the names of.
const namedDocumentsInPrompt = 12

// holdings are what the model is told that there is to search: how many documents, or
// more than so many where that is not exact, and some by name.
func holdings(documents int, exact bool, some []ibid.Document) *ibid.Holdings {
	h := ibid.Holdings{Documents: documents, Exact: exact || documents == 0}
	for _, d := range some {
		h.Titles = append(h.Titles, cmp.Or(d.Title, d.Name))
	}
	return &h
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

// passages is the database as search wants it.
type passages struct{ *sqlite.DB }

// Documents returns the named documents.
func (p passages) Documents(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error) {
	return p.DocumentsByID(ctx, view, ids)
}

// shelf is the database as tools want it.
type shelf struct{ *sqlite.DB }

// Text returns what the searched version of a document says.
func (s shelf) Text(ctx context.Context, view access.View, documentID string) (ibid.Extract, error) {
	return s.Extract(ctx, view, documentID, "")
}

// finder searches in the way that is configured, where a query does not say,
// and returns no more passages than is configured.
type finder struct {
	*search.Searcher
	mode search.Mode
	most int
}

// Search returns the best passages.
func (f finder) Search(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	q.Mode = cmp.Or(q.Mode, f.mode)
	q.Limit = min(q.Limit, f.most)
	return f.Searcher.Search(ctx, view, q)
}

// Among ranks passages that were found in another way.
func (f finder) Among(ctx context.Context, view access.View, q search.Query, chunkIDs []string) (search.Result, error) {
	q.Mode = cmp.Or(q.Mode, f.mode)
	q.Limit = min(q.Limit, f.most)
	return f.Searcher.Among(ctx, view, q, chunkIDs)
}

// Propositions returns the best sentences.
func (f finder) Propositions(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	q.Mode = cmp.Or(q.Mode, f.mode)
	q.Limit = min(q.Limit, f.most)
	return f.Searcher.Propositions(ctx, view, q)
}

// files is the worker pool as ingest wants it.
type files struct{ *document.Pool }

// Extract reads a file.
func (f files) Extract(ctx context.Context, o ingest.Original, progress func(page, pages int)) (ibid.Extract, error) {
	req := document.Request{Path: o.Path, Name: o.Name, Password: o.Password, Killed: o.Killed}
	return f.Pool.Extract(ctx, req, func(p document.Progress) { progress(p.Page, p.Pages) })
}

// Members opens an archive or a message.
func (f files) Members(ctx context.Context, o ingest.Original, each func(name string, data []byte) error) (notice string, err error) {
	req := document.Request{Path: o.Path, Name: o.Name, Killed: o.Killed}
	return f.Pool.Members(ctx, req, func(m document.Member) error { return each(m.Name, m.Data) })
}

// PageImage renders a page.
func (f files) PageImage(ctx context.Context, path string, page, width int) ([]byte, error) {
	return f.RenderPage(ctx, document.Request{Path: path}, page, width) // without a password: none is kept
}
