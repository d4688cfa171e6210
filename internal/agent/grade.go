package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/agent/cite"
	"ibid/internal/evidence"
	"ibid/internal/question"
	"ibid/internal/text"
)

const (
	// maxSearches is how often the direct mode searches: once, and once more with
	// other words where too little of what was found is correct.
	maxSearches = 2
	// keptOfWrong is how many passages of a search are shown although they are
	// graded INCORRECT: the rules see words only.
	keptOfWrong = 2
	// maxExpanded bounds the passages of a round that are exchanged for the
	// section around them, maxSection the size of such a section in bytes.
	maxExpanded = 3
	maxSection  = 6 << 10
)

// What is done after grading.
const (
	actProceed    = "proceed"
	actReRetrieve = "re-retrieve"
	actExpand     = "expand"
)

// hit is a passage that a call has found.
type hit struct {
	call     *call
	citation ibid.Citation
}

// hits are the passages in a call's output.
func (s *state) hits(c *call) []hit {
	if c.result == nil || !c.result.OK || c.result.Retrieval == nil {
		return nil
	}
	var found []hit
	for _, p := range ibid.ParsePassages(c.result.Output) {
		n, err := strconv.Atoi(strings.TrimPrefix(p.Handle, "c"))
		if citation, ok := s.ledger.At(n); ok && err == nil {
			found = append(found, hit{c, citation})
		}
	}
	return found
}

// passage is the passage behind a citation, as far as grading goes.
func (h hit) passage() ibid.Passage {
	c := h.citation
	return ibid.Passage{Chunk: ibid.Chunk{ID: c.ChunkID, Text: c.Text, Heading: []string{c.Heading}},
		Document: ibid.Document{Title: c.Title}, Score: c.Score, Match: c.Match}
}

// query is what the passage was found with.
func (h hit) query() string { return queryOf(h.call.ToolCall) }

// grade judges the passages of the round that has just ended, and decides what
// follows: the model, or another search.
func (s *session) grade(ctx context.Context) (phase, error) {
	r := s.state.last()
	if err := s.directFailure(r); err != nil {
		return 0, err
	}
	reranked := s.reranked
	s.reranked = nil
	if r.grades == nil && s.cfg.Grading != JudgeOff {
		if err := s.gradeRound(ctx, r); err != nil {
			return 0, err
		}
	}
	if s.mode == ibid.ModeDirect && r.action == actReRetrieve {
		if calls := s.searchAgain(r); len(calls) > 0 {
			return phaseTools, s.begin(turnOf(calls))
		}
	}
	if s.mode == ibid.ModeDirect && s.nothingAnswers() {
		return phaseDone, s.sayNothing()
	}
	if s.mode == ibid.ModeDirect && len(reranked) == 0 && len(s.state.answer) == 0 {
		reranked = s.ordered()
	}
	for _, d := range reranked {
		if err := s.emit(d); err != nil {
			return 0, err
		}
	}
	return phaseModel, nil
}

// directFailure is the error of a direct run all of whose searches failed: there
// is nobody to try anything else.
func (s *session) directFailure(r *round) error {
	if s.mode != ibid.ModeDirect {
		return nil
	}
	why := ""
	for _, c := range r.calls {
		if c.result.OK {
			return nil
		}
		why = c.result.Error
	}
	return &ibid.Error{Code: ibid.CodeVectorDB, Message: why, Retryable: true}
}

// gradeRound grades what a round's searches found, expands what is ambiguous and
// grades that again, and emits the verdicts.
func (s *session) gradeRound(ctx context.Context, r *round) error {
	var hits []hit
	searched := false
	for _, c := range r.calls {
		searched = searched || c.result != nil && c.result.OK && c.result.Retrieval != nil
		hits = append(hits, s.state.hits(c)...)
	}
	if !searched {
		return nil
	}
	byRule := s.gradesByRule(hits)
	if s.gradesAreUnsure(hits, byRule) {
		s.gradesByModel(ctx, hits)
	}
	var grades []ibid.Grade
	index := map[string]int{}
	for i, h := range hits {
		id := h.citation.ChunkID
		at, seen := index[id]
		if !seen {
			at = len(grades)
			index[id] = at
			grades = append(grades, ibid.Grade{ChunkID: id})
		}
		grades[at].Score = max(grades[at].Score, byRule[i])
		grades[at].Classification = evidence.Class(grades[at].Score)
		if score, judged := s.judged[id]; judged {
			grades[at].Score, grades[at].Classification = score, classByModel(score)
		}
	}
	expanded, err := s.expand(ctx, hits, byRule, grades)
	if err != nil {
		return err
	}
	return s.emit(s.verdict(grades, expanded))
}

// gradesByRule grades each passage against what it was found with and against
// the question, and takes the better.
func (s *session) gradesByRule(hits []hit) []float64 {
	scores := make([]float64, len(hits))
	for i := 0; i < len(hits); {
		end := i
		var passages []ibid.Passage
		for end < len(hits) && hits[end].call == hits[i].call {
			passages = append(passages, hits[end].passage())
			end++
		}
		query, asked := hits[i].query(), s.question()
		if oneDocument(passages) { // what it is called stands nowhere in it
			query, asked = question.WithoutFile(query), question.WithoutFile(asked)
		}
		byQuery := evidence.Grade(query, passages)
		byQuestion := byQuery
		if query != asked {
			byQuestion = evidence.Grade(asked, passages)
		}
		for k := range passages {
			scores[i+k] = round3(max(byQuery[k], byQuestion[k]))
		}
		i = end
	}
	return scores
}

// oneDocument reports whether all passages are of one document.
func oneDocument(passages []ibid.Passage) bool {
	return !slices.ContainsFunc(passages, func(p ibid.Passage) bool { return p.Document.Title != passages[0].Document.Title })
}

func round3(v float64) float64 { return float64(int(v*1000+0.5)) / 1000 }

// gradesAreUnsure reports whether the judge is to be asked about what it has not
// seen yet: always where that is configured, else where something may answer and
// nothing surely does; and before the direct mode says that nothing answers.
func (s *session) gradesAreUnsure(hits []hit, byRule []float64) bool {
	if !s.mayAskJudge(s.cfg.Grading) {
		return false
	}
	best, fresh := 0.0, false
	for i, h := range hits {
		score, judged := s.judged[h.citation.ChunkID]
		switch {
		case judged && classByModel(score) == evidence.Correct:
			best = 1
		case !judged:
			best, fresh = max(best, byRule[i]), true
		}
	}
	class := evidence.Class(best)
	return fresh && (s.cfg.Grading == JudgeModel || class == evidence.Ambiguous ||
		class == evidence.Incorrect && s.task.Request.Mode == ibid.ModeDirect && len(s.state.rounds) >= maxSearches)
}

// What the judge's scores mean, as prompts/judge.md asks for them.
const (
	judgedCorrectFrom    = 0.7
	judgedIncorrectBelow = 0.3
)

// classByModel names the class of a grade that the judge gave.
func classByModel(grade float64) string {
	switch {
	case grade >= judgedCorrectFrom:
		return evidence.Correct
	case grade < judgedIncorrectBelow:
		return evidence.Incorrect
	}
	return evidence.Ambiguous
}

// verdict counts the grades and says what follows from them.
func (s *session) verdict(grades []ibid.Grade, expanded int) ibid.PassagesGraded {
	d := ibid.PassagesGraded{Expanded: expanded, Action: actProceed, Details: grades}
	if grades == nil {
		d.Details = []ibid.Grade{}
	}
	for _, g := range grades {
		switch g.Classification {
		case evidence.Correct:
			d.Correct++
		case evidence.Ambiguous:
			d.Ambiguous++
		default:
			d.Incorrect++
		}
	}
	switch {
	case d.Correct == 0 && s.mayCorrect(d):
		d.Action = actReRetrieve
	case expanded > 0:
		d.Action = actExpand
	}
	return d
}

// mayCorrect reports whether another search is due: in the direct mode where
// nothing found is correct, in the agentic one, where it costs a turn of the
// model, where all of it is incorrect; not forever.
func (s *session) mayCorrect(d ibid.PassagesGraded) bool {
	if s.mode == ibid.ModeDirect {
		return len(s.state.rounds) < maxSearches
	}
	corrections := 0
	for _, r := range s.state.rounds {
		if r.action == actReRetrieve {
			corrections++
		}
	}
	return d.Ambiguous == 0 && corrections < maxSearches-1
}

// expand exchanges ambiguous passages for the sections around them, where the
// rules grade those better than the passage (byRule, one for each hit). It writes
// the sections into the log and notes them in grades.
func (s *session) expand(ctx context.Context, hits []hit, byRule []float64, grades []ibid.Grade) (expanded int, err error) {
	sections := s.sections(ctx, grades)
	for i := range grades {
		section, ok := sections[grades[i].ChunkID]
		if !ok || expanded == maxExpanded {
			continue
		}
		at, own := -1, 0.0
		for k, h := range hits {
			if h.citation.ChunkID == grades[i].ChunkID && (at < 0 || byRule[k] > own) {
				at, own = k, byRule[k]
			}
		}
		again := make([]hit, 0, len(hits))
		for _, h := range hits {
			if h.call == hits[at].call {
				if h.citation.ChunkID == grades[i].ChunkID {
					h.citation = around(h.citation, section, s.state.ledger.Last+1)
				}
				again = append(again, h)
			}
		}
		scores := s.gradesByRule(again)
		better := 0.0
		var wide ibid.Citation
		for k, h := range again {
			if h.citation.ChunkID == section.ID {
				better, wide = scores[k], h.citation
			}
		}
		if better <= own {
			continue
		}
		if _, known := s.state.ledger.Number[section.ID]; !known {
			if err := s.emit(ibid.CitationAdded{Citation: wide}); err != nil {
				return expanded, err
			}
		}
		expanded++
		g := &grades[i]
		g.Expanded, g.NewScore, g.ExpandedTo = true, max(better, g.Score), section.ID
		if evidence.Class(better) == evidence.Correct {
			g.Classification = evidence.Correct
		}
	}
	return expanded, nil
}

// sections fetches what stands around ambiguous passages. Without them the
// passages stay as they are.
func (s *session) sections(ctx context.Context, grades []ibid.Grade) map[string]ibid.Chunk {
	var ids []string
	for _, g := range grades {
		if g.Classification == evidence.Ambiguous {
			ids = append(ids, g.ChunkID)
		}
	}
	if len(ids) == 0 || s.cfg.Parents == nil {
		return nil
	}
	sections, err := s.cfg.Parents(ctx, s.task.View, ids)
	if err != nil {
		s.cfg.Log.Warn("passages cannot be expanded", "error", err)
		return nil
	}
	for child, c := range sections {
		if len(c.Text) > maxSection || c.ID == child {
			delete(sections, child)
		}
	}
	return sections
}

// around is the citation of a section in the place of that of a passage of it.
// What it quotes stays.
func around(c ibid.Citation, section ibid.Chunk, n int) ibid.Citation {
	c.N, c.ChunkID, c.Text, c.Level = n, section.ID, section.Text, cite.LevelName(section.Level)
	c.Heading = strings.Join(section.Heading, " › ")
	return c
}

// graded keeps the verdicts on the last round.
func (s *state) graded(d ibid.PassagesGraded) {
	r := s.last()
	if r == nil {
		return
	}
	r.action = d.Action
	r.grades = make(map[string]ibid.Grade, len(d.Details))
	for _, g := range d.Details {
		r.grades[g.ChunkID] = g
	}
}

// kept are the hits of a call that are worth reading: without what is graded
// INCORRECT, but for the first few of a call that found nothing better.
func (s *state) kept(r *round, c *call) []hit {
	hits := s.hits(c)
	var kept []hit
	for _, h := range hits {
		if g, graded := r.grades[h.citation.ChunkID]; !graded || g.Classification != evidence.Incorrect {
			kept = append(kept, h)
		}
	}
	if len(kept) == 0 {
		return hits[:min(keptOfWrong, len(hits))]
	}
	return kept
}

// shown is a call's output as the model reads it: without the passages that are
// not worth reading, with sections in the place of passages that were expanded.
func (s *state) shown(r *round, c *call) string {
	output := c.result.Output
	hits := s.hits(c)
	if r.grades == nil || len(hits) == 0 {
		return output
	}
	_, rest, _ := cutLast(output, "</passage>\n")
	var b strings.Builder
	written := map[string]bool{}
	useful := false
	for _, h := range s.kept(r, c) {
		citation := h.citation
		g := r.grades[citation.ChunkID]
		useful = useful || g.Classification != evidence.Incorrect
		if g.Expanded {
			if n, ok := s.ledger.Number[g.ExpandedTo]; ok {
				citation, _ = s.ledger.At(n)
			}
		}
		if !written[citation.ChunkID] {
			written[citation.ChunkID] = true
			b.WriteString(ibid.FormatPassages([]ibid.Handled{handled(citation)}))
		}
	}
	if !useful {
		b.WriteString(ibid.NoneAnswers)
		if r.action == actReRetrieve {
			b.WriteString(" Search once more with other words.")
		}
		b.WriteByte('\n')
	}
	return b.String() + rest
}

// cutLast splits s after the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i+len(sep)], s[i+len(sep):], true
	}
	return "", s, false
}

// gradesByModel lets the judge grade all passages that it has not seen yet in one
// call. Whatever goes wrong, a passage left out among it, leaves the grades of the
// rules: two scales do not mix.
func (s *session) gradesByModel(ctx context.Context, hits []hit) {
	var shown []ibid.Handled
	var ids []string
	for _, h := range hits {
		id := h.citation.ChunkID
		if _, judged := s.judged[id]; judged || slices.Contains(ids, id) {
			continue
		}
		ids = append(ids, id)
		shown = append(shown, ibid.Handled{Handle: fmt.Sprintf("p%d", len(ids)), Title: h.citation.Title, Heading: h.citation.Heading, Text: text.Clip(h.citation.Text, 1500)})
	}
	var said struct {
		Grades []struct {
			ID    string  `json:"id"`
			Score float64 `json:"score"`
		} `json:"grades"`
		BetterQuery string `json:"better_query"`
	}
	if err := s.askJudge(ctx, ibid.InstructGrade, ibid.Subject{Passages: shown}, &said); err != nil {
		s.cfg.Log.Warn("the judge cannot grade; the rules stand", "error", err)
		return
	}
	judged := maps.Clone(s.judged)
	if judged == nil {
		judged = map[string]float64{}
	}
	before := len(judged)
	for _, g := range said.Grades {
		if n, err := strconv.Atoi(strings.TrimPrefix(g.ID, "p")); err == nil && n >= 1 && n <= len(ids) {
			judged[ids[n-1]] = round3(min(max(g.Score, 0), 1))
		}
	}
	if len(judged)-before < len(ids) {
		s.cfg.Log.Warn("the judge left passages out; the rules stand", "graded", len(judged)-before, "of", len(ids))
		return
	}
	s.judged, s.betterQuery = judged, oneLine(said.BetterQuery, 300)
}
