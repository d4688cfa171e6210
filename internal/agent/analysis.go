package agent

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// How much a question asks for.
const (
	simple   = "simple"
	moderate = "moderate"
	compound = "complex"
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
		full, sure = standalone(req.Text, s.earlier())
		if parts := decompose(full); len(parts) > 1 {
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
	return a.Mode == ibid.ModeDirect || req.Mode == ibid.ModeAgentic && isQuestion(req.Text) && !elsewhere.MatchString(req.Text)
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
	case req.Mode == ibid.ModeAgentic, a.Complexity != simple, a.Decomposed:
		return ibid.ModeAgentic
	case trivial(req), !isQuestion(req.Text), len(req.ForceTools) > 0, len(req.Attachments) > 0, elsewhere.MatchString(req.Text), aboutAll(req.Text):
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

// isQuestion reports whether a message asks rather than tells.
func isQuestion(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return asksAtEnd(s) || asking.MatchString(s) || foreignQuestion.MatchString(s)
}

// aboutAll reports whether a question may be about a document as a whole, so that
// no search of some words answers it: "What's in q3.md?"
func aboutAll(s string) bool {
	file := text.FileMention.FindString(s)
	if file == "" {
		return wholeDocument.MatchString(s)
	}
	_, rest := text.Mentions(s, [][]string{{file}})
	return !text.Asks(rest)
}

var wholeDocument = regexp.MustCompile(`(?i)^\W*what(?:['’]s| is)(?: (?:in|inside) (?:the|my|our|your) .+| .+ about)\W*$`)

// elsewhere finds questions that are about the library itself, the present or
// the web, or ask for something to be done.
var elsewhere = regexp.MustCompile(`(?i)\b(documents?|files?|library|folders?|category|categories|tags?|page \d+|chapter|section|` +
	`today|now|current(ly)?|latest|news|web|internet|online|calculate|compute|remind|write|draft|translate|` +
	`you|your|dokumente?|dateien?|heute|jetzt)\b`)

// comparing words make a question complex: it needs more than one passage.
var comparing = regexp.MustCompile(`(?i)\b(compare|comparison|contrast|difference|differences|differ|versus|vs|trade-?offs?|pros and cons|` +
	`relate|relationship|impact|implications?|analy[sz]e|evaluate|summari[sz]e|summary|overview|across|between|vergleichen?|vergleiche|unterschiede?|zusammenfassung|fasse|diff[ée]rences?|compare[rz]|r[ée]sume[rz]?|diferencias?|compara[r]?|resumen?|resumir|` +
	`differenz[ae]|confronta|riassumi|riassunto|diferenças?|resuma|resumo)(?:\W|$)`)

// explaining words make a question at least moderate.
var explaining = regexp.MustCompile(`(?i)\b(why|how|explain|describe|reasons?|steps|process|list|which|warum|wie|weshalb|erkläre?|pourquoi|comment|explique[rz]?|por qué|cómo|explica|perché|spiega|por que)(?:\W|$)`)

// measuring is a "how" that asks for one figure.
var measuring = regexp.MustCompile(`(?i)\bhow (many|much|long|old|often|far|tall|high|large|big|deep|fast|wide)\b`)

// complexity sorts a question by how much it seems to ask for.
func complexity(req ibid.Request) string {
	asked := measuring.ReplaceAllString(req.Text, "what")
	words := len(strings.Fields(asked))
	questions := strings.Count(asked, "?")
	switch {
	case trivial(req):
		return simple
	case comparing.MatchString(asked), words > 40, questions > 1:
		return compound
	case explaining.MatchString(asked), words > 16, len(req.Attachments) > 0, clauses.MatchString(asked):
		return moderate
	}
	return simple
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
