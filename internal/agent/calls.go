package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/agent/cite"
)

const (
	// maxCalls bounds how many tools one turn may call; the rest is forgotten.
	maxCalls = 32
	// maxArguments bounds the arguments of a call, in bytes.
	maxArguments = 32 << 10
	// detailLimit bounds lines for people, in characters.
	detailLimit = 200
	// abandonAfter is how long a tool that does not stop in time is waited for.
	abandonAfter = 5 * time.Second
)

// invalidKey marks arguments that were no JSON object.
const invalidKey = "_invalid"

// begin writes the calls of a turn into the log. All starts come before the
// first call runs. The turn itself is kept beside the first one where the calls
// alone do not bring it back: where parts of it belong to the provider, and
// where it has several calls, so that none is forgotten in a crash.
func (s *session) begin(turn ibid.Turn) error {
	turn, opaque := s.normalised(turn)
	calls := turn.Calls()
	iteration := s.state.iteration() + 1
	for i, c := range calls {
		started := s.started(c, iteration)
		if i == 0 && (opaque || len(calls) > 1) {
			started.Replay = &turn
		}
		if i == 0 && s.unsaid != (ibid.Usage{}) {
			cost := s.unsaid
			started.Usage, s.unsaid = &cost, ibid.Usage{}
		}
		if err := s.showQuery(i, c); err != nil {
			return err
		}
		if err := s.emit(started); err != nil {
			return err
		}
	}
	return s.closeQuery()
}

// restart writes the starts of calls that a crash cut off, again or, where they
// had not reached the log, for the first time.
func (s *session) restart() error {
	for _, c := range s.state.unfinished() {
		if err := s.emit(s.started(c, s.state.iteration())); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) started(c ibid.ToolCall, iteration int) ibid.ToolStarted {
	return ibid.ToolStarted{CallID: c.ID, Tool: c.Name, Input: c.Arguments, Detail: s.detail(c), Iteration: iteration}
}

// detail asks the tool for its line. The arguments are the model's, so nothing
// is certain about them.
func (s *session) detail(c ibid.ToolCall) (line string) {
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Log.Error("panic in the detail of a tool", "tool", c.Name, "panic", p)
			line = ""
		}
	}()
	if t := s.tool(c.Name); t != nil {
		return oneLine(t.Detail(c.Arguments), detailLimit)
	}
	return ""
}

// normalised gives every call of a turn an id of its own, the tool's own name,
// and arguments that are a JSON object. Unless parts of the turn are opaque,
// only its calls are kept.
func (s *session) normalised(turn ibid.Turn) (_ ibid.Turn, opaque bool) {
	for _, p := range turn.Parts {
		opaque = opaque || len(p.Opaque) > 0
	}
	out := ibid.Turn{Role: ibid.RoleAssistant}
	used := map[string]bool{}
	for _, p := range turn.Parts {
		if p.Call == nil {
			if opaque {
				out.Parts = append(out.Parts, p)
			}
			continue
		}
		if len(used) == maxCalls || !opaque && len(used) > 0 && len(s.state.calls)+len(used) >= s.cfg.Limits.ToolCalls {
			continue // too many; a turn that goes back as it came keeps them, and they are refused
		}
		c := *p.Call
		taken := func(id string) bool { return id == "" || used[id] || s.state.calls[id] != nil }
		if taken(c.ID) {
			fresh := s.cfg.NewID()
			c.ID = fresh
			for n := 2; taken(c.ID); n++ {
				c.ID = fmt.Sprintf("%s-%d", fresh, n)
			}
		}
		used[c.ID] = true
		if t := s.tool(c.Name); t != nil {
			c.Name = t.Spec().Name
		} else {
			c.Name = oneLine(c.Name, 64)
		}
		c.Arguments = object(c.Arguments)
		p.Call = &c
		out.Parts = append(out.Parts, p)
	}
	return out, opaque
}

// object returns arguments as a JSON object. Models send nothing, null, an
// object inside a string, or no JSON at all.
func object(raw json.RawMessage) json.RawMessage {
	text := strings.TrimSpace(string(raw))
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = strings.TrimSpace(inner)
	}
	if text == "" || text == "null" {
		return json.RawMessage("{}")
	}
	var fields map[string]json.RawMessage
	if len(text) <= maxArguments && json.Unmarshal([]byte(text), &fields) == nil {
		var b bytes.Buffer
		if json.Compact(&b, []byte(text)) == nil { // as it will come back from the log
			return b.Bytes()
		}
	}
	text, _ = cutAt(strings.ToValidUTF8(text, "\uFFFD"), 1000)
	invalid, err := json.Marshal(map[string]string{invalidKey: text})
	if err != nil {
		return json.RawMessage("{}")
	}
	return invalid
}

// tools runs the calls that wait, side by side, and emits their results as they
// come in.
func (s *session) tools(ctx context.Context) (phase, error) {
	var wait []*call
	for _, open := range s.state.unfinished() {
		c := s.state.calls[open.ID]
		out, settled := s.settle(c)
		if !settled {
			wait = append(wait, c)
			continue
		}
		if err := s.finish(c, out, 0); err != nil {
			return 0, err
		}
	}
	if err := s.runAll(ctx, wait); err != nil {
		return 0, err
	}
	return phaseGrade, nil
}

// settle answers a call that need not run: one the model can correct, or one
// whose answer it has.
func (s *session) settle(c *call) (out ibid.ToolOutput, settled bool) {
	t := s.tool(c.Name)
	refuse := func(summary, content string) (ibid.ToolOutput, bool) {
		return ibid.ToolOutput{Failed: true, Summary: summary, Content: content}, true
	}
	if t == nil {
		var names []string
		for _, t := range s.cfg.Tools {
			names = append(names, t.Spec().Name)
		}
		return refuse("there is no such tool", fmt.Sprintf("There is no tool %q. The tools are: %s.", c.Name, strings.Join(names, ", ")))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.Arguments, &fields) != nil || fields[invalidKey] != nil {
		return refuse("the arguments are no JSON object", fmt.Sprintf(
			"The arguments of %s could not be read. They must be a JSON object of this schema: %s", c.Name, t.Spec().Parameters))
	}
	if s.position(c) >= s.cfg.Limits.ToolCalls {
		return refuse("no more tools may be used", fmt.Sprintf(
			"All %d tool calls of this question are used up. Answer with what you have.", s.cfg.Limits.ToolCalls))
	}
	if before := s.state.repeated(c); before != nil {
		out := ibid.ToolOutput{Summary: "asked before", Content: "You made this very call before, and its result stands above. " +
			"Use that result, ask for something else, or answer now."}
		if before.result != nil {
			out.Summary = "asked before: " + before.result.Summary
		}
		return out, true
	}
	return ibid.ToolOutput{}, false
}

// position counts the calls before c.
func (s *session) position(c *call) int {
	n := 0
	for _, r := range s.state.rounds {
		for _, other := range r.calls {
			if other == c {
				return n
			}
			n++
		}
	}
	return n
}

// finished is what a call came to.
type finished struct {
	call *call
	out  ibid.ToolOutput
	took time.Duration
}

// runAll runs calls side by side and waits for all of them. A tool that ignores
// the end of its context for abandonAfter breaks its promise; it is left behind,
// with a line in the log, since the person who asked is still waiting.
func (s *session) runAll(ctx context.Context, calls []*call) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan finished, len(calls)) // room for all: nobody is blocked by our leaving
	env := ibid.ToolEnv{Scope: s.task.Request.Scope, Request: s.task.Request, Now: s.cfg.Now(),
		Shown: slices.Clone(s.state.ledger.Citations), // results of this round add to it meanwhile
		Told:  s.told(), ThreadID: s.task.ThreadID, MessageID: s.task.MessageID}
	open := map[*call]bool{}
	for _, c := range calls {
		open[c] = true
		t := s.tool(c.Name)
		go func() { results <- s.invoke(ctx, t, c, env) }()
	}
	longest := s.cfg.Limits.ToolTimeout
	for _, c := range calls {
		longest = max(longest, s.timeout(c.Name))
	}
	overdue := time.NewTimer(longest + abandonAfter)
	defer overdue.Stop()
	done := ctx.Done()
	var failed error
	for len(open) > 0 {
		select {
		case r := <-results:
			delete(open, r.call)
			if failed == nil && ctx.Err() == nil {
				failed = s.finish(r.call, r.out, r.took)
			}
			if failed != nil {
				cancel()
			}
		case <-done:
			done = nil
			overdue.Reset(abandonAfter)
		case <-overdue.C:
			if err := s.abandon(open, failed == nil && ctx.Err() == nil); err != nil {
				return err
			}
			clear(open)
		}
	}
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// told is what the user has said in this conversation, what stands in the
// passages that were found in this run, and where the pages lie that tools have
// named. Nothing of it is the model's own making: what tools repeat of their
// arguments is left out, and so is what a database answered.
func (s *session) told() []string {
	var texts []string
	for _, t := range s.task.History {
		if t.Role == ibid.RoleUser {
			texts = append(texts, t.Text())
		}
	}
	texts = append(texts, s.task.Request.Text)
	for _, c := range s.state.ledger.Citations {
		if c.Kind != ibid.SourceQuery && c.Kind != ibid.SourceTool {
			texts = append(texts, c.Text, c.URL)
		}
	}
	for _, r := range s.state.rounds {
		for _, c := range r.calls {
			if c.result == nil {
				continue
			}
			for _, page := range c.result.Sources {
				texts = append(texts, page.URL)
			}
		}
	}
	return texts
}

// abandon gives up on calls whose tools do not stop.
func (s *session) abandon(open map[*call]bool, report bool) error {
	for _, c := range s.state.last().calls {
		if !open[c] {
			continue
		}
		s.cfg.Log.Error("a tool does not stop; it is left behind", "tool", c.Name, "call", c.ID)
		if !report {
			continue
		}
		if err := s.finish(c, s.timedOut(c.Name), s.timeout(c.Name)+abandonAfter); err != nil {
			return err
		}
	}
	return nil
}

// invoke runs one call. It turns errors and panics into outputs.
func (s *session) invoke(ctx context.Context, t Tool, c *call, env ibid.ToolEnv) (f finished) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout(c.Name))
	defer cancel()
	began := s.cfg.Now()
	f.call = c
	defer func() {
		f.took = s.cfg.Now().Sub(began)
		if p := recover(); p != nil {
			s.cfg.Log.Error("panic in a tool", "tool", c.Name, "panic", p, "stack", string(debug.Stack()))
			f.out = broken(c.Name, "an internal error")
		}
	}()
	out, err := t.Call(ctx, s.task.View, c.ToolCall, env)
	switch {
	case err == nil:
		f.out = out
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		f.out = s.timedOut(c.Name)
	default:
		s.cfg.Log.Warn("a tool failed", "tool", c.Name, "error", err)
		f.out = broken(c.Name, reason(err))
	}
	return f
}

// reason says an error to the model and to people. What is not one of our own
// kinds is for our eyes only.
func reason(err error) string {
	var e *ibid.Error
	if !errors.As(err, &e) || e.Code == ibid.CodeInternal {
		return "an internal error"
	}
	if e.Hint != "" {
		return e.Message + " (" + e.Hint + ")"
	}
	return e.Message
}

func broken(name, why string) ibid.ToolOutput {
	return ibid.ToolOutput{Failed: true, Summary: "failed: " + why,
		Content: fmt.Sprintf("%s failed: %s. Try something else, or answer with what you have and say what could not be done.", name, why)}
}

func (s *session) timedOut(name string) ibid.ToolOutput {
	return broken(name, fmt.Sprintf("it took longer than %s", s.timeout(name)))
}

// patient is a tool whose work takes longer than that of others.
type patient interface{ Timeout() time.Duration }

// timeout is how long a call of a tool may take.
func (s *session) timeout(name string) time.Duration {
	if t, ok := s.tool(name).(patient); ok {
		return max(t.Timeout(), s.cfg.Limits.ToolTimeout)
	}
	return s.cfg.Limits.ToolTimeout
}

// finish writes what a call came to. The passages it found come first: once
// tool.finished stands the call never runs again, so everything that the model
// may cite from it has to stand by then.
func (s *session) finish(c *call, out ibid.ToolOutput, took time.Duration) error {
	if out.Reranked != nil {
		s.reranked = append(s.reranked, *out.Reranked)
	}
	text, cited := s.output(out)
	for _, citation := range cited {
		if err := s.emit(ibid.CitationAdded{Citation: citation}); err != nil {
			return err
		}
	}
	summary := out.Summary
	if summary == "" {
		summary, _, _ = strings.Cut(strings.TrimSpace(out.Content), "\n")
	}
	done := ibid.ToolFinished{
		CallID: c.ID, Tool: c.Name, OK: !out.Failed, Summary: oneLine(summary, detailLimit), Output: text,
		DurationMS: took.Milliseconds(), Retrieval: out.Retrieval, Usage: out.Usage, Page: out.Page, Table: out.Table, Sources: out.Sources, Files: out.Files,
	}
	if out.Failed {
		done.Error = done.Summary
	}
	return s.emit(done)
}

// output writes a tool's output as the model reads it, in at most MaxToolOutput
// bytes, and returns what in it is citable and new to the run: its passages, and
// the result itself where the tool says so. A passage that does not fit is left
// out, and is not citable then.
func (s *session) output(out ibid.ToolOutput) (text string, added []ibid.Citation) {
	content := strings.ToValidUTF8(out.Content, "\uFFFD")
	if _, claimed := ibid.ParseResult(content); claimed != "" { // what a tool repeats gets no handle by saying so
		content = strings.ReplaceAll(content, "<result", "<\u200bresult")
	}
	room := ibid.MaxToolOutput - noteRoom - min(len(content), ibid.MaxToolOutput/2)
	next := s.state.ledger.Last + 1
	var b strings.Builder
	seen := map[string]bool{}
	left := 0
	for _, p := range out.Passages {
		if seen[p.ID] {
			continue
		}
		seen[p.ID] = true
		n, known := s.state.ledger.Number[p.ID]
		if !known {
			n = next
		}
		citation := cite.Of(p, n, s.cfg.Drawn)
		fenced := ibid.FormatPassages([]ibid.Handled{handled(citation)})
		if b.Len() > 0 && b.Len()+len(fenced) > room {
			left++
			continue
		}
		fenced, _ = bounded(fenced, room)
		b.WriteString(fenced)
		if !known {
			added = append(added, citation)
			next++
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "[%d more passages do not fit]\n", left)
	}
	content, _ = bounded(content, ibid.MaxToolOutput-resultRoom-b.Len())
	b.WriteString(content)
	if b.Len() == 0 {
		return "(nothing)", added
	}
	if out.Cite != nil {
		n, known := s.state.ledger.Number[out.Cite.ID]
		if !known {
			n = next
			added = append(added, cite.Of(*out.Cite, n, s.cfg.Drawn))
		}
		b.WriteString("\n" + ibid.FormatResult(cite.Handle(n)))
	}
	return b.String(), added
}

// resultRoom is what is kept free, in bytes, for the handle of a result.
const resultRoom = 40

// handled is the passage of a citation with the handle that the model knows it by.
func handled(c ibid.Citation) ibid.Handled {
	h := ibid.Handled{Handle: cite.Handle(c.N), Title: c.Title, Heading: c.Heading, Text: c.Text, Score: c.Score}
	if len(c.Pages) > 0 {
		h.Page = c.Pages[0]
	}
	return h
}
