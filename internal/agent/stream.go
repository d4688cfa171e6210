package agent

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/agent/cite"
	"ibid/internal/agent/metadata"
)

// answerStream takes one turn of the model as it arrives, and lets through what
// belongs to the visible answer:
//
//	text ─▶ whole characters ─▶ metadata out ─▶ markers resolved ─▶ footnotes placed ─▶ held ─▶ answer.delta
type answerStream struct {
	s     *session
	ctx   context.Context // for what is looked up to place footnotes
	by    string          // the name of the model
	limit int             // bytes to hold before the text counts as the answer
	meta  metadata.Filter
	cite  cite.Resolver
	place *cite.Placer // what came through

	raw     strings.Builder // what the model wrote, as far as it is whole characters
	partial string          // the beginning of a character
	sent    int             // how much of what came through stands in the log
	open    bool            // the text counts as the answer
}

// newAnswerStream returns a stream for one turn.
func newAnswerStream(ctx context.Context, s *session, limit int) *answerStream {
	return &answerStream{s: s, ctx: ctx, by: s.cfg.Model.Name(), limit: limit, cite: cite.NewResolver(&s.state.ledger), place: s.newPlacer(ctx)}
}

// newPlacer returns a placer of footnotes in this run's answer.
func (s *session) newPlacer(ctx context.Context) *cite.Placer {
	return cite.NewPlacer(ctx, cite.Answer{Ledger: &s.state.ledger, Question: s.question, Around: s.around,
		Placed: func() []ibid.CitationPlaced { return s.state.placed }})
}

// take takes a piece of the turn. Thinking that arrives although it was turned
// off is shown as what it is.
func (a *answerStream) take(d ibid.ModelDelta) error {
	if d.Reasoning != "" {
		if err := a.s.emit(ibid.ReasoningDelta{Text: strings.ToValidUTF8(d.Reasoning, "\uFFFD")}); err != nil {
			return err
		}
	}
	return a.write(d.Text)
}

// write takes a piece of text.
func (a *answerStream) write(text string) error {
	text, a.partial = wholeCharacters(a.partial + text)
	a.raw.WriteString(text)
	a.place.Take(a.cite.Write(a.meta.Write(text)))
	held, visible := a.limit, a.place.Size()
	if held == announceHold && visible > plainHold && !announcing.Match(a.place.Text) {
		held = plainHold
	}
	if visible > held || len(a.cite.Cited) > 0 { // nobody announces with footnotes
		a.open = true
	}
	return a.send()
}

// close ends the turn, whose whole text is known now. An adapter may have found
// out late that what it streamed was thinking, or may not stream at all.
func (a *answerStream) close(whole string) error {
	whole = strings.ToValidUTF8(whole, "\uFFFD")
	streamed := a.raw.String() + a.partial
	switch rest, continues := strings.CutPrefix(whole, streamed); {
	case continues:
		if err := a.write(rest); err != nil {
			return err
		}
	case strings.TrimSpace(whole) != strings.TrimSpace(streamed):
		if err := a.demote("the text was no part of the answer"); err != nil {
			return err
		}
		*a = *newAnswerStream(a.ctx, a.s, a.limit)
		if err := a.write(whole); err != nil {
			return err
		}
	}
	a.place.Take(a.cite.Write(a.meta.Close()))
	a.place.Take(a.cite.Close())
	a.place.Close()
	return a.send()
}

// send emits what came through and is not yet sent, if the text counts as the
// answer: its footnotes before the text that shows their markers.
func (a *answerStream) send() error {
	text := string(a.place.Text[a.sent:])
	if !a.open || text == "" {
		return nil
	}
	if a.sent == 0 {
		if err := a.s.emit(ibid.AnswerStarted{Model: a.by, ContextChunks: a.s.contextChunks(),
			ContextTokens: a.s.context / bytesPerToken}); err != nil {
			return err
		}
	}
	for _, p := range a.place.Placed {
		if err := a.s.emit(p); err != nil {
			return err
		}
	}
	a.place.Placed = nil
	a.sent = len(a.place.Text)
	return a.s.emit(ibid.AnswerDelta{Text: text})
}

// bytesPerToken is a rule of thumb for the prompt's size in tokens.
const bytesPerToken = 4

// isEmpty reports whether nothing came through.
func (a *answerStream) isEmpty() bool { return a.place.IsEmpty() }

// demote makes reasoning of the text: it was no part of the answer.
func (a *answerStream) demote(reason string) error {
	if err := a.s.retract(reason); err != nil {
		return err
	}
	text := strings.TrimSpace(a.place.All())
	if text == "" {
		return nil
	}
	a.place = a.s.newPlacer(a.ctx)
	a.sent = 0
	return a.s.emit(ibid.ReasoningDelta{Text: a.s.afterThought() + text + "\n\n"})
}

// release makes the text the answer, whatever was held, and names its sources.
func (a *answerStream) release() error {
	a.open = true
	if err := a.send(); err != nil {
		return err
	}
	if pictures := a.pictures(); pictures != "" {
		if err := a.s.emit(ibid.AnswerDelta{Text: pictures}); err != nil {
			return err
		}
	}
	sources := a.withCited(a.meta.Sources())
	if len(sources) == 0 && a.s.state.named == 0 {
		return nil
	}
	return a.s.emit(ibid.SourcesNamed{Sources: append([]ibid.Source{}, sources...)})
}

// pictures shows what was made in this run under the answer, save what the model
// has shown itself.
func (a *answerStream) pictures() string {
	var b strings.Builder
	for _, r := range a.s.state.rounds {
		for _, c := range r.calls {
			if c.result == nil {
				continue
			}
			for _, f := range c.result.Files {
				if !strings.Contains(string(a.place.Text), f.URL()) {
					fmt.Fprintf(&b, "\n\n![%s](%s)", captions.Replace(strings.TrimSuffix(f.Name, path.Ext(f.Name))), f.URL())
				}
			}
		}
	}
	return b.String()
}

// captions keep a picture's name within its brackets.
var captions = strings.NewReplacer("[", "(", "]", ")", "\\", "", "\n", " ")

// withCited adds the pages of the web that the answer cites to those it names.
func (a *answerStream) withCited(sources []ibid.Source) []ibid.Source {
	for _, c := range a.s.state.ledger.Citations {
		if c.Kind != ibid.SourceWeb || !slices.Contains(a.cite.Cited, c.ChunkID) {
			continue
		}
		page, _, _ := strings.Cut(c.URL, "#")
		if !slices.ContainsFunc(sources, func(s ibid.Source) bool { return s.URL == page }) {
			sources = append(sources, ibid.Source{Title: c.Title, URL: page})
		}
	}
	return sources
}

// wholeCharacters splits off the beginning of a character at the end of s, and
// replaces what is no UTF-8.
func wholeCharacters(s string) (whole, partial string) {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if start := len(s) - n; utf8.RuneStart(s[start]) {
			if !utf8.FullRuneInString(s[start:]) {
				s, partial = s[:start], s[start:]
			}
			break
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD"), partial
}
