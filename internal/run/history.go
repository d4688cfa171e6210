package run

import (
	"context"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
)

// sessionGap is the pause after which a message opens a new session.
const sessionGap = 4 * time.Hour

// history is what the model is told was said before.
type history struct {
	turns  []ibid.Turn
	memory ibid.Memory
	sizes  []int // of the pairs, newest first, in characters
}

// pair is a question with its answer. Memory is given up by pairs, so that the
// model never sees an answer without its question.
type pair struct {
	messages []ibid.Message
	chars    int
}

// historyWindow is how many messages of a branch are read at once, at most.
const historyWindow = 16

// history collects the messages above a run's question on its branch, newest
// first, until the number of messages or the budget of characters is reached. It
// reads no further than that, however long the thread is.
func (r *Runner) history(ctx context.Context, run *ibid.Run) (history, error) {
	view := access.For(run.Principal)
	question, err := r.cfg.Threads.Message(ctx, view, run.UserMessageID)
	if err != nil {
		return history{}, fmt.Errorf("read the question of run %s: %w", run.ID, err)
	}
	said, err := r.cfg.Threads.Questions(ctx, view, question.ParentID)
	if err != nil {
		return history{}, fmt.Errorf("count the questions before run %s: %w", run.ID, err)
	}
	h := history{memory: ibid.Memory{BudgetChars: r.cfg.MemoryChars}}
	budget := r.cfg.MemoryChars - len([]rune(run.Request.Text))
	most, messages := r.cfg.HistoryMessages, 0
	if run.Request.AllHistory {
		most = math.MaxInt
	}
	var kept []pair // newest first
	for p, err := range r.pairsAbove(ctx, view, question, most) {
		if err != nil {
			return history{}, fmt.Errorf("read the history of thread %s: %w", run.ThreadID, err)
		}
		if messages+len(p.messages) > most || p.chars > budget {
			break
		}
		budget -= p.chars
		messages += len(p.messages)
		h.memory.UsedChars += p.chars
		kept = append(kept, p)
		h.sizes = append(h.sizes, p.chars)
		if messages == most {
			break // before another part of the branch is read
		}
	}
	h.memory.Pairs = len(kept)
	h.memory.DroppedPairs = said - len(kept)
	slices.Reverse(kept)
	var before time.Time
	for _, p := range kept {
		slices.Reverse(p.messages)
		for _, m := range p.messages {
			if m.Text == "" {
				continue
			}
			h.turns = append(h.turns, past(m, before, r.cfg.Now(), r.cfg.Verb))
			before = m.CreatedAt.Time
		}
	}
	return h, nil
}

// pairsAbove yields the pairs that lead to a question, newest first, and reads the
// branch as far as they are asked for; most is how many messages may be of use. The
// messages of a pair are newest first too.
func (r *Runner) pairsAbove(ctx context.Context, view access.View, question ibid.Message, most int) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		page := ibid.Page{Limit: min(historyWindow, most)}
		var current pair
		for more := question.ParentID != ""; more; more = page.Cursor != "" {
			messages, next, err := r.cfg.Threads.Branch(ctx, view, question.ThreadID, question.ParentID, page)
			if err != nil {
				yield(pair{}, err)
				return
			}
			for _, m := range slices.Backward(messages) {
				current.messages = append(current.messages, m)
				current.chars += len([]rune(m.Text))
				if m.Role != ibid.RoleUser {
					continue
				}
				if !yield(current, nil) {
					return
				}
				current = pair{}
			}
			page.Cursor = next
		}
	}
}

// withAnswer measures the conversation once a question has its answer: the newest
// pairs that the budget holds. The others are given up, oldest first.
func (h history) withAnswer(question, answer string) ibid.Memory {
	m := ibid.Memory{BudgetChars: h.memory.BudgetChars}
	all := h.memory.Pairs + h.memory.DroppedPairs + 1
	for _, size := range append([]int{len([]rune(question)) + len([]rune(answer))}, h.sizes...) {
		if m.UsedChars+size > m.BudgetChars {
			break
		}
		m.UsedChars += size
		m.Pairs++
	}
	m.DroppedPairs = all - m.Pairs
	return m
}

// past is a message of the past with what the model is told about it, and without its
// citation markers: their handles mean nothing in a later run. before is when the
// message before it was written, verb says what a tool does.
func past(m ibid.Message, before, now time.Time, verb func(tool string) string) ibid.Turn {
	p := ibid.Past{Text: chunkMarker.ReplaceAllString(m.Text, ""), At: m.CreatedAt.Time, Ago: now.Sub(m.CreatedAt.Time)}
	if gap := m.CreatedAt.Sub(before); !before.IsZero() && gap > sessionGap {
		p.Gap = gap
	}
	if m.Request != nil {
		for i, a := range m.Request.Attachments {
			p.Files = append(p.Files, ibid.PastFile{Name: a.Name, Type: a.MIME, ID: ibid.File{MessageID: m.ID, N: i}.ID()})
		}
	}
	for _, s := range m.Steps {
		for _, f := range s.Files {
			p.Files = append(p.Files, ibid.PastFile{Name: f.Name, Type: f.MIME, ID: f.ID()})
		}
	}
	counts := map[string]int{}
	for _, s := range m.Steps {
		if counts[s.Tool]++; counts[s.Tool] == 1 {
			p.Tools = append(p.Tools, s.Tool)
		}
	}
	p.Did = toolSummary(p.Tools, counts, verb)
	return ibid.Turn{Role: m.Role, Parts: []ibid.Part{{Past: &p}}}
}

// chunkMarker is a citation as it stands in a saved answer.
var chunkMarker = regexp.MustCompile(`\s?\[[cqts]_[0-9a-z]+\]`)

// toolSummary says in words which tools were used, and how often.
func toolSummary(tools []string, counts map[string]int, verb func(tool string) string) string {
	var parts []string
	for _, t := range tools {
		said := verb(t)
		if n := counts[t]; n > 1 {
			said += fmt.Sprintf(" %d times", n)
		}
		parts = append(parts, said)
	}
	return strings.Join(parts, ", ")
}
