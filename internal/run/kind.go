package run

import (
	"context"
	"fmt"
	"runtime/debug"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

// Kind is one kind of work. It says what is done and what comes of it; ids, leases,
// the log and its readers, stop, continuing after a crash, and the saved message with
// its citations are the runner's, and the same for all kinds.
//
// What a kind emits is text (ibid.AnswerDelta), citations, steps, or events of its
// own: any ibid.EventData whose type begins with the kind's name and a point, like
// "quiz.item". The native stream shows those as frames of the rest of the name
// ("item"); in a log that is read back they are ibid.UnknownEvent (see
// ibid.EventAs).
type Kind struct {
	Name string // stands in the database: never changes
	// Work does one run, or goes on with one whose log says how far it has come. It
	// returns when the work is done or ctx ends; everything it started has ended by
	// then. Status and times of what it returns are the runner's.
	Work func(ctx context.Context, task *Task, emit func(ibid.EventData) error) (ibid.Finished, error)
	// Fold adds an event of the kind's own to the message that the run becomes. It
	// replaces what it changes (m.Work), and does not write into it. nil: the message
	// is made of the other events alone.
	Fold func(m *ibid.Message, data ibid.EventData)
}

// Task is one run, as its kind gets it.
type Task struct {
	View access.View // what the owner of the run may see
	Run  ibid.Run
	Log  []ibid.Event // so far, of processes that worked on it before

	atEnd func(ibid.Message) []ibid.EventData
}

// AtEnd has events written directly before the end of the run, however it ends here.
// f gets the message as it stands then.
func (t *Task) AtEnd(f func(m ibid.Message) []ibid.EventData) { t.atEnd = f }

// answers is the kind that answers questions.
func (r *Runner) answers(answer Answer) Kind {
	return Kind{Name: ibid.KindAnswer, Work: func(ctx context.Context, task *Task, emit func(ibid.EventData) error) (ibid.Finished, error) {
		run := &task.Run
		said := history{memory: ibid.Memory{BudgetChars: r.cfg.MemoryChars}}
		task.AtEnd(func(m ibid.Message) []ibid.EventData {
			return []ibid.EventData{ibid.MemoryMeasured{Memory: said.withAnswer(run.Request.Text, m.Text)}}
		})
		var err error
		if said, err = r.history(ctx, run); err != nil {
			return ibid.Finished{}, err
		}
		out, err := answer(ctx, agent.Task{View: task.View, Request: run.Request, History: said.turns, Log: task.Log,
			ThreadID: run.ThreadID, UserMessageID: run.UserMessageID, MessageID: run.ID}, emit)
		return ibid.Finished{Usage: out.Usage, Iterations: out.Iterations, ToolsUsed: out.ToolsUsed, SourcesCount: out.SourcesCount,
			Confidence: out.Confidence, Mode: out.Mode, Cached: out.Cached, DroppedMarkers: out.DroppedMarkers}, err
	}}
}

// kind returns a kind of work by its name.
func (r *Runner) kind(name string) (Kind, error) {
	if k, known := r.kinds[name]; known {
		return k, nil
	}
	return Kind{}, &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("this version of ibid does not know work of the kind %q", name)}
}

// Fold returns what folds the log of a run of a kind into its message.
func (r *Runner) Fold(kind string) ibid.Fold { return ibid.Fold{Work: r.kinds[kind].Fold} }

// do does the work of a run, and turns a panic into an error.
func (r *Runner) do(ctx context.Context, task *Task, emit func(ibid.EventData) error) (done ibid.Finished, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.cfg.Log.Error("panic in a run", "run", task.Run.ID, "kind", task.Run.Kind, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic in a run: %v", p)
		}
	}()
	k, err := r.kind(task.Run.Kind)
	if err != nil {
		return ibid.Finished{}, err
	}
	return k.Work(ctx, task, emit)
}
