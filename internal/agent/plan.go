package agent

import (
	"context"
	"fmt"
	"runtime/debug"

	"ibid"
	"ibid/internal/llm/prompt"
	"ibid/internal/question"
)

const (
	// planLimit bounds the plan that people are shown, in bytes.
	planLimit = 8 << 10
	// planAnswerLimit is how much of an answer a model may give in the plan
	// phase, in bytes, before it is cut short. It is told to give none; breaking
	// the connection off at its first word would be cheaper still, but some
	// servers take broken connections badly.
	planAnswerLimit = 2 << 10
	// planTokens bounds the plan for the model.
	planTokens = 2048
)

// plan lets the model think, in one direct call, before the agent begins. Only
// its reasoning is used, and shown; the text of a model that has no channel for
// reasoning is taken for it. Whatever goes wrong is logged and swallowed: a plan
// that is missing must not cost anyone the answer.
func (s *session) plan(ctx context.Context) (phase, error) {
	next := s.afterPlan()
	if !worthPlanning(s.task.Request) {
		return next, nil
	}
	if s.mode == ibid.ModeDirect && s.asked > directRequests-2 {
		return next, nil // the call that is left is for the answer
	}
	if s.task.Request.Mode == ibid.ModeDirect && s.task.Request.Think != ibid.ThinkOn {
		return next, nil // who asks for the fast way does not wait for a plan
	}
	if err := s.think(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("the plan failed", "model", s.cfg.Planner.Name(), "error", err)
	}
	return next, s.sinkErr
}

func (s *session) think(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while planning: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Limits.PlanTimeout)
	defer cancel()
	req := ibid.ModelRequest{Brief: &s.prompts.brief, Turns: s.conversation(), Think: ibid.ThinkOn, MaxTokens: planTokens}
	last := &req.Turns[len(req.Turns)-1]
	last.Parts = append(last.Parts, ibid.Part{Note: &ibid.Note{Instruction: ibid.InstructPlan}})
	shown, unused, thinks := 0, 0, false
	resp, err := s.generate(ctx, s.cfg.Planner, req, func(d ibid.ModelDelta) {
		text := d.Reasoning
		if d.Reasoning != "" {
			thinks = true
		} else if !thinks {
			text = d.Text
		}
		if text == "" {
			unused += len(d.Text)
		}
		text, _ = cutAt(text, planLimit-shown)
		shown += len(text)
		if text != "" && s.emit(ibid.ReasoningDelta{Text: text}) != nil {
			cancel()
		}
		if shown >= planLimit || unused > planAnswerLimit {
			cancel()
		}
	})
	switch {
	case err != nil && (shown >= planLimit || unused > planAnswerLimit):
		return nil // we cut it short ourselves
	case err != nil || shown > 0:
		return err
	}
	// A model that does not stream.
	text := resp.Turn.Reasoning()
	if text == "" {
		text = resp.Turn.Text()
	}
	if text, _ = cutAt(text, planLimit); text == "" {
		return nil
	}
	return s.emit(ibid.ReasoningDelta{Text: text})
}

// generate calls a model and counts what it costs.
func (s *session) generate(ctx context.Context, m ibid.Model, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	s.context = prompt.Size(req)
	s.asked++
	resp, err := m.Generate(ctx, req, emit)
	resp.Usage.ModelRequests = max(1, resp.Usage.ModelRequests)
	s.usage, s.unsaid = s.usage.Add(resp.Usage), s.unsaid.Add(resp.Usage)
	return resp, err
}

// worthPlanning is the gate before the plan phase: trivial questions are not
// worth a paragraph of thought, unless the user asked for it.
func worthPlanning(req ibid.Request) bool {
	switch req.Think {
	case ibid.ThinkOff:
		return false
	case ibid.ThinkOn:
		return true
	}
	return !trivial(req)
}

// trivial reports whether a message needs no thought. Attachments are worth one.
func trivial(req ibid.Request) bool { return len(req.Attachments) == 0 && question.Trivial(req.Text) }
