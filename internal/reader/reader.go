// Package reader is the built-in model. It is no language model and says so: it
// plans by rule, calls the same tools through the same loop as any other model,
// and answers by quoting the sentences that fit the question best, each with its
// footnote. When nothing fits it says that and cites nothing.
//
// It needs no download and no memory to speak of, keeps no state between calls,
// and always answers the same question on the same passages the same way.
//
//	request ─▶ task ─┬─ no tools ─┬─ think ──────▶ plan in words
//	                 │            ├─ schema ─────▶ digest as JSON
//	                 │            └─ else ───────▶ quotes, or a digest in words
//	                 └─ tools ────┬─ no results ─▶ tool calls by rule
//	                              └─ results ────▶ quotes, a plain sentence, or one more search
package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"ibid"
	"ibid/internal/text"
)

// Reader is an ibid.Model and an ibid.Prober.
type Reader struct {
	mu        sync.Mutex
	analyzers map[string]*text.Analyzer // by language
}

// New returns the built-in model.
func New() *Reader { return &Reader{analyzers: map[string]*text.Analyzer{}} }

// Name implements ibid.Model.
func (r *Reader) Name() string { return "reader" }

// Probe implements ibid.Prober.
func (r *Reader) Probe(context.Context) (ibid.Capabilities, error) {
	return ibid.Capabilities{Thinking: true, Tools: true}, nil
}

// analyzer returns the analyzer for the language of the samples; English when it
// cannot be told.
func (r *Reader) analyzer(samples ...string) *text.Analyzer {
	language := "en"
	for _, s := range samples {
		if l := text.Language(s); l != "" {
			language = l
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.analyzers[language]
	if a == nil {
		a = text.NewAnalyzer(language)
		r.analyzers[language] = a
	}
	return a
}

// reply is what the reader does in one turn.
type reply struct {
	thinking string
	text     string
	calls    []ibid.ToolCall
}

// Generate implements ibid.Model. It reaches nobody, so it fails only when ctx
// ends.
func (r *Reader) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	out := r.reply(req)
	turn := ibid.Turn{Role: ibid.RoleAssistant}
	res := ibid.ModelResponse{StopReason: ibid.StopEnd, Usage: ibid.Usage{InputTokens: inputWords(req), ModelRequests: 1}}

	thinking, n, err := say(ctx, out.thinking, 0, func(s string) { emit(ibid.ModelDelta{Reasoning: s}) })
	res.Usage.ReasoningTokens, res.Usage.OutputTokens = n, n
	if thinking != "" {
		turn.Parts = append(turn.Parts, ibid.Part{Reasoning: thinking})
	}
	if err == nil {
		var answer string
		answer, n, err = say(ctx, out.text, req.MaxTokens, func(s string) { emit(ibid.ModelDelta{Text: s}) })
		res.Usage.OutputTokens += n
		if len(answer) < len(out.text) {
			res.StopReason = ibid.StopLength
		}
		if answer != "" {
			turn.Parts = append(turn.Parts, ibid.Part{Text: answer})
		}
	}
	if err == nil && len(out.calls) > 0 {
		res.StopReason = ibid.StopTools
		for i := range out.calls {
			turn.Parts = append(turn.Parts, ibid.Part{Call: &out.calls[i]})
		}
	}
	res.Turn = turn
	return res, err
}

// say emits a text word by word, at most limit words (0: all), until ctx ends.
// It returns what was emitted and how many words that was.
func say(ctx context.Context, s string, limit int, emit func(string)) (said string, n int, err error) {
	rest := s
	for rest != "" {
		if ctx.Err() != nil {
			return s[:len(s)-len(rest)], n, ctx.Err()
		}
		if limit > 0 && n == limit {
			break
		}
		end := strings.IndexAny(strings.TrimLeft(rest, " \n"), " \n")
		if end < 0 {
			end = len(rest)
		} else {
			end += len(rest) - len(strings.TrimLeft(rest, " \n"))
			for end < len(rest) && (rest[end] == ' ' || rest[end] == '\n') {
				end++
			}
		}
		emit(rest[:end])
		rest = rest[end:]
		n++
	}
	return s[:len(s)-len(rest)], n, ctx.Err()
}

// inputWords counts the words that were read: the reader's tokens.
func inputWords(req ibid.ModelRequest) int {
	n := len(strings.Fields(req.System))
	for _, t := range req.Turns {
		for _, p := range t.Parts {
			n += len(strings.Fields(p.Text))
			if p.Result != nil {
				n += len(strings.Fields(p.Result.Content))
			}
		}
	}
	return n
}

// reply decides what to do.
func (r *Reader) reply(req ibid.ModelRequest) reply {
	t := newTask(req)
	switch {
	case len(req.Schema) > 0:
		return reply{text: r.fill(req.Schema, t)}
	case len(req.Tools) == 0 && req.Think == ibid.ThinkOn:
		return reply{thinking: r.planInWords(t)}
	case len(t.rounds) > 0:
		return r.nextMove(t, req)
	case t.searched:
		return reply{text: r.fromGiven(t)}
	case len(req.Tools) == 0:
		return reply{text: r.withoutTools(t)}
	}
	return r.firstMove(t, req)
}

// withoutTools answers from what stands in the prompt itself.
func (r *Reader) withoutTools(t task) string {
	if ps := t.promptPassages(); len(ps) > 0 {
		if answer, ok := r.contrast(t.question, ps); ok {
			return answer
		}
		if answer, ok := r.quote(t.question, ps); ok {
			return answer
		}
		return nothingFound([]string{t.question})
	}
	if answer, ok := r.fromAttached(t, splitQuestions(t.question)); ok {
		return answer
	}
	if len(t.question) > longPrompt {
		return r.digest(t)
	}
	if s, ok := smallTalk(t.question); ok {
		return s
	}
	return introduction
}

// fromGiven answers from what the agent has found.
func (r *Reader) fromGiven(t task) string {
	questions := splitQuestions(t.question)
	if t.inFull != "" {
		questions = splitQuestions(t.inFull)
	}
	if answer, ok := r.fromAttached(t, questions); ok {
		return answer
	}
	if answer, ok := r.quoteAll(questions, merge(t.attached, t.given)); ok {
		return answer
	}
	return nothingFound(questions)
}

// longPrompt is the size, in bytes, from which on a prompt without tools is
// taken for a text to be summed up rather than for a question.
const longPrompt = 600

// task is what a request asks for, taken apart.
type task struct {
	system       string
	question     string         // what the user asked last
	notes        string         // what the agent added to that
	attached     []ibid.Handled // the passages of texts that came with it
	files        []namedFile    // files that came with it and have to be read
	earlier      []string       // what the user said before, oldest first
	earlierFiles []namedFile    // that came with that
	rounds       []round        // tool calls since the question, oldest first

	searched bool           // the agent has searched the documents itself
	given    []ibid.Handled // what it found, the best first
	inFull   string         // the question as it stands alone, where it does not
}

// round is a tool call and what came of it.
type round struct {
	tool   string
	args   map[string]any
	result *ibid.ToolResult
}

func newTask(req ibid.ModelRequest) task {
	t := task{system: req.System}
	byID := map[string]int{}
	var before ibid.Role
	for _, turn := range req.Turns {
		switch turn.Role {
		case ibid.RoleUser:
			// Directly after a question or a result the agent speaks, not the user.
			if before != ibid.RoleUser && before != ibid.RoleTool && !strings.HasPrefix(turn.Text(), nudge) {
				t.ask(turn)
				clear(byID)
			}
		case ibid.RoleAssistant:
			for _, c := range turn.Calls() {
				var args map[string]any
				if json.Unmarshal(c.Arguments, &args) != nil {
					args = nil
				}
				byID[c.ID] = len(t.rounds)
				t.rounds = append(t.rounds, round{tool: c.Name, args: args})
			}
		case ibid.RoleTool:
			for _, p := range turn.Parts {
				if p.Result == nil {
					continue
				}
				if i, ok := byID[p.Result.CallID]; ok {
					t.rounds[i].result = p.Result
				}
			}
		}
		before = turn.Role
	}
	return t
}

// nudge begins what the agent says to a model that answered without a tool that
// the user wants used.
const nudge = "You answered without using "

// ask takes a new question. Its first part is what the user wrote; texts that
// came with it and notes of the agent's are parts of their own.
func (t *task) ask(turn ibid.Turn) {
	if t.question != "" {
		t.earlier = append(t.earlier, t.question)
	}
	t.question, t.notes, t.attached, t.rounds = "", "", nil, nil
	t.earlierFiles = append(t.earlierFiles, t.files...)
	t.files = filesOfPast(turn.Text())
	t.searched, t.given, t.inFull = false, nil, ""
	for _, p := range turn.Parts {
		switch {
		case p.Text == "":
		case t.question == "":
			t.question = strings.TrimSpace(historyHead.ReplaceAllString(p.Text, ""))
		case attachment.MatchString(p.Text):
			if m := attachment.FindStringSubmatch(p.Text); m[2] != "" {
				t.files = append(t.files, namedFile{ID: m[2], Name: m[1]})
			} else if passages := ibid.ParsePassages(m[3]); len(passages) > 0 {
				t.attached = append(t.attached, passages...)
			} else { // it cannot be cited
				t.attached = append(t.attached, ibid.Handled{Title: m[1], Text: m[3], Score: 1})
			}
		case findings.MatchString(p.Text):
			m := findings.FindStringSubmatch(p.Text)
			t.searched, t.given, t.inFull = true, ibid.ParsePassages(p.Text), m[1]
		default:
			t.notes += p.Text
			if m := inFull.FindStringSubmatch(p.Text); m != nil {
				t.inFull = m[1]
			}
		}
	}
}

var (
	// historyHead is what stands before messages of the past.
	historyHead = regexp.MustCompile(`(?s)^<!-- METADATA: .*? -->\n?`)
	attachment  = regexp.MustCompile(`(?s)^\s*<attachment name="(.*?)"(?: type="[^"]*" id="([^"]*)")?>\n(.*)\n</attachment>\s*$`)
	// findings end with the question, after a line about the passages before it.
	findings = regexp.MustCompile(`(?s)\n(?:Answer this question from the passages above|No passage of the documents matches)[^\n]*\n(.*)$`)
	inFull   = regexp.MustCompile(`\(In full: (.*?)\)`)
)

// promptPassages returns passages that were put into the prompt.
func (t task) promptPassages() []ibid.Handled {
	return append(ibid.ParsePassages(t.system), ibid.ParsePassages(t.question)...)
}

// arg returns an argument of a call as text.
func (r round) arg(name string) string {
	if v, ok := r.args[name]; ok {
		return fmt.Sprint(v)
	}
	return ""
}
