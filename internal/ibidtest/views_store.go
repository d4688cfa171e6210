package ibidtest

import (
	"context"
	"time"

	"ibid"
	"ibid/internal/access"
)

// ViewStore is everything of a store that is read, or changed for somebody, through a
// view, and what a test needs to fill one.
type ViewStore interface {
	DocumentStore
	StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error
	ClaimQueued(ctx context.Context, runID, owner string, lease time.Duration) (*ibid.Run, error)
	FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error
	SetFileText(ctx context.Context, messageID string, n int, x ibid.Extract) error
	KeepAnswered(ctx context.Context, a ibid.Answered) error
	PutDatabase(ctx context.Context, d ibid.Database) error

	Answered(ctx context.Context, view access.View, key, notOfThread string, limit int) ([]ibid.Answered, error)
	Members(ctx context.Context, view access.View, archiveID string, page ibid.Page) (documents []ibid.Document, next string, err error)
	Below(ctx context.Context, view access.View, source string) (files int, bytes int64, err error)
	RetryDocument(ctx context.Context, view access.View, id string, at time.Time) (ibid.Document, error)
	Branch(ctx context.Context, view access.View, threadID, headID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	BranchAround(ctx context.Context, view access.View, threadID, headID, messageID string, limit int) (messages []ibid.Message, next, newer string, err error)
	BranchAfter(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, newer string, err error)
	ShowBranch(ctx context.Context, view access.View, threadID, messageID string) error
	Siblings(ctx context.Context, view access.View, messageIDs []string) (map[string][]string, error)
	Questions(ctx context.Context, view access.View, messageID string) (n int, err error)
	Chunks(ctx context.Context, view access.View, ids []string) ([]ibid.Chunk, error)
	DocumentChunks(ctx context.Context, view access.View, documentID string, page ibid.Page) (passages []ibid.Chunk, next string, err error)
	Parents(ctx context.Context, view access.View, chunkIDs []string) (map[string]ibid.Chunk, error)
	Around(ctx context.Context, view access.View, chunkIDs []string) (map[string][]ibid.Chunk, error)
	Sentences(ctx context.Context, view access.View, passageIDs []string) ([]ibid.Chunk, error)
	NamesOfVersions(ctx context.Context, view access.View, hashes []string) (map[string]string, error)
	Totals(ctx context.Context, view access.View) (c ibid.LibraryCounts, err error)
	Counts(ctx context.Context, view access.View) (documents, chunks, threads int, err error)
	LibraryVersion(ctx context.Context, view access.View) (version int64, err error)
	Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) (folders []ibid.FolderCount, next string, err error)
	Categories(ctx context.Context, view access.View, called string, page ibid.Page) (categories []ibid.LabelCount, next string, err error)
	Tags(ctx context.Context, view access.View, called string, page ibid.Page) (tags []ibid.LabelCount, next string, err error)
	FolderCalled(ctx context.Context, view access.View, scope ibid.Scope, wanted string) (folder string, ok bool, err error)
	Databases(ctx context.Context, view access.View, page ibid.Page) (databases []ibid.Database, next string, err error)
	RemoveDatabase(ctx context.Context, view access.View, id string, at time.Time) error
	RestoreDatabase(ctx context.Context, view access.View, id string) (d ibid.Database, err error)
	ChangeDocument(ctx context.Context, view access.View, id string, change func(*ibid.Document) error) (ibid.Document, error)
	CancelDocument(ctx context.Context, view access.View, id string) (ibid.Document, error)
	Files(ctx context.Context, view access.View, threadID string, page ibid.Page) (files []ibid.File, next string, err error)
	File(ctx context.Context, view access.View, messageID string, n int) (ibid.File, error)
	FileText(ctx context.Context, view access.View, messageID string, n int) (ibid.Extract, error)
	Namings(ctx context.Context, view access.View, documentID string, page ibid.Page) (namings []ibid.Naming, next string, err error)
	EntityKeys(ctx context.Context, view access.View, key string, limit int) ([]string, error)
	PassagesNaming(ctx context.Context, view access.View, keys []string, scope ibid.Scope, each int) (map[string][]string, error)
	Neighbours(ctx context.Context, view access.View, chunkIDs []string) (near []ibid.Neighbour, passages int, err error)
	Document(ctx context.Context, view access.View, id string) (ibid.Document, error)
	HasVersion(ctx context.Context, view access.View, documentID, version string) (has bool, err error)
	Known(ctx context.Context, view access.View, ids []string) ([]string, error)
	DocumentsByID(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error)
	Extract(ctx context.Context, view access.View, documentID, version string) (ibid.Extract, error)
	Messages(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	Message(ctx context.Context, view access.View, id string) (ibid.Message, error)
	DeleteMessage(ctx context.Context, view access.View, id string) error
	Called(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error)
	Mentioned(ctx context.Context, view access.View, scope ibid.Scope, question string) (candidates []ibid.Document, of int, err error)
	Alike(ctx context.Context, view access.View, scope ibid.Scope, folded string, limit int) ([]ibid.Document, error)
	Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) (docs []ibid.Document, next string, err error)
	CountDocuments(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, exact bool, err error)
	KnownCount(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, known bool, err error)
	QueueCounts(ctx context.Context, view access.View) (ibid.QueueCounts, error)
	Removed(ctx context.Context, view access.View, since time.Time, page ibid.Page) (removed []ibid.Removed, next string, err error)
	RemovedWith(ctx context.Context, view access.View, id string, since time.Time, page ibid.Page) (removed []ibid.Document, next string, err error)
	RestoreDocument(ctx context.Context, view access.View, id string, since time.Time, chunks []ibid.Chunk, named []ibid.Naming) (d ibid.Document, change int64, restored bool, err error)
	Run(ctx context.Context, view access.View, id string) (*ibid.Run, error)
	LiveRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
	LatestRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
	Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error)
	DocumentsBySource(ctx context.Context, view access.View, sources []string) ([]ibid.Document, error)
	DocumentsFrom(ctx context.Context, view access.View, prefix string, page ibid.Page) (documents []ibid.Document, next string, err error)
	Threads(ctx context.Context, view access.View, q ibid.ThreadQuery, page ibid.Page) (threads []ibid.Thread, next string, err error)
	Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error)
	SetThread(ctx context.Context, view access.View, id, title, headID string) error
	RemoveThread(ctx context.Context, view access.View, id string, at time.Time) error
	RestoreThread(ctx context.Context, view access.View, id string, since time.Time) error
}
