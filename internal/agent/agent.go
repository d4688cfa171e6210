// Package agent answers one question: model and tools in, events out. It reads
// no database, speaks no HTTP, and leaves no goroutine behind.
//
//	analyse ─▶ attach ─▶ cache ─┬▶ plan ─┬▶ model ────▶ verify ─▶ done
//	                            │        │  │  ▲           ▲
//	                       replay        │  ▼  │ grade     │      agentic: the model searches
//	                            ▼        │ tools           │
//	                          done       └▶ tools ─▶ grade ─▶ model   direct: we search, twice at most
//
// The log is the state. Every event goes through one function (state.apply),
// live or read back after a crash, and what the model is told is built from what
// that function kept. So a run that another process takes over goes on with the
// same context, and no finished tool call runs again. What a tool call found is
// in the log before the call is called finished; that event is its commit.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Tool is something the model may ask for. Call returns an error only for what
// the model cannot correct; everything else is an output with Failed set. Call
// must return soon after ctx ends, and runs beside other calls.
type Tool interface {
	Spec() ibid.ToolSpec
	Detail(args json.RawMessage) string // one line for people: the query, the expression
	Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error)
}

// Config is what a run works with. Only Model is required; zero values take the
// defaults named beside them.
type Config struct {
	Model   ibid.Model
	Planner ibid.Model // thinks before the answer; Model when nil
	Tools   []Tool
	// PageImage fetches the picture of a page; nil where the model sees none.
	PageImage func(ctx context.Context, view access.View, page ibid.PageRef) (ibid.Image, error)
	// Drawn reports whether files of a format have pages that can be drawn, so that a
	// footnote may lead to one of them; nil: those of none.
	Drawn func(format string) bool
	// Parents fetches the sections around passages, by chunk id; nil where there
	// are none.
	Parents func(ctx context.Context, view access.View, chunkIDs []string) (map[string]ibid.Chunk, error)
	// Around fetches the passages of the section that each chunk stands in, and its
	// neighbours, in the order of the text, by chunk id; nil where there are none.
	Around func(ctx context.Context, view access.View, chunkIDs []string) (map[string][]ibid.Chunk, error)
	// FilePassages cuts a text that came with the question into passages, so that it
	// can be cited; nil: attached texts are shown without handles.
	FilePassages func(ctx context.Context, view access.View, f ibid.File) ([]ibid.Passage, error)
	Cache        Cache // of answers; nil: none
	// Judge grades passages and judges claims where rules are not enough; nil
	// leaves it all to the rules.
	Judge ibid.Model
	// Fallback answers from the passages that were found where the model comes to no
	// answer: it stays silent, or asks for tools when it may not. nil: the run fails.
	Fallback     ibid.Model
	Grading      Judging // of passages; JudgeAuto
	Verification Judging // of the answer; JudgeAuto
	Limits       Limits
	Retry        Retry
	Now          func() time.Time // time.Now
	NewID        func() string    // of tool calls that the model gave no usable id; "call-1", "call-2"…
	Log          *slog.Logger     // discarded when nil
}

// Judging says who judges passages and claims.
type Judging string

// Rules judge in no time and are calibrated (evidence.Grade, evidence.Judge). The
// model judges in one call for all; with JudgeAuto where the rules are unsure,
// with JudgeModel always, both while the limits leave room.
const (
	JudgeAuto  Judging = "auto"
	JudgeRules Judging = "rules"
	JudgeModel Judging = "model"
	JudgeOff   Judging = "off"
)

// Limits bound one run.
type Limits struct {
	ToolCalls     int           // 20
	ModelRequests int           // 50; the plan, tries that failed, judges and tools included
	ToolTimeout   time.Duration // of one call; 60 s
	PlanTimeout   time.Duration // of the plan phase; 60 s
}

// Retry says how calls of the model that failed are tried again. The wait after
// try n is Base doubled n-1 times, at most Max, less up to half of it at random;
// never less than the provider asked for.
type Retry struct {
	Tries    int                                              // of one turn, the first included; 4
	Base     time.Duration                                    // 500 ms
	Max      time.Duration                                    // 15 s
	MaxAfter time.Duration                                    // a provider that asks for more is given up on; 60 s
	Rand     func() float64                                   // in [0, 1); math/rand/v2
	Sleep    func(ctx context.Context, d time.Duration) error // a timer
}

// Task is one question with what is known when its run begins or goes on.
type Task struct {
	View        access.View // what whoever asks may see: all that is read for the answer is read through it
	Request     ibid.Request
	History     []ibid.Turn            // what was said before, oldest first
	Log         []ibid.Event           // of this run so far
	Library     *ibid.Holdings         // what the documents are; nil says nothing about them
	NoDocuments bool                   // there are none at all, in or out of the question's scope
	Databases   []ibid.DatabaseOutline // those that may be asked

	ThreadID, UserMessageID, MessageID string // the conversation, the question, the answer
}

// Outcome is what a run came to, for its last event.
type Outcome struct {
	Usage          ibid.Usage // of this process, and of all finished tool calls
	Iterations     int        // turns of the model in the answer phase
	ToolsUsed      []string   // each once, in the order of first use
	SourcesCount   int        // passages that the answer cites
	Confidence     float64    // share of the answer's claims that are supported; 0 where none was judged
	Mode           ibid.Mode  // agentic or direct
	ContextChars   int        // size of the last prompt, in bytes
	Cached         bool       // the answer was given to the same question before
	Question       string     // as it stands alone
	Reusable       bool       // the answer may be given to who asks the same of the same documents
	DroppedMarkers int        // citation markers that resolved to nothing
}

// Run answers the question, or goes on with a run whose log says how far it has
// come. emit is called by one goroutine at a time and may block; its first error
// ends the run and is returned. Run returns ctx's error when ctx ends, an
// *ibid.Error when there is no answer, else nil. The Outcome holds what was
// reached in any case.
//
// It emits query.analyzed, cache.checked, reasoning.delta, tool.started,
// citation.added, tool.finished, passages.graded, passages.reranked,
// answer.started, citation.placed, answer.delta, answer.retracted, sources.named and
// answer.verified; the other events are the runner's.
func Run(ctx context.Context, cfg Config, task Task, emit func(ibid.EventData) error) (Outcome, error) {
	s := newSession(cfg.withDefaults(), task, emit)
	err := s.run(ctx)
	return s.outcome(), s.failure(ctx, err)
}

func (c Config) withDefaults() Config {
	orInt := func(n *int, standard int) {
		if *n == 0 {
			*n = standard
		}
	}
	orTime := func(d *time.Duration, standard time.Duration) {
		if *d == 0 {
			*d = standard
		}
	}
	orInt(&c.Limits.ToolCalls, 20)
	orInt(&c.Limits.ModelRequests, 50)
	orTime(&c.Limits.ToolTimeout, time.Minute)
	orTime(&c.Limits.PlanTimeout, time.Minute)
	c.Grading, c.Verification = cmp.Or(c.Grading, JudgeAuto), cmp.Or(c.Verification, JudgeAuto)
	orInt(&c.Retry.Tries, 4)
	orTime(&c.Retry.Base, 500*time.Millisecond)
	orTime(&c.Retry.Max, 15*time.Second)
	orTime(&c.Retry.MaxAfter, time.Minute)
	if c.Retry.Rand == nil {
		c.Retry.Rand = rand.Float64
	}
	if c.Retry.Sleep == nil {
		c.Retry.Sleep = pause
	}
	if c.Planner == nil {
		c.Planner = c.Model
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		n := 0
		c.NewID = func() string {
			n++
			return fmt.Sprintf("call-%d", n)
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
