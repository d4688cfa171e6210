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
		grades[at].Classification = evidence.GradeScale.Class(grades[at].Score)
		if score, judged := s.judged[id]; judged {
			grades[at].Score, grades[at].Classification = score, judgeScale.Class(score)
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
		var passages []evidence.Passage
		oneDocument := true
		for end < len(hits) && hits[end].call == hits[i].call {
			passages = append(passages, cited(hits[end].citation))
			oneDocument = oneDocument && hits[end].citation.Title == hits[i].citation.Title
			end++
		}
		query, asked := hits[i].query(), s.question()
		if oneDocument { // what it is called stands nowhere in it
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
		case judged && judgeScale.Class(score) == evidence.Correct:
			best = 1
		case !judged:
			best, fresh = max(best, byRule[i]), true
		}
	}
	class := evidence.GradeScale.Class(best)
	return fresh && (s.cfg.Grading == JudgeModel || class == evidence.Ambiguous ||
		class == evidence.Incorrect && s.task.Request.Mode == ibid.ModeDirect && len(s.state.rounds) >= maxSearches)
}

// judgeScale is the scale of the judge's grades, as its prompt (llm/prompt) asks
// for them.
var judgeScale = evidence.Scale{CorrectFrom: 0.7, IncorrectBelow: 0.3}

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
		if evidence.GradeScale.Class(better) == evidence.Correct {
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
