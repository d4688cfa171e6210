package agent

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/text"
)

// maxClaims bounds how many statements of an answer are judged.
const maxClaims = 60

// claim is a statement of the answer.
type claim struct {
	text       string // without markers and Markdown
	start, end int    // in the answer
	cites      []string
}

// verify judges the statements of the answer against the passages that they
// cite. An answer that nothing was searched for is not judged; one that stands
// although nothing was found is a guess, and nothing bears it out.
func (s *session) verify(ctx context.Context) (phase, error) {
	guessed := len(s.state.ledger.citations) == 0
	if s.cfg.Verification == JudgeOff || len(s.state.answer) == 0 || guessed && !s.state.onlySearched() {
		return phaseDone, nil
	}
	claims := claimsOf(string(s.state.answer), s.state.ledger.number)
	claims = slices.DeleteFunc(claims, s.pictured)
	onlyTools := s.state.ledger.onlyTools()
	claims = slices.DeleteFunc(claims, func(c claim) bool {
		// What is said beside a sum or a time is the model's to say; what is seen on a
		// picture nobody here can check.
		return onlyTools && len(c.cites) == 0 || s.state.ledger.onlyPictures(c.cites)
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
func (s *session) pictured(c claim) bool {
	other := func(e ibid.Citation) bool { return e.Kind != ibid.SourceImage }
	return len(c.cites) > 0 && !slices.ContainsFunc(s.evidence(c), other)
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
func (s *session) support(c claim) evidence.Support {
	if s.quotes(c) {
		return evidence.Support{Verdict: evidence.Supported, Score: 1, By: all(s.evidence(c))}
	}
	cited := s.evidence(c)
	if tables := slices.DeleteFunc(slices.Clone(cited), func(e ibid.Citation) bool { return !isTable(e) }); len(tables) > 0 && len(tables) == len(cited) {
		var all strings.Builder
		for _, e := range tables {
			all.WriteString(e.Text + "\n" + e.Query + "\n") // a filter stands in the query alone
		}
		return evidence.JudgeTable(c.text, all.String())
	}
	pieces := make([]evidence.Evidence, len(cited))
	for i, e := range cited {
		pieces[i] = s.withAround(e)
	}
	return evidence.Judge(c.text, pieces)
}

// isTable reports whether a citation is what a tool or a database answered: its
// figures and names are compared, not its sentences.
func isTable(c ibid.Citation) bool { return c.Kind == ibid.SourceQuery || c.Kind == ibid.SourceTool }

// all are the indexes of citations.
func all(cited []ibid.Citation) []int {
	by := make([]int, len(cited))
	for i := range by {
		by[i] = i
	}
	return by
}

// notes are the footnotes that stand behind a claim.
func (s *session) notes(c claim) []ibid.CitationPlaced {
	var notes []ibid.CitationPlaced
	for _, p := range s.state.placed {
		if p.Statement.Start < c.end && c.start < p.Statement.End {
			notes = append(notes, p)
		}
	}
	return notes
}

// quotes reports whether all footnotes of a claim have its very words.
func (s *session) quotes(c claim) bool {
	notes := s.notes(c)
	other := func(p ibid.CitationPlaced) bool { return p.Support != ibid.SupportQuoted }
	return len(notes) > 0 && !slices.ContainsFunc(notes, other)
}

// degree is a verdict in finer words.
func (s *session) degree(c claim, v evidence.Support) ibid.SupportDegree {
	if v.Verdict == evidence.Supported && s.quotes(c) {
		return ibid.SupportQuoted
	}
	return v.Degree()
}

// withAround is a passage as evidence, with what stands around it.
func (s *session) withAround(c ibid.Citation) evidence.Evidence {
	if s.stream != nil {
		if e, ok := s.stream.place.evidence(c.ChunkID); ok {
			return e
		}
	}
	return evidence.Evidence{Under: c.Title + "\n" + c.Heading, Text: c.Text}
}

func (s *session) evidence(c claim) []ibid.Citation {
	ids := c.cites
	if len(ids) == 0 {
		ids = s.state.cited()
	}
	var found []ibid.Citation
	for _, known := range s.state.ledger.citations {
		if len(ids) == 0 || slices.Contains(ids, known.ChunkID) {
			found = append(found, known)
		}
	}
	return found
}

// verified makes the event. A claim that is partly supported counts half.
func (s *session) verified(claims []claim, verdicts []evidence.Support) ibid.AnswerVerified {
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
		said := ibid.Claim{Claim: c.text, Verdict: verdicts[i].Verdict, ChunkIDs: ids, Support: s.degree(c, verdicts[i]), Start: c.start, End: c.end}
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
func (s *session) verdictsByModel(ctx context.Context, claims []claim, verdicts []evidence.Support) {
	var shown []ibid.Handled
	handles := map[string]string{}
	for _, c := range claims {
		for _, e := range s.evidence(c) {
			if handles[e.ChunkID] == "" {
				handles[e.ChunkID] = handle(e.N)
				shown = append(shown, ibid.Handled{Handle: handle(e.N), Title: e.Title, Heading: e.Heading, Text: text.Clip(e.Text, 2000)})
			}
		}
	}
	about := ibid.Subject{Passages: shown}
	for _, c := range claims {
		claim := ibid.SubjectClaim{Text: oneLine(c.text, 600)}
		for _, id := range c.cites {
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
func (s *state) cited() []string {
	var ids []string
	for _, m := range marker.FindAllSubmatch(s.answer, -1) {
		id := string(m[1])
		if _, known := s.ledger.number[id]; known && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// marker is what may be a citation of a chunk that is known.
var marker = regexp.MustCompile(`\[([^\[\]\s]+)\]`)

// claimsOf splits an answer into its statements. Markers are blanked out, byte for
// byte, so that offsets stay true; those that follow a sentence belong to it, and a
// sentence without any has those of the next one in its paragraph that has some.
// Code, headings, questions, announcements and what is said about the documents
// themselves state nothing.
func claimsOf(answer string, known map[string]int) []claim {
	bare := bare(answer, known)
	spans := text.Sentences(bare)
	var claims []claim
	var open []int // claims of this paragraph that wait for a marker
	for i, span := range spans {
		end := len(answer)
		if i+1 < len(spans) {
			end = spans[i+1].Start
		}
		if i > 0 && strings.Contains(bare[spans[i-1].End:span.Start], "\n\n") {
			open = nil
		}
		var cites []string
		last := span.End
		for _, m := range marker.FindAllStringSubmatchIndex(answer[span.Start:end], -1) {
			if id := answer[span.Start+m[2] : span.Start+m[3]]; known[id] > 0 {
				cites = append(cites, id)
				last = max(last, span.Start+m[1])
			}
		}
		for _, k := range open {
			if len(cites) > 0 {
				claims[k].cites = cites
			}
		}
		if len(cites) > 0 {
			open = nil
		}
		said, states := statement(bare[span.Start:span.End], len(cites) > 0)
		if !states {
			continue
		}
		start := span.Start + len(bare[span.Start:span.End]) - len(strings.TrimLeft(bare[span.Start:span.End], "#>-*+•|“\" "))
		claims = append(claims, claim{text: said, start: start, end: last, cites: cites})
		if len(cites) == 0 {
			open = append(open, len(claims)-1)
		}
	}
	return claims
}

// bare blanks out, byte for byte, what states nothing in an answer: the markers of
// known chunks, blocks of code, the heads of tables.
func bare(answer string, known map[string]int) string {
	if known != nil {
		answer = marker.ReplaceAllStringFunc(answer, func(m string) string {
			if known[m[1:len(m)-1]] == 0 {
				return m
			}
			return strings.Repeat(" ", len(m))
		})
	}
	answer = codeBlock.ReplaceAllStringFunc(answer, func(m string) string { return strings.Repeat("\n", len(m)) })
	return tableHead.ReplaceAllStringFunc(answer, blank)
}

// blank puts a space in the place of each byte but the ends of lines.
func blank(s string) string {
	spaces := bytes.Repeat([]byte(" "), len(s))
	for i := range len(s) {
		if s[i] == '\n' {
			spaces[i] = '\n'
		}
	}
	return string(spaces)
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(```|$)")
	// tableHead is the first row of a table and the line below it.
	tableHead = regexp.MustCompile(`(?m)^[^\n]*\|[^\n]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*$`)
	dressing  = regexp.MustCompile("[*_`>“”|\"]+|^#+ |^\\s*([-+•]|\\d{1,3}[.)]) ")
	// aboutSearch is what an answer says of itself and of the documents.
	aboutSearch = regexp.MustCompile(`(?i)\b((documents?|passages?|librar(y|ies)|sources?|texts?|files?|context)\b.{0,40}\b(do|does|did|is|are|could|can) ?(not|n['’]t)\b|(no|none of the|nothing in the) (documents?|passages?|sources?|information)|` +
		`(could|can|did|do)( ?not|n['’]t) (find|answer|determine|know|see)|found nothing|find nothing|other words may help|not (mentioned|stated|specified|covered|found)|I am not sure|I'm not sure|comes closest|let me know|further questions|here (is|are) (what|the))\b`)
)

// ofItself finds what the model says of what it does.
var ofItself = regexp.MustCompile(`(?i)^(i|i['’]ll|i['’]m|let me|let['’]s|we)\b`)

// minClaimWords is how many words a statement without a footnote has at least.
const minClaimWords = 3

// statement returns a sentence without its dress; states is false when it states
// nothing that could be judged.
func statement(s string, cited bool) (said string, states bool) {
	heading := strings.HasPrefix(strings.TrimSpace(s), "#")
	said = strings.Join(strings.Fields(dressing.ReplaceAllString(s, " ")), " ")
	said = strings.NewReplacer(" .", ".", " ,", ",", " ;", ";", " :", ":").Replace(said)
	switch {
	case heading, strings.HasSuffix(said, ":"), strings.HasSuffix(said, "?"), aboutSearch.MatchString(said):
		return said, false
	}
	if cited {
		return said, said != "" // "Five years [c1]."
	}
	return said, len(strings.Fields(said)) >= minClaimWords && !ofItself.MatchString(said)
}
