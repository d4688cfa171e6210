package agent

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"ibid"
)

// trimmedOutput bounds each tool result, in bytes, once a prompt was too long.
const trimmedOutput = 3 << 10

// conversation is what was said before, and the question.
func (s *session) conversation() []ibid.Turn {
	var turns []ibid.Turn
	if !s.trimmed {
		turns = append(turns, s.task.History...)
	}
	return append(turns, s.userTurn(s.prompts.heed))
}

// request is what the model is given for its next turn. Within a run it only
// grows, but for what is said once (extra), so that prompt caches keep hitting.
func (s *session) request() ibid.ModelRequest {
	req := ibid.ModelRequest{Brief: &s.prompts.brief, Turns: s.conversation(), Think: ibid.ThinkOff}
	if s.mode == ibid.ModeDirect {
		last := &req.Turns[len(req.Turns)-1]
		last.Parts = append(last.Parts, s.findings()...)
		req.Turns = append(req.Turns, s.extra...)
		return req
	}
	limit, images := ibid.MaxToolOutput, s.images
	if s.trimmed {
		limit, images = trimmedOutput, nil
	}
	req.Turns = append(req.Turns, s.state.turns(limit, images)...)
	switch {
	case len(s.cfg.Tools) == 0:
	case s.spent():
		req.Turns = append(req.Turns, tell(ibid.Note{Instruction: ibid.InstructBudget}))
	default:
		for _, t := range s.cfg.Tools {
			req.Tools = append(req.Tools, t.Spec())
		}
	}
	req.Turns = append(req.Turns, s.extra...)
	return req
}

// spent reports whether the model has to answer with what it has.
func (s *session) spent() bool {
	return len(s.state.calls) >= s.cfg.Limits.ToolCalls || s.requests() >= s.cfg.Limits.ModelRequests-1
}

// requests is how often a model was called for this question: to plan, to answer,
// to judge, and by tools.
func (s *session) requests() int {
	return s.before.ModelRequests + s.usage.ModelRequests + s.state.toolUsage.ModelRequests
}

// overdrawn reports whether no model may be called any more. What tools have cost
// beyond the limit does not keep the model from a last answer.
func (s *session) overdrawn() bool { return s.last > 0 && s.requests() >= s.cfg.Limits.ModelRequests }

// model lets the model take a turn and decides what follows from it.
func (s *session) model(ctx context.Context) (phase, error) {
	s.loadImages(ctx)
	resp, offered, err := s.ask(ctx)
	if ibid.CodeOf(err) == ibid.CodeToolBudget {
		return s.fallBack(ctx, err)
	}
	if err != nil {
		return 0, err
	}
	s.extra = nil
	calls := resp.Turn.Calls()
	switch {
	case len(calls) > 0 && offered:
		s.empty = 0
		if err := s.stream.demote("the text came before a tool call"); err != nil {
			return 0, err
		}
		return phaseTools, s.begin(resp.Turn)
	case s.stream.isEmpty():
		return s.askAgain(ctx, ibid.InstructEmpty, resp.Turn)
	case offered && !s.urged && len(s.unusedTools()) > 0:
		s.urged = true
		if err := s.retract("a tool that has to be used was not"); err != nil {
			return 0, err
		}
		return s.askAgain(ctx, ibid.InstructForced, resp.Turn)
	}
	return phaseVerify, s.stream.release()
}

// askAgain repeats the request with a word to the model about its turn.
func (s *session) askAgain(ctx context.Context, nudge ibid.Instruction, turn ibid.Turn) (phase, error) {
	if nudge == ibid.InstructEmpty {
		if s.empty++; s.empty >= maxEmpty || s.mode == ibid.ModeDirect && s.asked >= directRequests {
			return s.fallBack(ctx, &ibid.Error{Code: ibid.CodeLLM, Message: "the model gave no answer, however often it was asked",
				Hint: "a larger model may do better"})
		}
		if len(s.cfg.Tools) > 0 && s.spent() {
			nudge = ibid.InstructBudget
		}
	}
	if text := turn.Text(); strings.TrimSpace(text) != "" {
		s.extra = append(s.extra, ibid.AssistantTurn(text))
	}
	s.extra = append(s.extra, tell(ibid.Note{Instruction: nudge, Tools: s.prompts.brief.Forced}))
	return phaseModel, nil
}

// fallBack answers from the passages that were found, since the model did not.
// Without any, why is the error of the run.
func (s *session) fallBack(ctx context.Context, why error) (phase, error) {
	if s.cfg.Fallback == nil || len(s.state.ledger.Citations) == 0 {
		return 0, why
	}
	s.cfg.Log.Warn("the model came to no answer; passages are quoted", "error", why)
	if err := s.retract("the model came to no answer"); err != nil {
		return 0, err
	}
	req := ibid.ModelRequest{Brief: &s.prompts.brief, Turns: []ibid.Turn{s.userTurn(nil)}, Think: ibid.ThinkOff}
	req.Turns[0].Parts = append(req.Turns[0].Parts, s.findings()...)
	resp, err := s.cfg.Fallback.Generate(ctx, req, func(ibid.ModelDelta) {})
	if err != nil {
		return 0, err
	}
	s.stream = newAnswerStream(ctx, s, 0)
	s.stream.by = s.cfg.Fallback.Name()
	if err := s.stream.close(said["fallback"] + "\n\n" + resp.Turn.Text()); err != nil {
		return 0, err
	}
	return phaseVerify, s.stream.release()
}

// unusedTools are the forced tools that were not called yet.
func (s *session) unusedTools() []string {
	used := s.state.tools()
	return slices.DeleteFunc(forcedTools(s.cfg, s.task.Request), func(name string) bool {
		return slices.Contains(used, name)
	})
}

// ask calls the model, and calls it again while that may help. What it says
// stands in s.stream then; offered tells whether it could have called tools.
func (s *session) ask(ctx context.Context) (resp ibid.ModelResponse, offered bool, err error) {
	for try := 1; ; try++ {
		if s.overdrawn() {
			return resp, false, &ibid.Error{Code: ibid.CodeToolBudget, Message: "the question needed more steps than are allowed",
				Hint: "ask for less at once"}
		}
		req := s.request()
		resp, err := s.attempt(ctx, req)
		if err == nil {
			return resp, len(req.Tools) > 0, nil
		}
		if s.sinkErr != nil || ctx.Err() != nil {
			return resp, false, err
		}
		e := known(err)
		if e.Code == ibid.CodeContextOverflow && s.canTrim() {
			s.cfg.Log.Info("the prompt is too long; trying without history", "bytes", s.context)
			s.trimmed = true
			try = 0
			continue
		}
		wait, again := s.cfg.Retry.wait(try, e)
		if !again || s.overdrawn() {
			return resp, false, e
		}
		s.cfg.Log.Warn("the model failed; trying again", "try", try, "wait", wait, "error", err)
		if err := s.retract("the model broke off and is asked again"); err != nil {
			return resp, false, err
		}
		if err := s.cfg.Retry.Sleep(ctx, wait); err != nil {
			return resp, false, err
		}
	}
}

// canTrim reports whether a shorter prompt can be made, which is tried once.
func (s *session) canTrim() bool {
	return !s.trimmed && (len(s.task.History) > 0 || len(s.state.rounds) > 0)
}

// attempt calls the model once and streams what it says.
func (s *session) attempt(ctx context.Context, req ibid.ModelRequest) (ibid.ModelResponse, error) {
	if s.spent() {
		s.last++
	}
	s.stream = newAnswerStream(ctx, s, s.holdLimit(req)) // it is read when the attempt is over
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.writing, s.written = nil, nil
	resp, err := s.generate(ctx, s.cfg.Model, req, func(d ibid.ModelDelta) {
		if s.take(d, len(req.Tools) > 0) != nil {
			cancel() // the log cannot be written: there is no use in going on
		}
	})
	if s.sinkErr != nil {
		return resp, s.sinkErr
	}
	if err != nil {
		if unwritable := s.closeQuery(); unwritable != nil {
			return resp, unwritable
		}
		return resp, err
	}
	return resp, s.stream.close(resp.Turn.Text())
}

// take takes a piece of a turn. offered says whether it may call tools.
func (s *session) take(d ibid.ModelDelta, offered bool) error {
	if d.Call == nil {
		return s.stream.take(d)
	}
	if !offered {
		return nil
	}
	return s.write(*d.Call)
}

// holdLimit is how much of a turn's text waits until it is clear that the turn
// does not end in tool calls.
//
// Many models announce their calls ("I'll look that up."). Such words are no
// part of the answer, but they come before anything tells. Announcements are
// short, most of them come before the first call, and they begin like one
// (announcing); so what does is held for longer than what does not, and nothing
// is held where no tool can be called. What is let through and turns out to be an
// announcement after all is retracted; either way it is shown as reasoning. A
// turn that may have to be repeated because a forced tool was not used is held
// longest.
func (s *session) holdLimit(req ibid.ModelRequest) int {
	switch {
	case len(req.Tools) == 0:
		return 0
	case !s.urged && len(s.unusedTools()) > 0:
		return 2000
	case len(s.state.rounds) == 0:
		return announceHold
	}
	return 60
}

const (
	// announceHold is how many bytes are held of a text before the first call.
	announceHold = 200
	// plainHold is how many of them where it does not begin like an announcement:
	// enough to tell.
	plainHold = 24
)

// announcing finds the beginnings of texts that announce what is done next.
var announcing = regexp.MustCompile(`(?i)^\W*(i|i['’]ll|i['’]m|i['’]d|let|let['’]s|to|first|sure|ok|okay|certainly|of course|alright|great|one|now|next|we|searching|looking|checking|before|ich|lass|zuerst)\b`)
