package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/agent/cite"
)

// state is what a run's log comes to. It changes by apply only, live and when a
// log is read back, so both lead to the same prompt.
type state struct {
	analysis  *ibid.QueryAnalyzed
	cache     *ibid.CacheChecked
	planned   bool // some reasoning stands
	paragraph bool // it ends with an empty line
	rounds    []*round
	calls     map[string]*call
	ledger    cite.Ledger
	attached  map[string][]ibid.Citation // passages of the texts that came with the question, by document
	answer    []byte                     // the text since the last retraction
	placed    []ibid.CitationPlaced      // its footnotes, as they came
	verdict   *ibid.AnswerVerified
	named     int // sources that the log names
	toolUsage ibid.Usage
	turnUsage ibid.Usage // of the model's turns, as far as the log tells
}

// round is one turn of the model that asked for tools.
type round struct {
	iteration int
	replay    *ibid.Turn
	calls     []*call // in the order in which the model asked
	// grades are the verdicts on the passages that the round found, by chunk id;
	// nil until they are graded.
	grades map[string]ibid.Grade
	action string // what the grades ask for: proceed, re-retrieve, expand
}

// call is one tool call. It is finished when result is set.
type call struct {
	ibid.ToolCall
	result *ibid.ToolFinished
}

// apply takes one event.
func (s *state) apply(data ibid.EventData) {
	switch d := data.(type) {
	case ibid.QueryAnalyzed:
		s.analysis = &d
	case ibid.CacheChecked:
		s.cache = &d
	case ibid.PassagesGraded:
		s.graded(d)
	case ibid.ReasoningDelta:
		s.planned = true
		s.paragraph = strings.HasSuffix(d.Text, "\n\n")
	case ibid.ToolStarted:
		s.start(d)
	case ibid.ToolFinished:
		if c := s.calls[d.CallID]; c != nil {
			c.result = &d
			s.toolUsage = s.toolUsage.Add(d.Usage)
		}
	case ibid.CitationAdded:
		s.attach(d.Citation)
		s.ledger.Add(d.Citation)
	case ibid.AnswerDelta:
		s.answer = append(s.answer, d.Text...)
	case ibid.CitationPlaced:
		s.placed = append(s.placed, d)
	case ibid.AnswerRetracted:
		s.answer, s.placed = nil, nil
	case ibid.AnswerVerified:
		s.verdict = &d
	case ibid.SourcesNamed:
		s.named = len(d.Sources)
	}
}

func (s *state) start(d ibid.ToolStarted) {
	if s.calls[d.CallID] != nil {
		return // run again after a crash
	}
	r := s.last()
	if r == nil || r.iteration != d.Iteration {
		r = &round{iteration: d.Iteration}
		s.rounds = append(s.rounds, r)
	}
	if d.Replay != nil {
		r.replay = d.Replay
	}
	if d.Usage != nil {
		s.turnUsage = s.turnUsage.Add(*d.Usage)
	}
	if s.calls == nil {
		s.calls = map[string]*call{}
	}
	c := &call{ToolCall: ibid.ToolCall{ID: d.CallID, Name: d.Tool, Arguments: d.Input}}
	s.calls[d.CallID] = c
	r.calls = append(r.calls, c)
}

// last returns the latest round, nil when there is none.
func (s *state) last() *round {
	if len(s.rounds) == 0 {
		return nil
	}
	return s.rounds[len(s.rounds)-1]
}

// unfinished returns the calls of the last round that still have to run. Where
// the turn that asked for them is kept, that includes calls whose start did not
// reach the log.
func (s *state) unfinished() []ibid.ToolCall {
	r := s.last()
	if r == nil {
		return nil
	}
	var open []ibid.ToolCall
	for _, c := range r.calls {
		if c.result == nil {
			open = append(open, c.ToolCall)
		}
	}
	if r.replay != nil {
		for _, c := range r.replay.Calls() {
			if s.calls[c.ID] == nil {
				open = append(open, c)
			}
		}
	}
	return open
}

// iteration is the number of turns of the model that the log tells of.
func (s *state) iteration() int {
	if r := s.last(); r != nil {
		return r.iteration
	}
	return 0
}

// repeated returns the finished or earlier call that asks for the same as c.
func (s *state) repeated(c *call) *call {
	for _, r := range s.rounds {
		for _, before := range r.calls {
			if before == c {
				return nil
			}
			failed := before.result != nil && !before.result.OK
			if !failed && before.Name == c.Name && sameJSON(before.Arguments, c.Arguments) {
				return before
			}
		}
	}
	return nil
}

func sameJSON(a, b json.RawMessage) bool {
	return bytes.Equal(canonical(a), canonical(b))
}

// canonical writes JSON with sorted keys and without white space.
func canonical(raw json.RawMessage) []byte {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return b
}

// tools lists the tools that were used, each once, in the order of first use.
func (s *state) tools() []string {
	used := []string{}
	for _, r := range s.rounds {
		for _, c := range r.calls {
			if !slices.Contains(used, c.Name) {
				used = append(used, c.Name)
			}
		}
	}
	return used
}

// turns writes the rounds as the model reads them: its calls, then their results
// in the order of the calls. What it said beside its calls is not repeated to
// it, unless its provider wants the turn back as it was. Outputs are cut to
// limit bytes. Pictures follow the results of their round.
func (s *state) turns(limit int, images map[ibid.PageRef]ibid.Image) []ibid.Turn {
	var turns []ibid.Turn
	for _, r := range s.rounds {
		asked := ibid.Turn{Role: ibid.RoleAssistant}
		told := ibid.Turn{Role: ibid.RoleTool}
		for _, c := range r.calls {
			asked.Parts = append(asked.Parts, ibid.Part{Call: &c.ToolCall})
			result := ibid.ToolResult{CallID: c.ID, Name: c.Name}
			if c.result != nil {
				result.Content, _ = bounded(s.shown(r, c), limit)
				result.Failed = !c.result.OK
			}
			told.Parts = append(told.Parts, ibid.Part{Result: &result})
		}
		if r.replay != nil {
			asked = *r.replay
		}
		turns = append(turns, asked, told)
		for _, c := range r.calls {
			if turn, ok := picture(c, images); ok {
				turns = append(turns, turn)
			}
		}
	}
	return turns
}
