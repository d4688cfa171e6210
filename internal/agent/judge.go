package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/question"
)

const (
	// directRequests is how often the direct mode may call a model in all.
	directRequests = 2
	// smallBudget is the number of model requests under which the judge is never
	// asked in the agentic mode.
	smallBudget = 10
	judgeTokens = 1500
	// judgeBytes bounds what a judge says, judgePreamble what it says before its JSON
	// begins.
	judgeBytes    = 16 << 10
	judgePreamble = 400
)

// mayAskJudge reports whether a call of the judge is wanted and fits the budget,
// with a call left for the answer where that is still to come.
func (s *session) mayAskJudge(judging Judging) bool {
	if s.cfg.Judge == nil || judging == JudgeOff || judging == JudgeRules {
		return false
	}
	answer := 1
	if len(s.state.answer) > 0 {
		answer = 0
	}
	if s.mode == ibid.ModeDirect {
		return s.asked+1+answer <= directRequests
	}
	limit := s.cfg.Limits.ModelRequests
	return limit >= smallBudget && s.requests()+1+answer < limit
}

// schemas are what the judge's answers must look like.
var schemas = map[ibid.Instruction]json.RawMessage{
	ibid.InstructRewrite: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}},"required":["question"],"additionalProperties":false}`),
	ibid.InstructGrade: json.RawMessage(`{"type":"object","properties":{"grades":{"type":"array","items":{"type":"object","properties":{
"id":{"type":"string"},"score":{"type":"number"}},"required":["id","score"],"additionalProperties":false}},
"better_query":{"type":"string"}},"required":["grades","better_query"],"additionalProperties":false}`),
	ibid.InstructVerify: json.RawMessage(`{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"object","properties":{
"claim":{"type":"integer"},"verdict":{"type":"string","enum":["SUPPORTED","PARTIALLY_SUPPORTED","UNSUPPORTED","CONTRADICTED"]}},
"required":["claim","verdict"],"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`),
}

// askJudge makes one call for one JSON value. What it is about is data.
func (s *session) askJudge(ctx context.Context, task ibid.Instruction, about ibid.Subject, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while judging: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Limits.ToolTimeout)
	defer cancel()
	about.Question = s.question()
	began, length := false, 0
	resp, err := s.generate(ctx, s.cfg.Judge, ibid.ModelRequest{
		Brief: &ibid.Brief{Instruction: task}, Schema: schemas[task], Think: ibid.ThinkOff, MaxTokens: judgeTokens,
		Turns: []ibid.Turn{ibid.About(about)},
	}, func(d ibid.ModelDelta) {
		began = began || strings.Contains(d.Text, "{")
		if length += len(d.Text); length > judgeBytes || !began && length > judgePreamble {
			cancel() // nobody waits for a model that talks of something else
		}
	})
	if err != nil {
		return err
	}
	said := resp.Turn.Text()
	first, last := strings.IndexByte(said, '{'), strings.LastIndexByte(said, '}')
	if first < 0 || last < first {
		return errors.New("the judge wrote no JSON")
	}
	if err := json.Unmarshal([]byte(said[first:last+1]), into); err != nil {
		return fmt.Errorf("read what the judge wrote: %w", err)
	}
	return nil
}

// rewrite lets the judge write a question that leans on what was said before as
// one that stands alone.
func (s *session) rewrite(ctx context.Context) (alone string, ok bool) {
	var about ibid.Subject
	for _, t := range s.task.History[max(0, len(s.task.History)-2*question.MaxBack):] {
		about.Earlier = append(about.Earlier, ibid.Said{Role: t.Role, Text: oneLine(t.Text(), 500)})
	}
	var said struct {
		Question string `json:"question"`
	}
	if err := s.askJudge(ctx, ibid.InstructRewrite, about, &said); err != nil {
		s.cfg.Log.Warn("the question cannot be rewritten", "error", err)
		return "", false
	}
	said.Question = oneLine(said.Question, 500)
	return said.Question, said.Question != ""
}
