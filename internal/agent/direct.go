package agent

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/question"
	"ibid/internal/search"
	"ibid/internal/text"
)

const (
	// directPassages is how many passages the model reads in the direct mode, and
	// directBytes how much of them.
	directPassages = 10
	directBytes    = 24 << 10
)

// direct searches for the question, or for all questions that it is made of, side
// by side: the first half of the direct mode.
func (s *session) direct() (phase, error) {
	var calls []ibid.ToolCall
	for _, q := range s.queries() {
		calls = append(calls, s.searchFor(q, 0))
	}
	return phaseTools, s.begin(turnOf(calls))
}

// searchAgain looks for the question in other words, and deeper. There are none
// where nothing else could come of it.
func (s *session) searchAgain(r *round) []ibid.ToolCall {
	query := s.betterQuery
	if query == "" {
		query = strings.Join(question.ContentWords(s.question()), " ")
	}
	if query == "" || len(s.state.rounds) >= maxSearches || len(s.state.calls) >= s.cfg.Limits.ToolCalls {
		return nil
	}
	for _, c := range r.calls {
		if queryOf(c.ToolCall) == query && s.betterQuery != "" {
			return nil
		}
	}
	return []ibid.ToolCall{s.searchFor(query, 2*search.DefaultLimit)}
}

// searchFor is a call of the tool that searches.
func (s *session) searchFor(query string, limit int) ibid.ToolCall {
	args, err := json.Marshal(struct {
		Query string `json:"query"`
		Limit int    `json:"limit,omitempty"`
	}{query, limit})
	if err != nil { // a string and a number always encode
		args = []byte("{}")
	}
	call := ibid.ToolCall{Arguments: args}
	if t := s.cfg.ofKind(ibid.ToolSearch); t != nil {
		call.Name = t.Spec().Name
	}
	return call
}

func turnOf(calls []ibid.ToolCall) ibid.Turn {
	turn := ibid.Turn{Role: ibid.RoleAssistant}
	for i := range calls {
		turn.Parts = append(turn.Parts, ibid.Part{Call: &calls[i]})
	}
	return turn
}

// queryOf is the query of a search.
func queryOf(c ibid.ToolCall) string {
	var args struct {
		Query string `json:"query"`
	}
	if json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	return args.Query
}

// finding is a passage of the direct mode with its grade.
type finding struct {
	citation ibid.Citation
	grade    float64
	class    string
}

// merged are the passages of all searches, each once: by turns the best of each,
// then those that are correct before the others.
func (s *state) merged() []finding {
	var lists [][]finding
	for _, r := range s.rounds {
		for _, c := range r.calls {
			var list []finding
			for _, h := range s.kept(r, c) {
				list = append(list, s.finding(r, h))
			}
			lists = append(lists, list)
		}
	}
	var all []finding
	seen := map[string]bool{}
	for rank := 0; ; rank++ {
		more := false
		for _, list := range lists {
			if rank >= len(list) {
				continue
			}
			more = true
			if f := list[rank]; !seen[f.citation.ChunkID] {
				seen[f.citation.ChunkID] = true
				all = append(all, f)
			}
		}
		if !more {
			break
		}
	}
	order := map[string]int{evidence.Correct: 0, evidence.Ambiguous: 1, "": 1, evidence.Incorrect: 2}
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(order[a.class], order[b.class]) })
	return all
}

func (s *state) finding(r *round, h hit) finding {
	g := r.grades[h.citation.ChunkID]
	f := finding{h.citation, g.Score, g.Classification}
	if !g.Expanded {
		return f
	}
	f.grade = g.NewScore
	if n, ok := s.ledger.Number[g.ExpandedTo]; ok {
		f.citation, _ = s.ledger.At(n)
	}
	return f
}

// chosen are the passages that the model reads.
func (s *session) chosen() []finding {
	all := s.state.merged()
	room := directBytes
	if s.trimmed {
		room /= 4
	}
	for i, f := range all {
		room -= len(f.citation.Text)
		if i == directPassages || i > 0 && room < 0 {
			return all[:i]
		}
	}
	return all
}

// nothingAnswers reports whether there is nothing to answer from: nothing was
// found, or the judge has turned down all of it. Where the direct way was our own
// choice the question may not be about the documents at all, so the model is told
// and has the word, and so where something came with the question. The built-in
// reader, which has no judge beside it, says so itself.
func (s *session) nothingAnswers() bool {
	turnedDown := func(f finding) bool {
		_, judged := s.judged[f.citation.ChunkID]
		return judged && f.class == evidence.Incorrect
	}
	return s.cfg.Judge != nil && s.task.Request.Mode == ibid.ModeDirect && len(s.task.Request.Attachments) == 0 && !slices.ContainsFunc(s.state.merged(), func(f finding) bool { return !turnedDown(f) })
}

// sayNothing says that the documents do not answer, in the language of the
// question. No model is asked: it could only guess.
func (s *session) sayNothing() error {
	nothing := said[text.Language(s.question())]
	if nothing == "" {
		nothing = said["en"]
	}
	if err := s.emit(ibid.AnswerStarted{Model: "ibid"}); err != nil {
		return err
	}
	return s.emit(ibid.AnswerDelta{Text: nothing})
}

// contextChunks is how many passages the model was given.
func (s *session) contextChunks() int {
	if s.mode == ibid.ModeDirect && len(s.state.rounds) > 0 {
		return len(s.chosen())
	}
	return len(s.state.ledger.Citations)
}

// ordered says how the passages of the direct mode were put in order.
func (s *session) ordered() []ibid.PassagesReranked {
	all, chosen := s.state.merged(), s.chosen()
	if len(all) == 0 || s.cfg.Grading == JudgeOff {
		return nil
	}
	d := ibid.PassagesReranked{Method: "grades", InputCount: len(all), OutputCount: len(chosen)}
	for _, f := range chosen {
		d.TopScore = max(d.TopScore, f.grade)
	}
	return []ibid.PassagesReranked{d}
}

// findings are what the model is told in the direct mode, after the question:
// the passages, then the question once more.
func (s *session) findings() []ibid.Part {
	if len(s.state.rounds) == 0 {
		return nil // nothing was searched: there is nothing to search for
	}
	found := ibid.Findings{Question: s.question(), Attached: len(s.state.attached) > 0}
	useful := false
	for _, f := range s.chosen() {
		useful = useful || f.class != evidence.Incorrect
		found.Passages = append(found.Passages, handled(f.citation))
	}
	found.Doubtful = len(found.Passages) > 0 && !useful
	return []ibid.Part{{Findings: &found}}
}
