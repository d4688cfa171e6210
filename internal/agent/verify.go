package agent

import (
	"context"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/agent/cite"
	"ibid/internal/evidence"
	"ibid/internal/text"
)

// maxClaims bounds how many statements of an answer are judged.
const maxClaims = 60

// verify judges the statements of the answer against the passages that they
// cite. An answer that nothing was searched for is not judged; one that stands
// although nothing was found is a guess, and nothing bears it out.
func (s *session) verify(ctx context.Context) (phase, error) {
	guessed := len(s.state.ledger.Citations) == 0
	if s.cfg.Verification == JudgeOff || len(s.state.answer) == 0 || guessed && !s.state.onlySearched() {
		return phaseDone, nil
	}
	claims := cite.Claims(string(s.state.answer), s.state.ledger.Number)
	claims = slices.DeleteFunc(claims, s.pictured)
	onlyTools := s.state.ledger.OnlyTools()
	claims = slices.DeleteFunc(claims, func(c cite.Claim) bool {
		// What is said beside a sum or a time is the model's to say; what is seen on a
		// picture nobody here can check.
		return onlyTools && len(c.Cites) == 0 || s.state.ledger.OnlyPictures(c.Cites)
	})
	if claims = claims[:min(maxClaims, len(claims))]; (guessed || onlyTools) && len(claims) == 0 {
		return phaseDone, nil
	}
	verdicts := make([]evidence.Support, len(claims))
	for i, c := range claims {
		verdicts[i] = s.support(c)
	}
	if !guessed && s.verdictsAreUnsure(verdicts) {
		s.verdictsByModel(ctx, claims, verdicts)
	}
	return phaseDone, s.emit(s.verified(claims, verdicts))
}

// pictured reports whether a claim rests on pictures alone, which nobody here can
// look at.
func (s *session) pictured(c cite.Claim) bool {
	other := func(e ibid.Citation) bool { return e.Kind != ibid.SourceImage }
	return len(c.Cites) > 0 && !slices.ContainsFunc(s.evidence(c), other)
}

// onlySearched reports whether documents were searched, and nothing else was asked
// that could bear an answer out.
func (s *state) onlySearched() bool {
	searched := false
	for _, r := range s.rounds {
		for _, c := range r.calls {
			switch {
			case c.result == nil || !c.result.OK:
			case c.result.Retrieval == nil:
				return false
			default:
				searched = true
			}
		}
	}
	return searched
}

// support judges one claim by rule: what its footnotes quote is quoted; the rest is
// held against the passages that it cites, else against all that the answer cites,
// else against all that was found, with what stands around them.
func (s *session) support(c cite.Claim) evidence.Support {
	if s.quotes(c) {
		return evidence.Support{Verdict: evidence.Supported, Score: 1, By: all(s.evidence(c))}
	}
	cited := s.evidence(c)
	if tables := slices.DeleteFunc(slices.Clone(cited), func(e ibid.Citation) bool { return !cite.IsTable(e) }); len(tables) > 0 && len(tables) == len(cited) {
		var all strings.Builder
		for _, e := range tables {
			all.WriteString(e.Text + "\n" + e.Query + "\n") // a filter stands in the query alone
		}
		return evidence.JudgeTable(c.Text, all.String())
	}
	pieces := make([]evidence.Passage, len(cited))
	for i, e := range cited {
		pieces[i] = s.withAround(e)
	}
	return evidence.Judge(c.Text, pieces)
}

// all are the indexes of citations.
func all(cited []ibid.Citation) []int {
	by := make([]int, len(cited))
	for i := range by {
		by[i] = i
	}
	return by
}

// notes are the footnotes that stand behind a claim.
func (s *session) notes(c cite.Claim) []ibid.CitationPlaced {
	var notes []ibid.CitationPlaced
	for _, p := range s.state.placed {
		if p.Statement.Start < c.End && c.Start < p.Statement.End {
			notes = append(notes, p)
		}
	}
	return notes
}

// quotes reports whether all footnotes of a claim have its very words.
func (s *session) quotes(c cite.Claim) bool {
	notes := s.notes(c)
	other := func(p ibid.CitationPlaced) bool { return p.Support != ibid.SupportQuoted }
	return len(notes) > 0 && !slices.ContainsFunc(notes, other)
}

// degree is a verdict in finer words.
func (s *session) degree(c cite.Claim, v evidence.Support) ibid.SupportDegree {
	if v.Verdict == evidence.Supported && s.quotes(c) {
		return ibid.SupportQuoted
	}
	return v.Degree()
}

// withAround is a passage as evidence, with what stands around it.
func (s *session) withAround(c ibid.Citation) evidence.Passage {
	if s.stream != nil {
		if e, ok := s.stream.place.Passage(c.ChunkID); ok {
			return e
		}
	}
	return cited(c)
}

func (s *session) evidence(c cite.Claim) []ibid.Citation {
	ids := c.Cites
	if len(ids) == 0 {
		ids = s.state.cited()
	}
	var found []ibid.Citation
	for _, known := range s.state.ledger.Citations {
		if len(ids) == 0 || slices.Contains(ids, known.ChunkID) {
			found = append(found, known)
		}
	}
	return found
}

// verified makes the event. A claim that is partly supported counts half.
func (s *session) verified(claims []cite.Claim, verdicts []evidence.Support) ibid.AnswerVerified {
	d := ibid.AnswerVerified{ClaimsChecked: len(claims), Details: []ibid.Claim{}}
	for i, c := range claims {
		ids := []string{}
		cited := s.evidence(c)
		for _, k := range verdicts[i].By {
			ids = append(ids, cited[k].ChunkID)
		}
		switch verdicts[i].Verdict {
		case evidence.Supported:
			d.ClaimsSupported++
		case evidence.PartiallySupported:
			d.ClaimsPartiallySupported++
		default:
			d.ClaimsUnsupported++
		}
		said := ibid.Claim{Claim: c.Text, Verdict: verdicts[i].Verdict, ChunkIDs: ids, Support: s.degree(c, verdicts[i]), Start: c.Start, End: c.End}
		for _, n := range s.notes(c) {
			if !slices.Contains(said.Notes, n.N) {
				said.Notes = append(said.Notes, n.N)
			}
		}
		d.Details = append(d.Details, said)
	}
	if n := len(claims); n > 0 {
		d.Confidence = round3((float64(d.ClaimsSupported) + float64(d.ClaimsPartiallySupported)/2) / float64(n))
	}
	return d
}

// verdictsAreUnsure reports whether the judge is to be asked: always where that
// is configured, else where the rules found something unsupported.
func (s *session) verdictsAreUnsure(verdicts []evidence.Support) bool {
	if len(verdicts) == 0 || !s.mayAskJudge(s.cfg.Verification) {
		return false
	}
	return s.cfg.Verification == JudgeModel ||
		slices.ContainsFunc(verdicts, func(v evidence.Support) bool { return v.Verdict != evidence.Supported })
}

// verdictsByModel lets the judge decide about all claims in one call. What it does
// not decide stays as it is.
func (s *session) verdictsByModel(ctx context.Context, claims []cite.Claim, verdicts []evidence.Support) {
	var shown []ibid.Handled
	handles := map[string]string{}
	for _, c := range claims {
		for _, e := range s.evidence(c) {
			if handles[e.ChunkID] == "" {
				handles[e.ChunkID] = cite.Handle(e.N)
				shown = append(shown, ibid.Handled{Handle: cite.Handle(e.N), Title: e.Title, Heading: e.Heading, Text: text.Clip(e.Text, 2000)})
			}
		}
	}
	about := ibid.Subject{Passages: shown}
	for _, c := range claims {
		claim := ibid.SubjectClaim{Text: oneLine(c.Text, 600)}
		for _, id := range c.Cites {
			claim.Cites = append(claim.Cites, handles[id])
		}
		about.Claims = append(about.Claims, claim)
	}
	var said struct {
		Verdicts []struct {
			Claim   int    `json:"claim"`
			Verdict string `json:"verdict"`
		} `json:"verdicts"`
	}
	if err := s.askJudge(ctx, ibid.InstructVerify, about, &said); err != nil {
		s.cfg.Log.Warn("the judge cannot verify; the rules stand", "error", err)
		return
	}
	for _, v := range said.Verdicts {
		if v.Claim < 1 || v.Claim > len(verdicts) {
			continue
		}
		to := &verdicts[v.Claim-1]
		switch verdict := strings.ToUpper(strings.TrimSpace(v.Verdict)); verdict {
		case evidence.Supported, evidence.PartiallySupported:
			to.Verdict = verdict
			if len(to.By) == 0 {
				for k := range s.evidence(claims[v.Claim-1]) {
					to.By = append(to.By, k)
				}
			}
		case evidence.Unsupported:
			to.Verdict, to.By, to.Contradicted = verdict, nil, false
		case contradicted:
			to.Verdict, to.By, to.Contradicted = evidence.Unsupported, nil, true
		}
	}
}

// contradicted is the judge's word for a claim of which the passages say otherwise.
const contradicted = "CONTRADICTED"

// cited are the passages that the answer cites, each once, in order.
func (s *state) cited() []string { return cite.Named(string(s.answer), s.ledger.Number) }
