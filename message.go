package ibid

import (
	"encoding/json"
)

// Message is one contribution to a thread. An assistant message is a fold over
// the events of the run of the same id (see FoldEvents).
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
