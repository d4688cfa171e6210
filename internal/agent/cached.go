package agent

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Cache keeps answers. What may be replayed for a question is the cache's own
// affair: the same user, scope, versions of documents, model and settings.
type Cache interface {
	// Lookup returns the answer to a question that asks the same, or how close
	// the closest came.
	Lookup(ctx context.Context, view access.View, question string) (CacheFound, error)
}

// CacheFound is what a cache has.
type CacheFound struct {
	Hit        bool
	Similarity float64 // of the closest question, 0 for none
	Question   string  // that was answered, when it is a hit
	At         time.Time
	Answer     ibid.Message
}

// replayBytes is the least that a piece of a replayed answer has.
const replayBytes = 40

// lookUp replays the answer to a question that was answered before. Who asks the
// same again in its place wants another answer.
func (s *session) lookUp(ctx context.Context) (phase, error) {
	if s.cfg.Cache == nil || s.task.Request.Fresh || !s.cacheable() {
		return phasePlan, nil
	}
	found, err := s.cfg.Cache.Lookup(ctx, s.task.View, s.question())
	if err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		s.cfg.Log.Warn("the cache of answers failed", "error", err)
		return phasePlan, nil
	}
	if len(found.Answer.Found) == 0 { // an answer of an older version has footnotes of another kind
		found.Hit = false
	}
	checked := ibid.CacheChecked{Hit: found.Hit, Similarity: round3(found.Similarity)}
	if found.Hit {
		at := ibid.At(found.At)
		checked.OriginalQuery, checked.CachedAt = found.Question, &at
	}
	if err := s.emit(checked); err != nil || !found.Hit {
		return phasePlan, err
	}
	return phaseDone, s.replay(ctx, found.Answer)
}

// cacheable reports whether the answer depends on nothing but the question and
// the documents.
func (s *session) cacheable() bool {
	req := s.task.Request
	if a := s.state.analysis; a != nil && a.Standalone != "" && strings.HasPrefix(a.Standalone, a.Query) {
		return false // nobody knows what it leans on
	}
	return !trivial(req) && len(req.Attachments) == 0 && len(req.ForceTools) == 0 && !present.MatchString(req.Text)
}

// reusableFrom is the least confidence of an answer that is given again.
const reusableFrom = 0.8

// reusable reports whether the answer came from the documents alone, and is borne
// out by them.
func (s *session) reusable(out Outcome) bool {
	if s.cached || !s.cacheable() || out.SourcesCount == 0 || out.Confidence < reusableFrom {
		return false
	}
	for _, r := range s.state.rounds {
		for _, c := range r.calls {
			if c.result == nil || !c.result.OK || c.result.Retrieval == nil {
				return false
			}
		}
	}
	return true
}

// present finds questions whose answer changes while the documents do not.
var present = regexp.MustCompile(`(?i)\b(today|now|current(ly)?|latest|yesterday|tomorrow|tonight|this (week|month|year)|ago|recent(ly)?|heute|jetzt|gestern|morgen)\b`)

// replay streams an answer that was given before: what was found for it, then its
// text, each footnote before the text that shows its marker.
func (s *session) replay(ctx context.Context, m ibid.Message) error {
	s.cached = true
	for _, c := range m.Found {
		if err := s.emit(ibid.CitationAdded{Citation: c}); err != nil {
			return err
		}
	}
	if err := s.emit(ibid.AnswerStarted{Model: m.Model, ContextChunks: len(m.Found)}); err != nil {
		return err
	}
	footnotes := placedIn(m)
	for at := 0; at < len(m.Text); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		end := len(m.Text)
		if i := strings.IndexAny(m.Text[min(at+replayBytes, end):], " \n"); i >= 0 {
			end = min(at+replayBytes, end) + i + 1
		}
		for len(footnotes) > 0 && footnotes[0].Marker < end {
			if err := s.emit(footnotes[0]); err != nil {
				return err
			}
			footnotes = footnotes[1:]
		}
		if err := s.emit(ibid.AnswerDelta{Text: m.Text[at:end]}); err != nil {
			return err
		}
		at = end
	}
	if m.Verification == nil {
		return nil
	}
	return s.emit(*m.Verification)
}

// placedIn are the footnotes of a message as they were placed, in the order of the
// text.
func placedIn(m ibid.Message) []ibid.CitationPlaced {
	var all []ibid.CitationPlaced
	for _, c := range m.Citations {
		for _, st := range c.Statements {
			all = append(all, ibid.CitationPlaced{N: c.N, Found: c.Found, ChunkID: c.ChunkID, DocumentID: c.DocumentID, Version: c.Version,
				Start: c.Start, End: c.End, Pages: c.Pages, Quote: c.Quote, URL: c.URL, Kind: c.Kind.Cited(),
				Statement: ibid.Range{Start: st.Start, End: st.End}, Marker: st.Marker, Support: st.Support})
		}
	}
	slices.SortStableFunc(all, func(a, b ibid.CitationPlaced) int { return cmp.Compare(a.Marker, b.Marker) })
	return all
}
