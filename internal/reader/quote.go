package reader

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/question"
	"ibid/internal/text"
)

// Below sureFrom the reader says that it is not sure; below quietBelow it says
// that it found nothing. See TestAbstaining for what that means in numbers.
const (
	sureFrom   = 0.55
	allFrom    = 0.35 // below it fewer sentences are quoted
	quietBelow = 0.150
	// leastCovered is the share of a question's words, weighted by rarity, that
	// a sentence and what stands before it must hold to be quoted at all.
	leastCovered = 0.30
)

// quoteAll answers one or several questions.
func (r *Reader) quoteAll(questions []string, passages []ibid.Handled) (string, bool) {
	if len(questions) == 1 {
		return r.quote(questions[0], passages)
	}
	var parts []string
	found := false
	for _, q := range questions {
		answer, ok := r.quote(q, passages)
		if !ok {
			answer = "I found nothing in your documents that answers this part."
		}
		found = found || ok
		parts = append(parts, "**"+strings.TrimSpace(q)+"**\n\n"+answer)
	}
	return strings.Join(parts, "\n\n"), found
}

// quote answers a question by quoting, or reports that nothing fits.
func (r *Reader) quote(asked string, passages []ibid.Handled) (string, bool) {
	ranked := choose(withoutDocuments(asked, passages), passages)
	if len(ranked) == 0 || !worthSaying(ranked) {
		return "", false
	}
	return compose(pick(ranked, passages), passages, assured(ranked)), true
}

// withoutDocuments takes the names of the documents that passages are from out of
// a question: "What does the lease say about pets?" is about pets.
func withoutDocuments(asked string, passages []ibid.Handled) string {
	var called [][]string
	seen := map[string]bool{}
	for _, p := range passages {
		if !seen[p.Title] {
			seen[p.Title] = true
			called = append(called, []string{p.Title})
		}
	}
	file := question.FileNamed(asked)
	if file != "" && len(called) == 1 { // a search of this file alone, whatever its title is
		called[0] = append(called[0], file)
	}
	if len(called) == 0 {
		return asked
	}
	return question.Without(asked, called)
}

// assured is the confidence in an answer, which is not to be called unsure where
// one sentence has all that the question says (four of five such are right), or
// defines what it asks for.
func assured(ranked []evidence.Choice) float64 {
	if best := ranked[0]; best.Coverage > 0.99 || best.Defines >= 0.9 {
		return max(evidence.Confidence(ranked), sureFrom)
	}
	return evidence.Confidence(ranked)
}

// choose ranks the sentences of the passages by how well they answer.
func choose(asked string, passages []ibid.Handled) []evidence.Choice {
	of := make([]evidence.Passage, len(passages))
	for i, p := range passages {
		of[i] = evidence.Passage{Under: p.Title + "\n" + p.Heading, Text: p.Text, Score: p.Score}
	}
	return evidence.Choose(asked, of)
}

// worthSaying reports whether the best sentence is likely enough to answer.
func worthSaying(ranked []evidence.Choice) bool {
	return evidence.Confidence(ranked) >= quietBelow && ranked[0].Within >= leastCovered
}

// quotation is a run of neighbouring sentences of one passage.
type quotation struct {
	passage int
	span    text.Span
	first   int // sentence
	last    int
	header  string // of a row of a table: what its columns are
}

const (
	maxQuotes = 3
	// scoreGap is how far below the best a sentence may score and still be
	// quoted beside it.
	scoreGap = 3.0
	// besideFrom is how much of what the best holds of the question another has to.
	besideFrom = 0.2
	// maxQuoteBytes bounds one quotation; longer ones are cut around their start.
	maxQuoteBytes = 600
)

// pick chooses what to quote: the best sentence, others that come close, and
// the sentence before one that cannot be understood without it.
func pick(ranked []evidence.Choice, passages []ibid.Handled) []quotation {
	var quotes []quotation
	taken := 0
	for _, c := range ranked {
		if taken == maxQuotes || taken > 0 && (c.Score < ranked[0].Score-scoreGap || c.Coverage == 0) {
			break
		}
		here := said(passages, c)
		if taken > 0 && (c.Asks || isHeading(passages[c.Passage], here) || c.Broken && !text.TableRow(here) || c.Coverage < besideFrom*ranked[0].Coverage) || repeats(quotes, c, passages) {
			continue
		}
		q := quotation{passage: c.Passage, span: c.Span, first: c.Sentence, last: c.Sentence, header: c.Header}
		s := said(passages, c)
		if before, ok := sentenceBefore(ranked, c); ok && (pointsBack(s) || startsLow(s)) {
			q.span.Start, q.first = before.Start, before.Sentence
		}
		quotes = join(quotes, q)
		taken++
	}
	return quotes
}

// isHeading reports whether a sentence is only what stands above the passage: it
// says nothing that is not said with the quotation's footnote.
func isHeading(p ibid.Handled, sentence string) bool {
	path := strings.TrimSpace(sentence)
	return strings.HasSuffix(p.Heading, path) || strings.EqualFold(p.Title, path)
}

// said is the sentence that was chosen.
func said(passages []ibid.Handled, c evidence.Choice) string {
	return passages[c.Passage].Text[c.Start:c.End]
}

// backwards are words, as a sentence begins with them, for something said before it.
var backwards = text.WordSet("He She It They This These That Those His Her Their Its Such However But Instead Also Then There Both Here")

// pointsBack reports whether a sentence begins with a word for something said before.
func pointsBack(s string) bool {
	for _, quote := range []string{`"`, "“", "'"} {
		if after, ok := strings.CutPrefix(s, quote); ok {
			s = after
			break
		}
	}
	for run := range text.Runs(s) {
		return backwards[s[:run.End]]
	}
	return false
}

// startsLow reports whether a sentence begins in the middle of one.
func startsLow(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

func sentenceBefore(ranked []evidence.Choice, c evidence.Choice) (evidence.Choice, bool) {
	for _, o := range ranked {
		if o.Passage == c.Passage && o.Sentence == c.Sentence-1 {
			return o, true
		}
	}
	return evidence.Choice{}, false
}

// repeats reports whether a quotation says the same already.
func repeats(quotes []quotation, c evidence.Choice, passages []ibid.Handled) bool {
	for _, q := range quotes {
		if q.passage == c.Passage && q.first <= c.Sentence && c.Sentence <= q.last {
			return true
		}
		if strings.Contains(passages[q.passage].Text[q.span.Start:q.span.End], said(passages, c)) {
			return true
		}
	}
	return false
}

// join adds a quotation, to a neighbouring one where there is one.
func join(quotes []quotation, q quotation) []quotation {
	for i := range quotes {
		o := &quotes[i]
		if o.passage == q.passage && q.first <= o.last+1 && o.first <= q.last+1 && o.header == "" && q.header == "" {
			o.span.Start, o.first = min(o.span.Start, q.span.Start), min(o.first, q.first)
			o.span.End, o.last = max(o.span.End, q.span.End), max(o.last, q.last)
			return quotes
		}
	}
	return append(quotes, q)
}

// compose writes the answer: each document is named, each quotation stands as
// one, followed by its footnote. Quotations of one page stand together.
func compose(quotes []quotation, passages []ibid.Handled, sure float64) string {
	var b strings.Builder
	if sure < sureFrom {
		b.WriteString("I am not sure that this answers it, but it comes closest. ")
	}
	if sure < allFrom {
		quotes = quotes[:min(len(quotes), 2)]
	}
	seen := map[string]bool{} // titles
	for len(quotes) > 0 {
		here := passages[quotes[0].passage]
		switch {
		case !seen[here.Title] && len(seen) > 0:
			fmt.Fprintf(&b, "%s adds:\n\n", place(here))
		case !seen[here.Title]:
			fmt.Fprintf(&b, "%s says:\n\n", place(here))
		case here.Page > 0:
			fmt.Fprintf(&b, "**%s** says also, on page %d:\n\n", plainTitle(here), here.Page)
		default:
			fmt.Fprintf(&b, "%s says also:\n\n", place(here))
		}
		seen[here.Title] = true
		var later []quotation
		for _, q := range quotes {
			p := passages[q.passage]
			if place(p) != place(here) {
				later = append(later, q)
				continue
			}
			fmt.Fprintf(&b, "> “%s”%s\n\n", q.text(p), footnote(p))
		}
		quotes = later
	}
	return strings.TrimRight(b.String(), "\n")
}

// text is what is quoted of a passage; a row of a table comes with its header.
func (q quotation) text(p ibid.Handled) string {
	s := quoted(withoutHeading(p.Text[q.span.Start:q.span.End]))
	header := strings.TrimSuffix(q.header, "\n"+sectionOf(s))
	if header == "" || strings.Contains(s, quoted(header)) {
		return s
	}
	return strings.ReplaceAll(header, "\n", " … ") + " … " + s
}

// longestHeading bounds, in bytes, what is taken for a heading above a paragraph.
const longestHeading = 100

// withoutHeading leaves out what stands alone above the first paragraph of a
// quotation, without a sign that ends a sentence: nobody wrote it as one with what
// follows.
func withoutHeading(s string) string {
	for {
		first, rest, found := strings.Cut(s, "\n\n")
		first = strings.TrimSpace(first)
		last, _ := utf8.DecodeLastRuneInString(first)
		if !found || strings.TrimSpace(rest) == "" || len(first) > longestHeading || strings.Contains(first, "\n") || strings.ContainsRune(".!?:;,…", last) {
			return s
		}
		s = rest
	}
}

// sectionOf returns the section that stands in a row itself.
func sectionOf(row string) string {
	if section, _, ok := strings.Cut(row, ": "); ok {
		return section + ":"
	}
	return ""
}

// footnote is the marker of a passage; a text that was attached has none.
func footnote(p ibid.Handled) string {
	if p.Handle == "" {
		return ""
	}
	return " [" + p.Handle + "]"
}

// place names a document, and where in it a passage stands.
func place(p ibid.Handled) string {
	s := "**" + plainTitle(p) + "**"
	if p.Page > 0 {
		s += fmt.Sprintf(" (page %d)", p.Page)
	}
	return s
}

func plainTitle(p ibid.Handled) string {
	if p.Title == "" {
		return "The document"
	}
	return strings.ReplaceAll(p.Title, "*", "")
}

var (
	// sourceMarks are footnotes of the source itself: in an answer they would
	// pass for ours.
	sourceMarks = regexp.MustCompile(`\s*\[` + text.SourceMark(`c\d+`) + `\]`)
	lineMarks   = regexp.MustCompile(`(?m)^\s*(?:[#>]+|[-*+•])\s+`)
)

// code finds what stands in code and hardly in prose.
var code = regexp.MustCompile(`\w\(\)|\]\]|\[\[|[=<>+*/]=|<-|\w\[\w+\](?:\.\w|\[|\(|\s?=)|;\s*$|[{}]`)

// withoutSourceMarks takes out the footnotes of the source. In code they are
// indexes: those stay, with a space of no width so that no one takes them for a
// footnote of ours.
func withoutSourceMarks(s string) string {
	if !code.MatchString(s) {
		return sourceMarks.ReplaceAllString(s, "")
	}
	return sourceMarks.ReplaceAllStringFunc(s, func(mark string) string {
		return strings.Replace(mark, "[", "[\u200b", 1)
	})
}

// quoted makes one line of a quotation, without the marks of lists, headings
// and footnotes, and cuts it when it is very long.
func quoted(s string) string {
	s = lineMarks.ReplaceAllString(s, "")
	s = withoutSourceMarks(s)
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimSpace(strings.TrimSuffix(strings.Trim(s, "“”\""), "¶")) // of a page that was read by an older ibid
	if len(s) <= maxQuoteBytes {
		return s
	}
	cut := maxQuoteBytes
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(s[:cut], ' '); i > cut/2 {
		cut = i
	}
	return s[:cut] + " …"
}
