package agent

import (
	"context"
	"errors"
	"strings"

	"ibid"
)

// session is one process's work on a run.
type session struct {
	cfg     Config
	task    Task
	sink    func(ibid.EventData) error
	sinkErr error // the first error of sink; nothing is emitted after it
	state   state
	prompts prompts
	mode    ibid.Mode

	usage       ibid.Usage                  // of this process
	unsaid      ibid.Usage                  // of it, what no event has told yet
	before      ibid.Usage                  // of the turns of processes before this one
	last        int                         // calls of the model that had to answer with what there was
	asked       int                         // calls of any model by this process
	reranked    []ibid.PassagesReranked     // what the tools of this round say of their order
	judged      map[string]float64          // the grades that the judge has given, by chunk id
	betterQuery string                      // that the judge would search with
	cached      bool                        // the answer was given before, and is replayed
	empty       int                         // empty turns in a row
	urged       bool                        // the model was told once to use the forced tools
	trimmed     bool                        // the prompt was too long: no history, short results
	extra       []ibid.Turn                 // said to the model in the next request only
	stream      *answerStream               // of the latest turn
	writing     *writtenQuery               // the query that the model is writing; nil for none
	written     map[int]string              // what was shown of the queries of this turn, by the number of their call
	context     int                         // size of the last prompt
	images      map[ibid.PageRef]ibid.Image // of pages that tools showed; without data where it cannot be had
}

// phase is what a session does next.
type phase int

const (
	phaseAnalyse phase = iota
	phaseAttach
	phaseCache
	phasePlan
	phaseDirect
	phaseModel
	phaseTools
	phaseGrade
	phaseVerify
	phaseDone
)

// maxEmpty is how often in a row the model may give an empty turn.
const maxEmpty = 3

func newSession(cfg Config, task Task, sink func(ibid.EventData) error) *session {
	s := &session{cfg: cfg, task: task, sink: sink, mode: ibid.ModeAgentic}
	for _, e := range task.Log {
		s.state.apply(e.Data)
	}
	s.before = s.state.turnUsage
	s.prepare()
	return s
}

// prepare makes the prompts, which depend on how the question is answered.
func (s *session) prepare() {
	if a := s.state.analysis; a != nil {
		s.mode = a.Mode
	}
	s.prompts = newPrompts(s.cfg, s.task, s.mode, s.state.analysis)
}

func (s *session) run(ctx context.Context) error {
	next, err := s.resume()
	for err == nil && next != phaseDone {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch next {
		case phaseAnalyse:
			next, err = s.analyse(ctx)
		case phaseAttach:
			next, err = s.attach(ctx)
		case phaseCache:
			next, err = s.lookUp(ctx)
		case phasePlan:
			next, err = s.plan(ctx)
		case phaseDirect:
			next, err = s.direct()
		case phaseModel:
			next, err = s.model(ctx)
		case phaseTools:
			next, err = s.tools(ctx)
		case phaseGrade:
			next, err = s.grade(ctx)
		case phaseVerify:
			next, err = s.verify(ctx)
		}
	}
	return err
}

// resume finds out where the log leaves off. Text of an answer that stands in it
// is void: a model cannot be asked to go on in the middle of a sentence.
//
// A plan of which some reasoning reached the log is not made again, however
// little it is: reasoning cannot be retracted, readers would see it twice, and
// the answer does not depend on it.
func (s *session) resume() (phase, error) {
	if s.state.verdict != nil {
		return phaseDone, nil // only the end of the run was missing
	}
	if err := s.retract("the answer was interrupted and is written again"); err != nil {
		return 0, err
	}
	switch {
	case len(s.state.unfinished()) > 0:
		return phaseTools, s.restart()
	case len(s.state.rounds) > 0:
		return phaseGrade, nil
	case s.state.analysis == nil:
		return phaseAnalyse, nil
	case s.state.planned:
		return s.afterPlan(), nil
	case s.state.cache == nil || s.state.cache.Hit:
		return phaseAttach, nil
	}
	return phasePlan, nil
}

func (s *session) afterPlan() phase {
	if s.mode == ibid.ModeDirect && !trivial(s.task.Request) {
		return phaseDirect
	}
	return phaseModel
}

// emit appends an event to the log and to the state.
func (s *session) emit(data ibid.EventData) error {
	if s.sinkErr != nil {
		return s.sinkErr
	}
	if err := s.sink(data); err != nil {
		s.sinkErr = err
		return err
	}
	s.state.apply(data)
	return nil
}

// retract declares the text that stands void, if any does.
func (s *session) retract(reason string) error {
	if len(s.state.answer) == 0 {
		return nil
	}
	return s.emit(ibid.AnswerRetracted{Reason: reason})
}

// tool returns the tool of a name, nil when there is none. Models write names
// with a prefix, in capitals, with space around.
func (s *session) tool(name string) Tool {
	name = strings.TrimSpace(name)
	if i := strings.LastIndexAny(name, ".:/"); i >= 0 {
		name = name[i+1:]
	}
	for _, t := range s.cfg.Tools {
		if strings.EqualFold(t.Spec().Name, name) {
			return t
		}
	}
	return nil
}

// ofKind returns the first tool of a kind, nil where none is offered. Scopes and the
// direct mode rely on the first that searches.
func (c Config) ofKind(kind ibid.ToolKind) Tool {
	for _, t := range c.Tools {
		if t.Spec().Kind == kind {
			return t
		}
	}
	return nil
}

// failure makes the error of the run.
func (s *session) failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.sinkErr != nil:
		return s.sinkErr
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return known(err)
}

func (s *session) outcome() Outcome {
	out := Outcome{
		Usage: s.before.Add(s.usage).Add(s.state.toolUsage), Iterations: s.state.iteration(), ToolsUsed: s.state.tools(),
		Mode: s.mode, ContextChars: s.context, Cached: s.cached,
	}
	out.Usage.ToolCalls = min(len(s.state.calls), s.cfg.Limits.ToolCalls) // the others were refused
	if len(s.state.answer) == 0 {
		return out
	}
	if !s.cached {
		out.Iterations++ // the turn that answers has no calls and stands in no round
	}
	out.SourcesCount = len(s.state.cited())
	if s.stream != nil {
		out.DroppedMarkers = s.stream.cite.Dropped
	}
	if v := s.state.verdict; v != nil {
		out.Confidence = v.Confidence
	}
	out.Question, out.Reusable = s.question(), s.reusable(out)
	return out
}

// known returns err as one of our own errors. Anything else is an internal
// error that carries it.
func known(err error) *ibid.Error {
	var e *ibid.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return &ibid.Error{Code: ibid.CodeTimeout, Message: "the model did not answer in time", Retryable: true, Err: err}
	}
	return &ibid.Error{Code: ibid.CodeInternal, Message: "something unexpected happened while answering", Err: err}
}
