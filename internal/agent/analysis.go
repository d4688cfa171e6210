package agent

import (
	"context"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/question"
)

// analyse says what kind of question it is, before any model has seen it: how
// much it asks for, what it means on its own, which questions it is made of,
// and how it is answered. Only rules are used, but for the direct mode where
// they don't know what a question leans on.
func (s *session) analyse(ctx context.Context) (phase, error) {
	req := s.task.Request
	a := ibid.QueryAnalyzed{Query: req.Text, Complexity: complexity(req), SubQueries: []string{}}
	full, sure := req.Text, true
	if !trivial(req) {
		full, sure = question.Standalone(req.Text, s.earlier())
		if parts := question.Parts(full); len(parts) > 1 {
			a.Decomposed, a.SubQueries = true, parts
		}
	}
	a.Mode = s.chooseMode(a)
	s.mode = a.Mode
	if !sure && a.Mode == ibid.ModeDirect && s.mayAskJudge(JudgeAuto) {
		if better, ok := s.rewrite(ctx); ok {
			full = better
		}
	}
	if full != req.Text {
		a.Standalone = full
	}
	if err := s.emit(a); err != nil {
		return 0, err
	}
	if s.task.NoDocuments && s.needsDocuments(a) {
		return 0, &ibid.Error{Code: ibid.CodeNoDocuments, Message: "There are no documents to answer from yet. Add some, then ask again.",
			Hint: "ibid add PATH, or drop files onto the page"}
	}
	s.prepare()
	return phaseAttach, nil
}

// needsDocuments reports whether a question can be answered from documents only.
func (s *session) needsDocuments(a ibid.QueryAnalyzed) bool {
	req := s.task.Request
	switch {
	case trivial(req), len(req.Attachments) > 0, len(req.ForceTools) > 0, len(s.task.History) > 0, s.hasOtherSources():
		return false
	}
	return a.Mode == ibid.ModeDirect || req.Mode == ibid.ModeAgentic && question.Is(req.Text) && !question.Elsewhere(req.Text)
}

// hasOtherSources reports whether there are tools that answer questions from
// elsewhere than documents.
func (s *session) hasOtherSources() bool {
	return s.cfg.ofKind(ibid.ToolDatabase) != nil || s.cfg.ofKind(ibid.ToolWeb) != nil
}

// chooseMode picks how a question is answered that leaves the choice to us. What
// one search of the documents may answer takes the direct way.
func (s *session) chooseMode(a ibid.QueryAnalyzed) ibid.Mode {
	req := s.task.Request
	switch {
	case s.cfg.ofKind(ibid.ToolSearch) == nil:
		return ibid.ModeAgentic
	case req.Mode == ibid.ModeDirect:
		return ibid.ModeDirect
	case req.Mode == ibid.ModeAgentic, a.Complexity != question.Simple, a.Decomposed:
		return ibid.ModeAgentic
	case trivial(req), !question.Is(req.Text), len(req.ForceTools) > 0, len(req.Attachments) > 0, question.Elsewhere(req.Text), question.AboutAll(req.Text):
		return ibid.ModeAgentic
	case slices.ContainsFunc(s.task.History, cameWithFiles):
		return ibid.ModeAgentic // it may be about a file that came earlier
	case s.hasOtherSources():
		return ibid.ModeAgentic // which source it is, the model has to say
	case s.task.NoDocuments && s.cfg.Judge != nil:
		return ibid.ModeAgentic // there is nothing to search, and a model to talk to
	}
	return ibid.ModeDirect
}

// cameWithFiles reports whether a turn is a message of the past with files.
func cameWithFiles(t ibid.Turn) bool {
	return slices.ContainsFunc(t.Parts, func(p ibid.Part) bool { return p.Past != nil && len(p.Past.Files) > 0 })
}

// complexity is how much a question asks for; with a file beside it, it asks for more.
func complexity(req ibid.Request) string {
	asks := question.Complexity(req.Text)
	if len(req.Attachments) > 0 && asks == question.Simple {
		return question.Moderate
	}
	return asks
}

// earlier are the user's questions of the past, oldest first.
func (s *session) earlier() []string {
	var texts []string
	for _, t := range s.task.History {
		if t.Role == ibid.RoleUser {
			texts = append(texts, strings.TrimSpace(t.Text()))
		}
	}
	return texts
}

// question is what the user asks, as it stands alone.
func (s *session) question() string {
	if a := s.state.analysis; a != nil && a.Standalone != "" {
		return a.Standalone
	}
	return s.task.Request.Text
}

// queries are what is searched for.
func (s *session) queries() []string {
	if a := s.state.analysis; a != nil && len(a.SubQueries) > 0 {
		return a.SubQueries
	}
	return []string{s.question()}
}
