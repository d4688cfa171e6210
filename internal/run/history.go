package run

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
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
	view := access.For(run.Owner)
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
	messages := 0
	var kept []pair // newest first
	for p, err := range r.pairsAbove(ctx, view, question) {
		if err != nil {
			return history{}, fmt.Errorf("read the history of thread %s: %w", run.ThreadID, err)
		}
		if messages+len(p.messages) > r.cfg.HistoryMessages || p.chars > budget {
			break
		}
		budget -= p.chars
		messages += len(p.messages)
		h.memory.UsedChars += p.chars
		kept = append(kept, p)
		if messages == r.cfg.HistoryMessages {
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
			h.turns = append(h.turns, ibid.Turn{Role: m.Role, Parts: []ibid.Part{{Text: enrich(m, before, r.cfg.Now(), r.cfg.Verb)}}})
			before = m.CreatedAt.Time
		}
	}
	return h, nil
}

// pairsAbove yields the pairs that lead to a question, newest first, and reads the
// branch as far as they are asked for. The messages of a pair are newest first too.
func (r *Runner) pairsAbove(ctx context.Context, view access.View, question ibid.Message) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		page := ibid.Page{Limit: min(historyWindow, r.cfg.HistoryMessages)}
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

// withAnswer counts the question and the answer that have just been added.
func withAnswer(m ibid.Memory, question, answer string) ibid.Memory {
	m.UsedChars += len([]rune(question)) + len([]rune(answer))
	m.Pairs++
	return m
}

// enrichment is what a model is told about a message of the past.
type enrichment struct {
	Timestamp    string    `json:"timestamp"`
	RelativeTime string    `json:"relative_time"`
	SessionGap   string    `json:"session_gap,omitempty"`
	Files        []fileRef `json:"files,omitempty"`
	ToolsUsed    []string  `json:"tools_used,omitempty"`
	ToolSummary  string    `json:"tool_summary,omitempty"`
}

type fileRef struct {
	Name string `json:"name"`
	Type string `json:"type"`
	ID   string `json:"id"` // message_id:index, as retrieve_file takes it
}

// enrich puts the metadata of a message before its text, and takes the citation
// markers out: their handles mean nothing in a later run.
func enrich(m ibid.Message, before, now time.Time, verb func(tool string) string) string {
	e := enrichment{Timestamp: m.CreatedAt.Format("2006-01-02 15:04 MST"), RelativeTime: ago(now.Sub(m.CreatedAt.Time))}
	if gap := m.CreatedAt.Sub(before); !before.IsZero() && gap > sessionGap {
		e.SessionGap = span(gap)
	}
	if m.Request != nil {
		for i, a := range m.Request.Attachments {
			e.Files = append(e.Files, fileRef{Name: a.Name, Type: a.MIME, ID: ibid.File{MessageID: m.ID, N: i}.ID()})
		}
	}
	for _, s := range m.Steps {
		for _, f := range s.Files {
			e.Files = append(e.Files, fileRef{Name: f.Name, Type: f.MIME, ID: f.ID()})
		}
	}
	counts := map[string]int{}
	for _, s := range m.Steps {
		if counts[s.Tool]++; counts[s.Tool] == 1 {
			e.ToolsUsed = append(e.ToolsUsed, s.Tool)
		}
	}
	e.ToolSummary = toolSummary(e.ToolsUsed, counts, verb)
	head, _ := json.Marshal(e) // strings only: it cannot fail
	return "<!-- METADATA: " + string(head) + " -->\n" + chunkMarker.ReplaceAllString(m.Text, "")
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

func ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return span(d) + " ago"
}

// span says a duration in its largest whole unit: "3 hours".
func span(d time.Duration) string {
	n, unit := int(d.Minutes()), "minute"
	switch {
	case d >= 48*time.Hour:
		n, unit = int(d.Hours()/24), "day"
	case d >= time.Hour:
		n, unit = int(d.Hours()), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
