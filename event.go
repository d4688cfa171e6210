package ibid

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is one entry of a run's append-only log. Seq starts at 1 and has no
// gaps. Run is the id of the assistant message that the run becomes.
type Event struct {
	Seq  int64
	Run  string
	At   time.Time
	Data EventData
}

// EventData is the typed content of an event.
type EventData interface{ EventType() string }

// RunStarted is the first event of a run, and stands again, with the next
// Attempt, whenever another process takes the run over.
type RunStarted struct {
	ThreadID      string `json:"thread_id"`
	UserMessageID string `json:"user_message_id"`
	MessageID     string `json:"message_id"`
	Mode          Mode   `json:"mode"`
	Scope         Scope  `json:"scope"`
	Attempt       int    `json:"attempt"`
	Kind          string `json:"kind,omitempty"` // of work; empty for answers
}

// RunQueued says that a run waits for a free place; Position counts from 1.
type RunQueued struct {
	Position int `json:"position"`
}

// QueryAnalyzed is what was made of the question before any model saw it.
// Standalone is set for a question that leans on what was said before ("and in
// 2023?"): the same question as it would be asked alone.
type QueryAnalyzed struct {
	Query      string   `json:"query"`
	Standalone string   `json:"standalone,omitempty"`
	Complexity string   `json:"complexity"` // simple, moderate, complex
	Mode       Mode     `json:"mode"`
	Decomposed bool     `json:"decomposed"`
	SubQueries []string `json:"sub_queries"`
}

// CacheChecked is the answer of the semantic cache.
type CacheChecked struct {
	Hit           bool    `json:"hit"`
	Similarity    float64 `json:"similarity,omitempty"`
	OriginalQuery string  `json:"original_query,omitempty"`
	CachedAt      *Time   `json:"cached_at,omitempty"`
}

// ReasoningDelta is a piece of the model's thinking, or of what it writes for a
// tool.
type ReasoningDelta struct {
	Text string `json:"text"`
	Tool string `json:"tool,omitempty"` // that it is written for: the SQL of query_database
}

// ToolStarted is a tool call that is about to run.
type ToolStarted struct {
	CallID    string          `json:"call_id"`
	Tool      string          `json:"tool"`
	Input     json.RawMessage `json:"input"`
	Detail    string          `json:"detail"` // one human line: the query, the expression
	Iteration int             `json:"iteration"`
	// Replay is the model's turn that asked for the call, on the first call of
	// that turn, where a provider needs parts of it back byte for byte, and where
	// the turn has several calls, so that a crash forgets none of them.
	Replay *Turn `json:"replay,omitempty"`
	// Usage is what the model's turns have cost since the last event that said
	// so, on the first call of a turn, so that a crash forgets little of it.
	Usage *Usage `json:"usage,omitempty"`
}

// ToolFinished is what a tool call came to. Output is exactly what the model
// reads, so that the log alone is enough to continue the run.
type ToolFinished struct {
	CallID     string     `json:"call_id"`
	Tool       string     `json:"tool"`
	OK         bool       `json:"ok"`
	Summary    string     `json:"summary"`
	Output     string     `json:"output"`
	Error      string     `json:"error,omitempty"`
	DurationMS int64      `json:"duration_ms"`
	Retrieval  *Retrieval `json:"retrieval,omitempty"`
	Usage      Usage      `json:"usage,omitzero"`       // of model calls the tool made
	Page       *PageRef   `json:"page_image,omitempty"` // the page that the model is shown as a picture
	Table      *Table     `json:"table,omitempty"`      // what a database answered
	Sources    []Source   `json:"sources,omitempty"`    // pages of the web that were found
	Files      []File     `json:"files,omitempty"`      // pictures that were made
}

// Retrieval is what a retrieval tool found.
type Retrieval struct {
	ChunksFound int            `json:"chunks_found"`
	TopScore    float64        `json:"top_score"`
	Levels      map[string]int `json:"levels"`
}

// PassagesGraded is the verdict of the quality gate after a retrieval.
type PassagesGraded struct {
	Correct   int     `json:"correct"`
	Ambiguous int     `json:"ambiguous"`
	Incorrect int     `json:"incorrect"`
	Expanded  int     `json:"expanded"`
	Action    string  `json:"action"` // proceed, re-retrieve, expand
	Details   []Grade `json:"details"`
}

// Grade is the verdict on one passage.
type Grade struct {
	ChunkID        string  `json:"chunk_id"`
	Score          float64 `json:"score"`
	Classification string  `json:"classification"` // CORRECT, AMBIGUOUS, INCORRECT
	Expanded       bool    `json:"expanded,omitempty"`
	NewScore       float64 `json:"new_score,omitempty"`
	ExpandedTo     string  `json:"expanded_to,omitempty"` // the chunk that is shown in its place: the section around it
}

// PassagesReranked says how the passages were put in a new order.
type PassagesReranked struct {
	Method      string  `json:"method"`
	InputCount  int     `json:"input_count"`
	OutputCount int     `json:"output_count"`
	TopScore    float64 `json:"top_score"`
	DurationMS  int64   `json:"duration_ms"`
}

// CitationAdded makes a passage citable. It always comes before the first
// AnswerDelta that could cite it. Its N is the place of the passage among what was
// found, which the model knows as its handle; footnotes have numbers of their own
// (CitationPlaced).
type CitationAdded struct{ Citation }

// CitationPlaced is a footnote of the answer: the very words that back one of its
// statements. It comes before the AnswerDelta that shows the footnote's marker. The
// same words keep their number: where they back another statement the event stands
// again with the same N.
type CitationPlaced struct {
	N          int           `json:"n"`        // footnote number, in reading order of the answer, from 1
	Found      int           `json:"found"`    // number of the passage among what was found
	ChunkID    string        `json:"chunk_id"` // of that passage, and of the marker in the text
	DocumentID string        `json:"document_id"`
	Version    string        `json:"version"`
	Start      int           `json:"start"` // of the words in the document's text; may lie beside the passage, never outside its document
	End        int           `json:"end"`
	Pages      []int         `json:"pages"`
	Quote      string        `json:"quote"` // the words
	URL        string        `json:"url"`   // where the source opens, at the page of the words
	Kind       CitedKind     `json:"kind"`
	Statement  Range         `json:"statement"` // bytes of the answer's text since the last retraction
	Marker     int           `json:"marker"`    // byte of the answer's text where the marker begins
	Support    SupportDegree `json:"support"`
}

// AnswerStarted comes before the first piece of an answer.
type AnswerStarted struct {
	Model         string `json:"model"`
	ContextChunks int    `json:"context_chunks"`
	ContextTokens int    `json:"context_tokens"`
}

// AnswerDelta is a piece of the visible answer and of nothing else.
type AnswerDelta struct {
	Text string `json:"text"`
}

// AnswerRetracted declares the answer streamed so far void.
type AnswerRetracted struct {
	Reason string `json:"reason"`
}

// SourcesNamed are the web pages that the answer names.
type SourcesNamed struct {
	Sources []Source `json:"sources"`
}

// AnswerVerified is the verdict on the answer's claims.
type AnswerVerified struct {
	ClaimsChecked            int     `json:"claims_checked"`
	ClaimsSupported          int     `json:"claims_supported"`
	ClaimsPartiallySupported int     `json:"claims_partially_supported"`
	ClaimsUnsupported        int     `json:"claims_unsupported"`
	Confidence               float64 `json:"confidence"`
	Details                  []Claim `json:"details"`
}

// Claim is one statement of an answer. Start and End are bytes into the answer's
// text, half open; both are 0 where the statement could not be found there.
type Claim struct {
	Claim    string   `json:"claim"`
	Verdict  string   `json:"verdict"` // SUPPORTED, PARTIALLY_SUPPORTED, UNSUPPORTED
	ChunkIDs []string `json:"chunk_ids"`
	// Support is the verdict in finer words: quoted is SUPPORTED, not_found and
	// contradicted are UNSUPPORTED. Empty in answers of older versions.
	Support SupportDegree `json:"support,omitempty"`
	Notes   []int         `json:"notes,omitempty"` // numbers of the footnotes behind the statement
	Start   int           `json:"start,omitempty"`
	End     int           `json:"end,omitempty"`
}

// Memory is how full the conversation's memory is.
type Memory struct {
	UsedChars    int `json:"used_chars"`
	BudgetChars  int `json:"budget_chars"`
	Pairs        int `json:"pairs"`
	DroppedPairs int `json:"dropped_pairs"`
}

// MemoryMeasured reports the conversation's memory near the end of a run.
type MemoryMeasured struct{ Memory }

// RunFailed stands directly before the end of a run that failed.
type RunFailed struct {
	Code        Code   `json:"code"`
	Message     string `json:"message"`
	Hint        string `json:"hint,omitempty"`
	Recoverable bool   `json:"recoverable"`
}

// Finished is what a run came to.
type Finished struct {
	Status         Status   `json:"status"`
	Usage          Usage    `json:"usage"`
	Timing         Timing   `json:"timing"`
	Iterations     int      `json:"iterations"`
	ToolsUsed      []string `json:"tools_used"`
	SourcesCount   int      `json:"sources_count"`
	Confidence     float64  `json:"confidence"`
	Mode           Mode     `json:"mode"`
	Cached         bool     `json:"cached"`
	DroppedMarkers int      `json:"dropped_markers,omitempty"` // citation markers that resolved to nothing
}

// Timing is in milliseconds from the moment the question was accepted; 0 where
// the thing never happened.
type Timing struct {
	FirstEventMS     int64 `json:"first_event_ms"`
	FirstReasoningMS int64 `json:"first_reasoning_ms"`
	FirstCitationMS  int64 `json:"first_citation_ms"`
	FirstAnswerMS    int64 `json:"first_answer_ms"`
	TotalMS          int64 `json:"total_ms"`
}

// RunFinished is the last event of every run, exactly once.
type RunFinished struct{ Finished }

// UnknownEvent is an event that a newer version of the program wrote.
type UnknownEvent struct {
	Type string
	Raw  json.RawMessage
}

// EventAs returns an event of a kind of work: as it was emitted, or as it was read
// back from a log, in which it is an UnknownEvent.
func EventAs[T EventData](data EventData) (event T, ok bool) {
	if event, ok = data.(T); ok {
		return event, true
	}
	u, ok := data.(UnknownEvent)
	if !ok || u.Type != event.EventType() {
		return event, false
	}
	return event, json.Unmarshal(u.Raw, &event) == nil
}

// MarshalJSON writes the event's own bytes back.
func (u UnknownEvent) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// EventType names each event in the log and in every protocol that shows it.
func (RunStarted) EventType() string       { return "run.started" }
func (RunQueued) EventType() string        { return "run.queued" }
func (QueryAnalyzed) EventType() string    { return "query.analyzed" }
func (CacheChecked) EventType() string     { return "cache.checked" }
func (ReasoningDelta) EventType() string   { return "reasoning.delta" }
func (ToolStarted) EventType() string      { return "tool.started" }
func (ToolFinished) EventType() string     { return "tool.finished" }
func (PassagesGraded) EventType() string   { return "passages.graded" }
func (PassagesReranked) EventType() string { return "passages.reranked" }
func (CitationAdded) EventType() string    { return "citation.added" }
func (CitationPlaced) EventType() string   { return "citation.placed" }
func (AnswerStarted) EventType() string    { return "answer.started" }
func (AnswerDelta) EventType() string      { return "answer.delta" }
func (AnswerRetracted) EventType() string  { return "answer.retracted" }
func (SourcesNamed) EventType() string     { return "sources.named" }
func (AnswerVerified) EventType() string   { return "answer.verified" }
func (MemoryMeasured) EventType() string   { return "memory.measured" }
func (RunFailed) EventType() string        { return "run.failed" }
func (RunFinished) EventType() string      { return "run.finished" }
func (u UnknownEvent) EventType() string   { return u.Type }

// TimeFormat is how times of events are written: RFC 3339 in UTC with
// milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

type eventJSON struct {
	Seq  int64           `json:"seq"`
	Run  string          `json:"run"`
	At   string          `json:"at"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// MarshalJSON writes {"seq","run","at","type","data"}.
func (e Event) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Data.EventType(), err)
	}
	return json.Marshal(eventJSON{e.Seq, e.Run, e.At.UTC().Format(TimeFormat), e.Data.EventType(), data})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Event) UnmarshalJSON(b []byte) error {
	var j eventJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	at, err := time.Parse(TimeFormat, j.At)
	if err != nil {
		return fmt.Errorf("event %d: %w", j.Seq, err)
	}
	data, err := DecodeEventData(j.Type, j.Data)
	if err != nil {
		return err
	}
	*e = Event{Seq: j.Seq, Run: j.Run, At: at, Data: data}
	return nil
}

// DecodeEventData returns the typed content of an event. A type that this
// version does not know becomes an UnknownEvent, never an error.
func DecodeEventData(typ string, raw []byte) (EventData, error) {
	switch typ {
	case "run.started":
		return decode[RunStarted](typ, raw)
	case "run.queued":
		return decode[RunQueued](typ, raw)
	case "query.analyzed":
		return decode[QueryAnalyzed](typ, raw)
	case "cache.checked":
		return decode[CacheChecked](typ, raw)
	case "reasoning.delta":
		return decode[ReasoningDelta](typ, raw)
	case "tool.started":
		return decode[ToolStarted](typ, raw)
	case "tool.finished":
		return decode[ToolFinished](typ, raw)
	case "passages.graded":
		return decode[PassagesGraded](typ, raw)
	case "passages.reranked":
		return decode[PassagesReranked](typ, raw)
	case "citation.added":
		return decode[CitationAdded](typ, raw)
	case "citation.placed":
		return decode[CitationPlaced](typ, raw)
	case "answer.started":
		return decode[AnswerStarted](typ, raw)
	case "answer.delta":
		return decode[AnswerDelta](typ, raw)
	case "answer.retracted":
		return decode[AnswerRetracted](typ, raw)
	case "sources.named":
		return decode[SourcesNamed](typ, raw)
	case "answer.verified":
		return decode[AnswerVerified](typ, raw)
	case "memory.measured":
		return decode[MemoryMeasured](typ, raw)
	case "run.failed":
		return decode[RunFailed](typ, raw)
	case "run.finished":
		return decode[RunFinished](typ, raw)
	}
	return UnknownEvent{Type: typ, Raw: append(json.RawMessage(nil), raw...)}, nil
}

func decode[T EventData](typ string, raw []byte) (EventData, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("decode event %s: %w", typ, err)
	}
	return v, nil
}
