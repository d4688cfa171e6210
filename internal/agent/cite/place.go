package cite

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/text"
)

// Placer puts the footnotes of an answer where they belong while it is written. For
// each statement with a marker it finds the words of the sources that back it, and
// for each without one that stands in a source word for word too. The marker then
// names the passage that those words are from.
//
// A marker backs what stands before it, back to the marker or the empty line before:
//
//	The rent is 900 euros [c1] and the lease runs for five years [c2].
//	└──── statement ────┘          └─────── statement ────────┘
//
// Where only a word or two stand there ("According to [c2], …"), it waits for the
// rest of its sentence, and what is written after it waits too.
type Placer struct {
	of  Answer
	ctx context.Context

	Text  []byte // of the answer, with markers as "[chunk id]"
	space string // white space at its end, which a marker may still stand before
	lead  int    // where in text begins what has no footnote yet
	last  region // the statement of the marker that text ends with
	wait  *waiting

	Placed  []ibid.CitationPlaced     // that are not in the log yet; who writes them there empties it
	numbers map[spanKey]int           // of the words that have a footnote
	first   map[spanKey]evidence.Span // the span that the same words were found by first
	matcher *evidence.Matcher         // over the sources; nil until it is needed
	sources []placeSource             // in the matcher's order
	known   map[string]int            // chunk id → its source
}

// region is a range of bytes of the answer.
type region struct{ start, end int }

// waiting is a marker that waits for its statement, and what was written after it.
type waiting struct {
	ids   []string
	space string // before the marker
	after string
}

const (
	// fewWords is how many content words a statement has at most that may be only the
	// beginning of one.
	fewWords = 3
	// leastAlone is how many of them a statement has at least that another one follows
	// in its sentence.
	leastAlone = 2
	// waitLimit bounds, in bytes, what is held behind a marker that waits.
	waitLimit = 600
	// aroundLimit bounds, in bytes, how much of the answer before a statement tells
	// what it is about.
	aroundLimit = 300
	// leastQuoted is how many words a statement without a marker has at least to get
	// one because it stands in a source.
	leastQuoted = 5
)

// Answer is what an answer is written from: what the placer has to know of its run.
type Answer struct {
	Ledger *Ledger
	// Question is what the answer answers.
	Question func() string
	// Placed are the footnotes of the answer that stand in the log.
	Placed func() []ibid.CitationPlaced
	// Around fetches what stands around the passages of the ledger, by chunk id.
	Around func(ctx context.Context) map[string][]ibid.Chunk
}

// NewPlacer returns a placer for one turn of the model. ctx is for what is looked up.
func NewPlacer(ctx context.Context, of Answer) *Placer {
	return &Placer{of: of, ctx: ctx, last: region{-1, -1}, numbers: map[spanKey]int{}, first: map[spanKey]evidence.Span{}}
}

// Take takes the next segments of the answer.
func (p *Placer) Take(all Segments) {
	for _, seg := range all {
		switch {
		case seg.ids != nil:
			p.marker(seg.ids)
		case p.wait != nil:
			p.wait.after += seg.text
			p.goOn(false)
		case seg.code:
			p.code(seg.text)
		default:
			p.write(seg.text)
		}
	}
}

// Close ends the answer.
func (p *Placer) Close() {
	if p.wait != nil {
		p.goOn(true)
	}
	p.ends("\n\n", "")
	p.Text = append(p.Text, p.space...)
	p.space = ""
}

// Size is how many bytes came through, what is still held included.
func (p *Placer) Size() int {
	n := len(p.Text) + len(p.space)
	if p.wait != nil {
		n += len(p.wait.after)
	}
	return n
}

// All is the text with what is still held.
func (p *Placer) All() string {
	all := string(p.Text) + p.space
	if p.wait != nil {
		all += p.wait.after
	}
	return all
}

// IsEmpty reports whether nothing of it shows.
func (p *Placer) IsEmpty() bool { return strings.TrimSpace(p.All()) == "" }

// code writes code as it is. A statement goes through code in a line; blocks of code
// state nothing.
func (p *Placer) code(s string) {
	p.Text = append(append(p.Text, p.space...), s...)
	p.space = ""
	if strings.Contains(s, "\n") || strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") {
		p.lead = len(p.Text)
	}
}

// write writes words. White space at the end is held back, since a marker may have
// to stand before it.
func (p *Placer) write(s string) {
	s = p.space + s
	p.space = ""
	for {
		i := strings.IndexFunc(s, unicode.IsSpace)
		if i < 0 {
			p.Text = append(p.Text, s...)
			return
		}
		p.Text = append(p.Text, s[:i]...)
		rest := strings.TrimLeftFunc(s[i:], unicode.IsSpace)
		space := s[i : len(s)-len(rest)]
		if rest == "" {
			p.space = space
			return
		}
		p.ends(space, rest)
		p.Text = append(p.Text, space...)
		if strings.Count(space, "\n") > 1 {
			p.lead = len(p.Text)
		}
		s = rest
	}
}

// ends is called where white space follows: if a statement ends there that has no
// marker but stands in a source word for word, it gets one.
func (p *Placer) ends(space, rest string) {
	if len(p.Text) == p.lead || len(p.of.Ledger.Citations) == 0 {
		return
	}
	last, _ := utf8.DecodeLastRune(p.Text)
	if unicode.IsLetter(last) && !strings.Contains(space, "\n") {
		return
	}
	_, size := utf8.DecodeRuneInString(rest) // however much has come: the same text has the same footnotes
	open := bare(string(p.Text[p.lead:]), nil)
	if inQuotes(open) { // the quotation has its marker at its end
		return
	}
	spans := text.Sentences(open + space + rest[:size])
	i := slices.IndexFunc(spans, func(s text.Span) bool { return s.End == len(strings.TrimRight(open, " \n")) })
	if i < 0 {
		return
	}
	said, states := statement(open[spans[i].Start:spans[i].End], false)
	if !states || len(strings.Fields(said)) < leastQuoted {
		return
	}
	if backing, ok := p.match().Quoted(said, nil); ok {
		p.put(p.behind(backing.Spans, trimmed(p.Text, region{p.lead + spans[i].Start, p.lead + spans[i].End}), backing.Support), " ")
		p.lead = len(p.Text)
	}
}

// inQuotes reports whether a quotation is open at the end of a text.
func inQuotes(s string) bool {
	low, high, closing := strings.Count(s, "„"), strings.Count(s, "“"), strings.Count(s, "”")
	if low > 0 { // „so“
		return low > high+closing
	}
	return high > closing || strings.Count(s, `"`)%2 == 1
}

// marker takes a marker.
func (p *Placer) marker(ids []string) {
	if p.wait != nil {
		if !states(p.wait.after) { // one right behind the other
			p.wait.ids = append(p.wait.ids, ids...)
			p.wait.after = ""
			return
		}
		if p.alone() { // what follows has a marker of its own
			p.settle(0)
		} else {
			p.settle(len(p.wait.after))
		}
	}
	open := string(p.Text[p.lead:])
	switch {
	case !states(open) && p.last.start >= 0 && !states(string(p.Text[p.last.end:])): // "[c1][c2]": it backs the same
		p.back(ids, []region{p.last})
	case p.contentWords(open) <= fewWords:
		p.wait = &waiting{ids: ids, space: p.space}
		p.space = ""
	default:
		p.back(ids, p.openStatements())
	}
}

// alone reports whether what stands before a marker that waits is a statement by
// itself: it has the words for it, or they stand in a passage that the marker names.
func (p *Placer) alone() bool {
	open := string(p.Text[p.lead:])
	if p.contentWords(open) >= leastAlone {
		return true
	}
	said, _ := statement(open, true)
	cited := p.indexes(p.wait.ids)
	quoted, ok := p.match().Quoted(said, cited)
	return ok && slices.Contains(cited, quoted.Spans[0].Source)
}

// states reports whether a text has any letter or digit.
func states(s string) bool {
	return strings.ContainsFunc(marker.ReplaceAllString(s, ""), func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

func (p *Placer) contentWords(s string) int {
	n := 0
	for w := range text.Words(s) {
		if !w.Joined && !stopWords.Stop(w.Text) {
			n++
		}
	}
	return n
}

// stopWords knows the words of English that say nothing by themselves. In other
// languages more words count as saying something, so that less waits.
var stopWords = text.NewAnalyzer("en")

// goOn looks whether the statement of a marker that waits is complete.
func (p *Placer) goOn(final bool) {
	after := p.wait.after
	trimmed := strings.TrimLeft(after, " ")
	if trimmed == "" && !final {
		return
	}
	first, _ := utf8.DecodeRuneInString(trimmed)
	switch {
	case states(string(p.Text[p.lead:])) && (trimmed == "" || strings.ContainsRune(".!?;|)\n…。", first)):
		p.settle(0) // what stands before is all there is: "Five years [c1]."
	default:
		line, _, ended := strings.Cut(after, "\n")
		switch spans := text.Sentences(line); {
		case len(spans) > 1 && spans[0].End <= waitLimit:
			p.settle(spans[0].End)
		case len(line) > waitLimit:
			p.settle(len(text.Clip(line, waitLimit)))
		case ended || final:
			p.settle(len(line))
		}
	}
}

// settle backs the statement of a marker that has waited: what stands before it, and
// n bytes of what stands after it.
func (p *Placer) settle(n int) {
	w := p.wait
	p.wait = nil
	before := trimmed(p.Text, region{p.lead, len(p.Text)})
	after := strings.TrimRight(w.after[:n], " \n")
	said, _ := statement(bare(string(p.Text[before.start:before.end])+after, nil), true)
	var b evidence.Backing
	if said != "" { // an empty item of a list states nothing
		b = p.backOne(p.indexes(w.ids), said, p.around(before.start))
	}
	// A statement that goes on behind its markers ends so many bytes behind them.
	r := before
	if after != "" {
		r.end = len(p.Text) + len(w.space) + p.markerSize(p.same(b.Spans)) + len(after)
	}
	p.put(p.behind(b.Spans, r, b.Support), w.space)
	p.Text = append(p.Text, after...)
	p.last, p.lead = r, len(p.Text)
	p.write(w.after[len(after):])
}

// markerSize is how many bytes the markers of spans have.
func (p *Placer) markerSize(spans []evidence.Span) int {
	size := 0
	for i, s := range spans {
		if i == 0 || spans[i-1].Source != s.Source {
			size += len(p.sources[s.Source].citation.ChunkID) + len("[]")
		}
	}
	return size
}

// trimmed leaves white space and the marks of lists and quotes out of a region.
func trimmed(answer []byte, r region) region {
	said := string(answer[r.start:r.end])
	r.start += len(said) - len(strings.TrimLeft(said, lineDress))
	r.end -= len(said) - len(strings.TrimRight(said, " \t\n”\""))
	if r.end < r.start {
		r.end = r.start
	}
	return r
}

// lineDress are the signs that may stand before a statement on its line.
const lineDress = "#>-*+•|“\" \t\n.,;:!?)"

// openStatements are the sentences that have no footnote yet.
func (p *Placer) openStatements() []region {
	open := bare(string(p.Text[p.lead:]), nil)
	var regions []region
	for _, s := range text.Sentences(open) {
		if states(open[s.Start:s.End]) {
			regions = append(regions, trimmed(p.Text, region{p.lead + s.Start, p.lead + s.End}))
		}
	}
	return regions
}

// backed is a span behind a statement.
type backed struct {
	evidence.Span
	statement region
	support   ibid.SupportDegree
}

// back puts a marker behind statements: the last of them is what it certainly backs,
// those before only where its sources plainly say so. Statements that stand in a
// source one after the other, as a quotation does, are one.
func (p *Placer) back(ids []string, statements []region) {
	if len(statements) == 0 {
		return
	}
	m, cited := p.match(), p.indexes(ids)
	last := statements[len(statements)-1]
	whole := region{statements[0].start, last.end}
	var spans []backed
	if quoted, ok := m.Quoted(p.said(whole), cited); ok && len(statements) > 1 {
		spans, last = p.behind(quoted.Spans, whole, quoted.Support), whole
	} else {
		for _, r := range statements[:len(statements)-1] {
			b := m.Back(p.said(r), p.around(r.start), cited)
			other := func(s evidence.Span) bool { return !slices.Contains(cited, s.Source) }
			if (b.Support == ibid.SupportQuoted || b.Support == ibid.SupportFull) && !slices.ContainsFunc(b.Spans, other) {
				spans = append(spans, p.behind(b.Spans, r, b.Support)...)
			}
		}
		b := p.backOne(cited, p.said(last), p.around(last.start))
		spans = append(spans, p.behind(b.Spans, last, b.Support)...)
	}
	p.put(spans, p.takeSpace())
	p.last, p.lead = last, len(p.Text)
}

// behind are spans behind a statement.
func (p *Placer) behind(spans []evidence.Span, r region, support ibid.SupportDegree) []backed {
	var all []backed
	for _, s := range p.same(spans) {
		all = append(all, backed{s, r, support})
	}
	return all
}

// same replaces spans of words that were found before by those that they were first
// found by, so that all markers of a footnote name one passage.
func (p *Placer) same(spans []evidence.Span) []evidence.Span {
	spans = slices.Clone(spans)
	for i, s := range spans {
		first, known := p.first[p.key(s)]
		if !known {
			first = s
			p.first[p.key(s)] = s
		}
		spans[i] = first
	}
	return spans
}

// backOne finds the footnotes of one statement: the words that back it best, and for
// each passage that its marker names besides the words in it, unless they say
// nothing of it.
func (p *Placer) backOne(cited []int, said, around string) evidence.Backing {
	m := p.match()
	b := m.Back(said, around, cited)
	seen := func(source int) bool { return !p.wordless(source) }
	if len(cited) > 0 && !slices.ContainsFunc(cited, seen) && b.Support != ibid.SupportQuoted && b.Support != ibid.SupportFull {
		b.Spans = nil // it rests on pictures, which say what no words here do
	}
	for _, source := range cited {
		if slices.ContainsFunc(b.Spans, func(s evidence.Span) bool { return s.Source == source }) {
			continue
		}
		if p.wordless(source) { // the whole page
			b.Spans = append(b.Spans, evidence.Span{Source: source})
			continue
		}
		if len(b.Spans) > 0 && len(cited) == 1 {
			continue // better words stand elsewhere
		}
		if own := m.Within(source, said, around); len(b.Spans) == 0 || len(cited) > 1 && own.Score >= leastShared {
			b.Spans = append(b.Spans, own.Spans...)
		}
	}
	return b
}

// leastShared is the score from which on a passage that a marker names beside others
// says something of the statement.
const leastShared = 0.4

// wordless reports whether a source has no words: it is a picture.
func (p *Placer) wordless(source int) bool {
	return p.sources[source].citation.Text == ""
}

// takeSpace takes the white space that is held.
func (p *Placer) takeSpace() string {
	s := p.space
	p.space = ""
	return s
}

// put writes markers and places their footnotes; space stands before the first
// marker. Footnotes that follow each other and are of one passage share a marker.
// Where the statements have all of these footnotes already nothing is written.
func (p *Placer) put(spans []backed, space string) {
	if !slices.ContainsFunc(spans, func(s backed) bool { return !p.shown(s) }) {
		return
	}
	p.Text = append(p.Text, space...)
	at := 0
	for i, s := range spans {
		if i == 0 || spans[i-1].Source != s.Source {
			at = len(p.Text)
			p.Text = append(p.Text, "["+p.sources[s.Source].citation.ChunkID+"]"...)
		}
		p.Placed = append(p.Placed, p.footnote(s, at))
	}
}

// said is a statement without the dress of Markdown.
func (p *Placer) said(r region) string {
	if bytes.HasSuffix(p.Text[:r.start], []byte("“")) { // a number that begins a quotation is a part of it
		r.start -= len("“")
	}
	said, _ := statement(bare(string(p.Text[r.start:r.end]), nil), true)
	return said
}

// around is the question, and what stands before a statement in the answer.
func (p *Placer) around(at int) string {
	before := marker.ReplaceAllString(string(p.Text[max(0, at-aroundLimit):at]), "")
	return p.of.Question() + "\n" + strings.ToValidUTF8(before, "")
}
