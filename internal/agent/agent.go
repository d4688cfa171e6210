// Package agent answers one question: model and tools in, events out. It reads
// no database, speaks no HTTP, and leaves no goroutine behind.
//
// The log is the state. Every event goes through one function, live or read
// back after a crash, and what the model is told is built from what that
// function kept. So a run that another process takes over goes on with the same
// context, and no finished tool call runs again.
package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"ibid"
)

// Tool is something the model may ask for. Call returns an error only for what
// the model cannot correct; everything else is an output with Failed set. Call
// must return soon after ctx ends.
type Tool interface {
	Spec() ibid.ToolSpec
	Detail(args json.RawMessage) string // one line for people: the query, the expression
	Call(ctx context.Context, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error)
}

// Config is what a run works with. Only Model is required; zero values take the
// defaults named beside them.
type Config struct {
	Model   ibid.Model
	Planner ibid.Model // thinks before the answer; Model when nil
	Tools   []Tool
	Limits  Limits
	Retry   Retry
	Now     func() time.Time // time.Now
	NewID   func() string    // of tool calls that the model gave no usable id: "call-1", "call-2"…
	Log     *slog.Logger     // discarded when nil
}

// Limits bound one run.
type Limits struct {
	ToolCalls     int           // 20
	ModelRequests int           // 50, tries that failed included
	ToolTimeout   time.Duration // of one call; 60 s
	PlanTimeout   time.Duration // of the plan phase; 60 s
}

// Retry says how calls of the model that failed are tried again. The wait before
// try n is Base doubled n-1 times, at most Max, less up to half of it at random;
// never less than the provider asked for, up to MaxAfter.
type Retry struct {
	Tries    int           // of one turn, the first included; 4
	Base     time.Duration // 500 ms
	Max      time.Duration // 15 s
	MaxAfter time.Duration // a provider that asks for more is given up on; 60 s
	Rand     func() float64
	Sleep    func(ctx context.Context, d time.Duration) error
}

// Task is one question with what is known when its run begins or goes on.
type Task struct {
	Request ibid.Request
	History []ibid.Turn  // what was said before, oldest first
	Log     []ibid.Event // of this run so far
	Library string       // a line or two about the documents, for the system prompt
}

// Outcome is what a run came to, for its last event.
type Outcome struct {
	Usage          ibid.Usage
	Iterations     int      // turns of the model in the answer phase
	ToolsUsed      []string // each once, in the order of first use
	SourcesCount   int      // passages that the answer cites
	Confidence     float64  // mean score of the cited passages; 0 when none is cited
	Mode           ibid.Mode
	ContextChars   int // size of the last prompt
	DroppedMarkers int // citation markers that resolved to nothing
}

// Run answers the question. emit is called from one goroutine at a time and may
// block; its first error ends the run and is returned. Run returns ctx's error
// when ctx ends, else nil or an *ibid.Error; the Outcome holds what was reached
// in any case.
func Run(ctx context.Context, cfg Config, task Task, emit func(ibid.EventData) error) (Outcome, error) {
	return Outcome{}, ibid.Errorf(ibid.CodeInternal, "the agent is not built yet")
}
