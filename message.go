package ibid

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Thread is a conversation. It exists from its first message on.
type Thread struct {
	Owner     Principal `json:"-"`
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	HeadID    string    `json:"head_id"` // the last message of the branch that is shown
	RunID     string    `json:"run_id,omitempty"`
	CreatedAt Time      `json:"created_at"`
	UpdatedAt Time      `json:"updated_at"`
}

// ThreadQuery says which threads a list holds; its zero value takes all.
type ThreadQuery struct {
	Text string // a part of the title, in upper or lower case
	ID   string // what the id begins with
}

// Status is how far a message, or the run that writes it, has come.
type Status string

// A run is queued, then running, then one of the four ends.
const (
	StatusQueued      Status = "queued"
	StatusRunning     Status = "running"
	StatusCompleted   Status = "completed"
	StatusStopped     Status = "stopped"     // by the user
	StatusInterrupted Status = "interrupted" // by us; the text it had was saved
	StatusFailed      Status = "failed"
)

// Done reports whether nothing more will happen.
func (s Status) Done() bool { return s != StatusQueued && s != StatusRunning && s != "" }

// Mode is how a question is answered.
type Mode string

// Agentic lets the model choose its tools; direct is a fixed pipeline; auto
// picks by the question.
const (
	ModeAuto    Mode = "auto"
	ModeAgentic Mode = "agentic"
	ModeDirect  Mode = "direct"
)

// Message is one contribution to a thread. An assistant message is a fold over
// the events of the run of the same id (see Fold).
type Message struct {
	ID           string          `json:"id"`
	ThreadID     string          `json:"thread_id"`
	ParentID     string          `json:"parent_id,omitempty"` // the message before it; siblings are branches
	Role         Role            `json:"role"`
	Kind         string          `json:"kind,omitempty"` // of the work that it came of; empty for answers
	Text         string          `json:"text"`           // citations as [chunk_id]
	Status       Status          `json:"status"`
	Reasoning    string          `json:"reasoning,omitempty"`
	Citations    []Citation      `json:"citations,omitempty"` // the footnotes, by number; in messages of older versions all that was found
	Found        []Citation      `json:"found,omitempty"`     // the passages that were found, cited or not
	Steps        []Step          `json:"steps,omitempty"`
	Work         json.RawMessage `json:"work,omitempty"`    // what came of work of another kind, in that kind's form
	Sources      []Source        `json:"sources,omitempty"` // web pages the model named
	Error        *RunFailed      `json:"error,omitempty"`
	Model        string          `json:"model,omitempty"`
	Retracted    int             `json:"retracted,omitempty"` // times streamed text was declared void
	Attempts     int             `json:"attempts,omitempty"`  // processes that worked on it
	Memory       *Memory         `json:"memory,omitempty"`
	Analysis     *QueryAnalyzed  `json:"analysis,omitempty"`
	Cache        *CacheChecked   `json:"cache,omitempty"`
	Grades       []Grade         `json:"grades,omitempty"` // the last verdict on each passage
	Verification *AnswerVerified `json:"verification,omitempty"`
	Finished     *Finished       `json:"finished,omitempty"`
	LastSeq      int64           `json:"last_seq,omitempty"` // of the run's log
	Request      *Request        `json:"request,omitempty"`  // of a user message: how it was asked
	CreatedAt    Time            `json:"created_at"`
}

// Source is a web page that an answer names.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Step is one finished or running tool call of a message's trace.
type Step struct {
	CallID     string     `json:"call_id"`
	Tool       string     `json:"tool"`
	Detail     string     `json:"detail,omitempty"`
	Iteration  int        `json:"iteration"`
	Done       bool       `json:"done"`
	OK         bool       `json:"ok"`
	Summary    string     `json:"summary,omitempty"`
	Error      string     `json:"error,omitempty"`
	DurationMS int64      `json:"duration_ms"`
	Retrieval  *Retrieval `json:"retrieval,omitempty"`
	Table      *Table     `json:"table,omitempty"`
	Files      []File     `json:"files,omitempty"` // pictures that were made
}

// Request is how a question was asked.
type Request struct {
	Text        string       `json:"text"`
	Mode        Mode         `json:"mode,omitempty"`
	Scope       Scope        `json:"scope,omitzero"`
	Think       Think        `json:"think,omitempty"`
	Model       string       `json:"model,omitempty"` // by name; "" is the server's default
	ForceTools  []string     `json:"force_tools,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Fresh       bool         `json:"fresh,omitempty"`      // no earlier answer may stand for this one: it was asked again
	TimeoutMS   int64        `json:"timeout_ms,omitempty"` // of the whole run; 0: the server's default
	// Options are what a kind of work is asked for besides, in that kind's form.
	Options json.RawMessage `json:"options,omitempty"`
}

// Attachment is a file or an image that came with a question. Data is set on its
// way in and where it was asked for; a message names its files without it.
type Attachment struct {
	Name       string `json:"name"`
	MIME       string `json:"mime"`
	Bytes      int64  `json:"bytes,omitempty"`
	Data       []byte `json:"data,omitempty"`
	DocumentID string `json:"document_id,omitempty"`
}

// File is a file of a message: one that came with a question, or a picture that
// an answer made.
type File struct {
	MessageID string `json:"message_id"`
	N         int    `json:"n"`                 // place within the message, from 0
	Version   string `json:"version,omitempty"` // VersionOf its bytes; "" where they were not at hand
	Attachment
}

// VersionOf is the hash of a file's bytes by which its versions are told apart,
// those of documents and those of attachments alike: the first 32 hex digits of
// their SHA-256.
func VersionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// ID names the file to a model, and is the DocumentID of what is cited from it:
// "<message id>:<n>".
func (f File) ID() string { return fmt.Sprintf("%s:%d", f.MessageID, f.N) }

// URL is where the file is served.
func (f File) URL() string { return fmt.Sprintf("/v1/messages/%s/files/%d", f.MessageID, f.N) }

// Answered is a question that was answered. Key says what the answer depended on:
// scope, versions of documents, model and settings.
type Answered struct {
	Key       string
	Question  string
	MessageID string // of the answer
	At        time.Time
}
