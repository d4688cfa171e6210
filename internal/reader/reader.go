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
	"fmt"
	"strings"
	"sync"

	"ibid"
	"ibid/internal/question"
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
	if answer, ok := r.fromFiles(t, question.Split(t.question, maxQueries), t.attached); ok {
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
	questions := question.Split(t.question, maxQueries)
	if t.inFull != "" {
		questions = question.Split(t.inFull, maxQueries)
	}
	if answer, ok := r.fromFiles(t, questions, t.attached); ok {
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

// arg returns an argument of a call as text.
func (r round) arg(name string) string {
	if v, ok := r.args[name]; ok {
		return fmt.Sprint(v)
	}
	return ""
}
