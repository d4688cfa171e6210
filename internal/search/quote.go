package search

import (
	"strings"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/text"
)

// quote gives each passage the sentence of it that most likely answers the
// query: the words that a citation of the passage highlights. The built-in model
// chooses what it quotes in the same way.
func quote(query string, passages []ibid.Passage) {
	done := 0
	for _, c := range evidence.Choose(query, evidence.Passages(passages)) {
		p := &passages[c.Passage]
		if p.Quote.Text != "" || isHeading(p, c.Span) {
			continue
		}
		p.Quote = QuoteOf(*p, c.Span)
		if done++; done == len(passages) {
			return
		}
	}
	for i := range passages {
		if p := &passages[i]; p.Quote.Text == "" { // nothing but a heading
			p.Quote = ibid.Quote{Text: p.Text, Start: p.Start, End: p.End}
		}
	}
}

// isHeading reports whether a span of a passage only repeats its heading. A
// passage that is nothing else is quoted whole.
func isHeading(p *ibid.Passage, s text.Span) bool {
	said := strings.TrimLeft(strings.TrimSpace(p.Text[s.Start:s.End]), "# ")
	for _, h := range p.Heading {
		if strings.EqualFold(said, strings.TrimSpace(h)) {
			return true
		}
	}
	return false
}
