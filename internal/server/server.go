// Package server is the HTTP side of the house: routes, who may call them, and
// how runs and the library look from outside (docs/api.md). It holds no state
// of its own that matters: whatever it says can be read again from the log.
package server

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/blob"
	"ibid/internal/engine"
	"ibid/internal/fetch"
	"ibid/internal/ingest"
	"ibid/internal/run"
	"ibid/internal/search"
	"ibid/internal/server/api"
	"ibid/internal/tool"
)

// Threads keeps conversations.
type Threads interface {
	Threads(ctx context.Context, view access.View, q ibid.ThreadQuery, page ibid.Page) (threads []ibid.Thread, next string, err error)
	Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error)
	SetThread(ctx context.Context, view access.View, id, title, headID string) error
	ShowBranch(ctx context.Context, view access.View, threadID, messageID string) error
	RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error
	// RestoreThread takes the removal of a thread back, if it was removed at since
	// or later.
	RestoreThread(ctx context.Context, view access.View, id string, since time.Time) error
	// Removed lists what was removed at since or later, of all kinds, without Until.
	Removed(ctx context.Context, view access.View, since time.Time, page ibid.Page) (removed []ibid.Removed, next string, err error)
	LiveRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
	LatestRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
}

// Branches reads conversations in parts, oldest message first in each. The cursors
// next and newer lead to the parts before and after.
type Branches interface {
	Branch(ctx context.Context, view access.View, threadID, headID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	BranchAround(ctx context.Context, view access.View, threadID, headID, messageID string, limit int) (messages []ibid.Message, next, newer string, err error)
	BranchAfter(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, newer string, err error)
	Messages(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	// Siblings returns the versions of some messages, ibid.MaxLimit of each at most: as often as each was asked or
	// answered anew.
	Siblings(ctx context.Context, view access.View, messageIDs []string) (map[string][]string, error)
}

// Messages keeps what was said and the logs behind it.
type Messages interface {
	Message(ctx context.Context, view access.View, id string) (ibid.Message, error)
	DeleteMessage(ctx context.Context, view access.View, id string) error
	Run(ctx context.Context, view access.View, id string) (*ibid.Run, error)
	Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error)
	File(ctx context.Context, view access.View, messageID string, n int) (ibid.File, error)
}

// Library reads the documents.
type Library interface {
	// Documents returns a page of the documents that a query asks for.
	Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) (docs []ibid.Document, next string, err error)
	// KnownCount returns how many those are, where that is known without counting.
	KnownCount(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, known bool, err error)
	Counts
	// DocumentsFrom returns a page of the documents whose source begins with a prefix.
	DocumentsFrom(ctx context.Context, view access.View, prefix string, page ibid.Page) (docs []ibid.Document, next string, err error)
	Document(ctx context.Context, view access.View, id string) (ibid.Document, error)
	// Known returns those of some ids that are documents', removed ones among them.
	Known(ctx context.Context, view access.View, ids []string) ([]string, error)
	DocumentsByID(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error)
	Extract(ctx context.Context, view access.View, documentID, version string) (ibid.Extract, error)
}

// Counts are how many documents there are, of each kind.
type Counts interface {
	Totals(ctx context.Context, view access.View) (ibid.LibraryCounts, error)
	// Folders returns a page of the folders that a query asks for, by path.
	Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) (folders []ibid.FolderCount, next string, err error)
	// Categories and Tags return a page of those in use that have called in them, by name.
	Categories(ctx context.Context, view access.View, called string, page ibid.Page) (categories []ibid.LabelCount, next string, err error)
	Tags(ctx context.Context, view access.View, called string, page ibid.Page) (tags []ibid.LabelCount, next string, err error)
}

// Pipeline changes the documents.
type Pipeline interface {
	Add(ctx context.Context, view access.View, f ingest.File, content io.Reader) (ingest.Added, error)
	// Unchanged returns for each file the document that adding it would leave as it
	// is, or nil.
	Unchanged(ctx context.Context, view access.View, files []ingest.Known) ([]*ibid.Document, error)
	Describe(ctx context.Context, view access.View, documentID string, change ingest.Description) (ibid.Document, error)
	Cancel(ctx context.Context, view access.View, documentID string) (ibid.Document, error)
	Retry(ctx context.Context, view access.View, documentID string) (ibid.Document, error)
	Remove(ctx context.Context, view access.View, documentID string) error
	Restore(ctx context.Context, view access.View, documentID string) (ibid.Document, error)
	Queue(ctx context.Context, view access.View) (ingest.Queue, error)
	Activity(after int64) (ids []string, last int64, wake <-chan struct{}, complete bool)
}

// Fetcher gets pages of the web. Its errors are *ibid.Error.
type Fetcher interface {
	Get(ctx context.Context, rawURL string) (fetch.Page, error)
}

// Originals are the files behind the documents.
type Originals interface {
	Original(ctx context.Context, view access.View, documentID, version string) (*blob.Reader, error)
	PageImage(ctx context.Context, view access.View, documentID, version string, page, width int) (png []byte, err error)
}

// Config is what the server serves.
type Config struct {
	Runner    *run.Runner
	Formats   []api.Format  // what GET /v1/formats lists
	Tools     tool.Registry // what GET /v1/tools lists, and what the protocols know of tools
	Threads   Threads
	Messages  Messages
	Branches  Branches
	Library   Library
	Pipeline  Pipeline
	Originals Originals
	// FileText reads a file of a message. Its errors are *ibid.Error where the file
	// cannot be read.
	FileText   func(ctx context.Context, view access.View, f ibid.File) (ibid.Extract, error)
	Fetcher    Fetcher // of documents that are added by their URL; nil: none are
	Databases  Databases
	Watches    Watches
	Upkeep     Upkeep
	Searcher   *search.Searcher
	SearchMode search.Mode                           // of a search that does not say
	Status     func(ctx context.Context) api.Status  // GET /v1/status
	Doctor     func(ctx context.Context) []api.Check // GET /v1/doctor
	// Repair builds the search index anew from the database: POST /v1/doctor/repair
	Repair func(ctx context.Context) (engine.Agreement, error)
	// Inventory says what is stored and where: GET /v1/inventory
	Inventory func(ctx context.Context) (api.Inventory, error)
	// Settings says what is set, and Try whether what a setting names answers:
	// GET /v1/settings, POST /v1/settings/{key}/test
	Settings func() api.Settings
	Try      func(ctx context.Context, key string) (api.Trial, error)
	Ready    func(ctx context.Context) error // nil when everything is open
	// Forceable says why a question cannot demand a tool: there is none of that
	// name, or it is not set up. nil lets every name pass.
	Forceable func(tool string) error
	// Choosable says why a question cannot ask for a model.
	Choosable func(model string) error
	Page      fs.FS // the web page; nil where it was not built

	Token          string                               // when set, every call must carry it
	Principal      func(r *http.Request) ibid.Principal // who asks; nil: ibid.Owner, always
	Owner          string                               // the word of server.json, by which requests may name paths of this machine
	Hosts          []string                             // host names that may be asked for without a token, besides loopback
	Heartbeat      time.Duration
	WriteTimeout   time.Duration // for one frame; a reader that takes longer is dropped and may resume
	ReadTimeout    time.Duration // in which leastProgress bytes of a request's body must come; 30 s
	MaxRequests    int           // that are held at once, streams among them; 1000
	MaxUploadBytes int64
	KeepRemoved    time.Duration // how long what was removed can be restored; 7 days
	// MaxAttachmentBytes bounds the files of one question together; 20 MiB
	MaxAttachmentBytes int64

	Now   func() time.Time
	NewID func() string
	Log   *slog.Logger
}

// Server answers HTTP requests.
type Server struct {
	cfg     Config
	held    atomic.Int64 // requests
	watched *recentSet   // runs that a reader has seen to their end
}

// New returns a server; zero durations and sizes take their defaults.
func New(cfg Config) *Server {
	cfg.Heartbeat = cmp.Or(cfg.Heartbeat, 15*time.Second)
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, 20*time.Second)
	cfg.ReadTimeout = cmp.Or(cfg.ReadTimeout, 30*time.Second)
	cfg.MaxRequests = cmp.Or(cfg.MaxRequests, 1000)
	cfg.MaxUploadBytes = cmp.Or(cfg.MaxUploadBytes, 1<<30)
	cfg.KeepRemoved = cmp.Or(cfg.KeepRemoved, 7*24*time.Hour)
	cfg.MaxAttachmentBytes = cmp.Or(cfg.MaxAttachmentBytes, 20<<20)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg, watched: newRecentSet(1000)}
}

// Handler returns all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.ready)

	routes := http.NewServeMux()
	routes.HandleFunc("GET /v1/status", s.status)
	routes.HandleFunc("GET /v1/tools", s.listTools)
	routes.HandleFunc("GET /v1/formats", s.listFormats)
	routes.HandleFunc("GET /v1/doctor", s.doctor)
	routes.HandleFunc("POST /v1/doctor/repair", s.repair)
	routes.HandleFunc("GET /v1/inventory", s.inventory)
	routes.HandleFunc("GET /v1/settings", s.settings)
	routes.HandleFunc("POST /v1/settings/{key}/test", s.trySetting)
	routes.HandleFunc("POST /v1/backup", s.postBackup)
	routes.HandleFunc("POST /v1/mend", s.postMend)
	routes.HandleFunc("POST /v1/scrub", s.postScrub)

	// The native protocol (docs/protocols.md).
	routes.HandleFunc("GET /v1/threads", s.listThreads)
	routes.HandleFunc("GET /v1/threads/{id}", s.getThread)
	routes.HandleFunc("PATCH /v1/threads/{id}", s.changeThread)
	routes.HandleFunc("DELETE /v1/threads/{id}", s.deleteThread)
	routes.HandleFunc("POST /v1/threads/{id}/restore", s.restoreThread)
	routes.HandleFunc("POST /v1/threads/{id}/user_message", s.postUserMessage)
	routes.HandleFunc("GET /v1/threads/{id}/stream", s.streamThread)
	routes.HandleFunc("POST /v1/threads/{id}/stop", s.stopThread)
	routes.HandleFunc("GET /v1/threads/{id}/messages", s.listMessages)
	routes.HandleFunc("GET /v1/messages/{id}", s.getMessage)
	routes.HandleFunc("DELETE /v1/messages/{id}", s.deleteMessage)
	routes.HandleFunc("GET /v1/messages/{id}/files/{n}", s.messageFile)
	routes.HandleFunc("GET /v1/messages/{id}/files/{n}/text", s.messageFileText)
	routes.HandleFunc("GET /v1/messages/{id}/events", s.messageEvents)

	// The library.
	routes.HandleFunc("GET /v1/documents", s.listDocuments)
	routes.HandleFunc("POST /v1/documents", s.addDocuments)
	routes.HandleFunc("POST /v1/documents/unchanged", s.unchangedDocuments)
	routes.HandleFunc("GET /v1/documents/{id}", s.getDocument)
	routes.HandleFunc("PATCH /v1/documents/{id}", s.describeDocument)
	routes.HandleFunc("DELETE /v1/documents/{id}", s.removeDocument)
	routes.HandleFunc("POST /v1/documents/{id}/restore", s.restoreDocument)
	routes.HandleFunc("GET /v1/removed", s.listRemoved)
	routes.HandleFunc("POST /v1/documents/{id}/cancel", s.cancelDocument)
	routes.HandleFunc("POST /v1/documents/{id}/retry", s.retryDocument)
	routes.HandleFunc("GET /v1/documents/events", s.libraryEvents)
	routes.HandleFunc("GET /v1/documents/{id}/events", s.documentEvents)
	routes.HandleFunc("GET /v1/documents/{id}/file", s.documentFile)
	routes.HandleFunc("GET /v1/documents/{id}/text", s.documentText)
	routes.HandleFunc("GET /v1/documents/{id}/pages/{page}/image", s.pageImage)
	routes.HandleFunc("GET /v1/folders", s.folders)
	routes.HandleFunc("GET /v1/categories", s.listCategories)
	routes.HandleFunc("GET /v1/tags", s.listTags)
	routes.HandleFunc("GET /v1/search", s.search)
	routes.HandleFunc("GET /v1/watches", s.listWatches)
	routes.HandleFunc("POST /v1/watches", s.addWatch)
	routes.HandleFunc("DELETE /v1/watches/{id}", s.removeWatch)

	// The databases.
	routes.HandleFunc("GET /v1/databases", s.listDatabases)
	routes.HandleFunc("POST /v1/databases", s.addDatabase)
	routes.HandleFunc("GET /v1/databases/{id}", s.getDatabase)
	routes.HandleFunc("DELETE /v1/databases/{id}", s.removeDatabase)
	routes.HandleFunc("POST /v1/databases/{id}/restore", s.restoreDatabase)
	routes.HandleFunc("POST /v1/databases/{id}/test", s.testDatabase)
	routes.HandleFunc("POST /v1/databases/{id}/query", s.queryDatabase)

	// The same runs in other protocols. POST asks, GET watches a run again.
	routes.HandleFunc("POST /rag", s.postRAG)
	routes.HandleFunc("GET /rag", s.watchRAG)
	routes.HandleFunc("POST /chat/stream", s.postChat)
	routes.HandleFunc("GET /chat/stream", s.watchChat)
	routes.HandleFunc("POST /chat/batch", s.postChatBatch)
	routes.HandleFunc("GET /api/messages/{id}", s.getChatMessage)
	routes.HandleFunc("POST /api/query/stream", s.postQuery)
	routes.HandleFunc("GET /api/query/stream", s.watchQuery)
	routes.HandleFunc("POST /api/chat/stream", s.postTokens)
	routes.HandleFunc("GET /api/chat/stream", s.getTokens)

	guarded := s.guard(routed(routes))
	for _, prefix := range []string{"/v1/", "/rag", "/chat/", "/api/"} {
		mux.Handle(prefix, guarded)
	}
	mux.Handle("/", s.named(s.page()))
	return s.recover(s.pace(mux))
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, api.Health{Status: api.HealthOK})
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.cfg.Ready(r.Context()); err != nil {
		writeJSON(w, http.StatusServiceUnavailable, api.Health{Status: "not ready", Reason: err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, api.Health{Status: "ready"})
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, s.cfg.Status(r.Context()))
}

func (s *Server) settings(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.cfg.Settings())
}

func (s *Server) trySetting(w http.ResponseWriter, r *http.Request) {
	result, err := s.cfg.Try(r.Context(), r.PathValue("key"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, result)
}

func (s *Server) doctor(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, api.Checks{Checks: s.cfg.Doctor(r.Context())})
}

// repair answers what was wrong before, and how long it took to mend.
func (s *Server) repair(w http.ResponseWriter, r *http.Request) {
	began := s.cfg.Now()
	before, err := s.cfg.Repair(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Repaired{Agreement: before, TookMS: s.cfg.Now().Sub(began).Milliseconds()})
}

func (s *Server) inventory(w http.ResponseWriter, r *http.Request) {
	inventory, err := s.cfg.Inventory(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, inventory)
}
