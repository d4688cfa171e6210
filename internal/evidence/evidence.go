// Package evidence says how a text backs an answer, by rules over words alone. Texts,
// questions and statements go in; sentences, grades, spans and degrees of support come
// out. It knows nothing of models, runs and stores.
//
//	question + passages ──▶ Choose: their sentences, the likeliest to answer first
//	                    ──▶ Grade: how likely each passage answers, from 0 to 1
//
//	statement ─┬─ its very words stand in a source ──────────────▶ quoted
//	           └─ else the sentences of all sources are ranked ──▶ Judge ──▶ supported, partly, …
//
// Its constants were fitted and measured on public question sets; each says on which,
// and which test measures it.
package evidence

import (
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// Source is a text that was found, with what stands around it.
type Source struct {
	Under string // what it stands under: the title of its document, its headings
	// Pieces are stretches of one text in their order; each stands on one page. One of
	// them was found, the others are its neighbours.
	Pieces []string
	Found  int // which of the pieces was found; -1: all of them
	// Table says that the text is what a tool or a database answered: rows in which
	// figures and names are compared, not sentences.
	Table bool
	Head  bool // the first row of the table only names its columns
}

// found reports whether a piece was found, and does not only stand beside one.
func (s Source) found(piece int) bool { return s.Found < 0 || s.Found == piece }

// Span is a stretch of a piece of a source that backs a statement.
type Span struct {
	Source, Piece int
	text.Span
}

// Backing is what backs a statement: the spans, the most important first, each
// adding something, and how far they bear it out together.
type Backing struct {
	Spans   []Span
	Support ibid.SupportDegree
	Score   float64 // of Judge; 1 for what is quoted
}

// Matcher holds statements against sources. It may be used by one goroutine at a
// time.
type Matcher struct {
	sources   []Source
	joined    []joinedText // by source
	sentences []sourceSentence
	terms     map[string]int // term → number
	names     []string       // number → term
	vectors   [][]int8       // number → what the term means; nil where that is not known
	holds     []int          // number → sentences that have the term
	had       []map[int]bool // by source: its terms
	alike     map[int][]float32
	analyzer  *text.Memo
}

// joinedText is a source's pieces, folded, one after the other.
type joinedText struct {
	folded
	from  []int // where in source each piece begins
	found int   // where in text the piece begins that was found; 0 where all were
}

// New returns a matcher for sources.
func New(sources []Source) *Matcher {
	m := &Matcher{sources: sources, terms: map[string]int{}, alike: map[int][]float32{}, had: make([]map[int]bool, len(sources))}
	m.analyzer = text.NewMemo(text.NewAnalyzer(languageOf(sources)))
	for i, s := range sources {
		var b strings.Builder
		from := make([]int, len(s.Pieces))
		for k, p := range s.Pieces {
			from[k] = b.Len()
			b.WriteString(p)
			b.WriteByte('\n')
		}
		t := joinedText{folded: fold(b.String(), true), from: from}
		if s.Found > 0 {
			t.found = max(0, slices.IndexFunc(t.at, func(at int32) bool { return int(at) >= from[s.Found] }))
		}
		m.joined = append(m.joined, t)
		m.had[i] = map[int]bool{}
		m.read(i)
	}
	m.weigh()
	return m
}

// languageOf is the language of the first source that tells; English otherwise.
func languageOf(sources []Source) string {
	for _, s := range sources {
		for _, p := range s.Pieces {
			if l := text.Language(p); l != "" {
				return l
			}
		}
	}
	return "en"
}

const (
	// leastVerbatim is how many folded bytes a statement has at least to be looked
	// for, word for word, in sources that it does not cite.
	leastVerbatim = 16
	// maxSpans bounds how many spans back one statement.
	maxSpans = 3
)

// Quoted returns where the very words of a statement stand. Sources that the
// statement cites come first, and what was found before what stands around it.
func (m *Matcher) Quoted(statement string, cited []int) (Backing, bool) {
	for _, parts := range wordings(statement) {
		if len(parts) == 0 {
			continue
		}
		best, rank := []Span(nil), -1
		for i := range m.sources {
			cites := slices.Contains(cited, i)
			if !cites && len(strings.Join(parts, "")) < leastVerbatim {
				continue
			}
			spans, found := m.verbatim(i, parts, statement)
			if spans == nil {
				continue
			}
			r := 1
			if found {
				r += 2
			}
			if cites {
				r += 4
			}
			if r > rank {
				best, rank = spans, r
			}
		}
		if best != nil {
			return Backing{Spans: best, Support: ibid.SupportQuoted, Score: 1}, true
		}
	}
	return Backing{}, false
}

// verbatim looks for parts, one after the other, in a source. found says that they
// all stand in the piece that was found. The piece that was found is looked through
// first, since the same words may stand beside it too.
func (m *Matcher) verbatim(source int, parts []string, statement string) (spans []Span, found bool) {
	t := &m.joined[source]
	for _, after := range []int{t.found, 0} {
		spans = nil
		for _, p := range parts {
			i := t.find(p, after)
			if i < 0 && len(spans) > 0 { // a row may be quoted before what stands above it
				i = t.find(p, 0)
			}
			if i < 0 {
				spans = nil
				break
			}
			after = i + len(p)
			said := t.span(i, after)
			if len(parts) == 1 {
				said = withSigns(t.source, said, statement)
			}
			spans = append(spans, m.cut(source, said)...)
		}
		if spans != nil {
			break
		}
	}
	if spans == nil {
		return nil, false
	}
	return joinNeighbours(spans), !slices.ContainsFunc(spans, func(s Span) bool { return !m.sources[source].found(s.Piece) })
}

// cut cuts a span of a source's joined text where one piece ends and the next
// begins.
func (m *Matcher) cut(source int, s text.Span) []Span {
	var spans []Span
	for k, from := range m.joined[source].from {
		piece := m.sources[source].Pieces[k]
		start, end := max(s.Start-from, 0), min(s.End-from, len(piece))
		if start >= end {
			continue
		}
		said := piece[start:end]
		start += len(said) - len(strings.TrimLeft(said, " \t\n"))
		end -= len(said) - len(strings.TrimRight(said, " \t\n"))
		if start < end {
			spans = append(spans, Span{source, k, text.Span{Start: start, End: end}})
		}
	}
	return spans
}

// joinNeighbours makes one span of two that follow each other in one piece with
// nothing but a few signs between them.
func joinNeighbours(spans []Span) []Span {
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].Source == s.Source && out[n-1].Piece == s.Piece && s.Start >= out[n-1].End && s.Start-out[n-1].End <= 3 {
			out[n-1].End = s.End
			continue
		}
		out = append(out, s)
	}
	return out
}

// Text is the words of a span.
func (m *Matcher) Text(s Span) string { return m.sources[s.Source].Pieces[s.Piece][s.Start:s.End] }

// Back finds what backs a statement. cited are the sources that the statement
// names; words elsewhere are taken only where they are plainly better. around is
// what stands before the statement in the answer, which may say what it is about.
func (m *Matcher) Back(statement, around string, cited []int) Backing {
	if quoted, ok := m.Quoted(statement, cited); ok {
		return quoted
	}
	if tables := m.tables(cited); len(tables) > 0 && len(tables) == len(cited) {
		return m.backByTable(statement, tables)
	}
	return m.backBySentence(statement, around, cited, false)
}

// tables are the sources among those that are tables.
func (m *Matcher) tables(sources []int) []int {
	return slices.DeleteFunc(slices.Clone(sources), func(i int) bool { return !m.sources[i].Table })
}

// Within is Back for one source alone.
func (m *Matcher) Within(source int, statement, around string) Backing {
	for _, parts := range wordings(statement) {
		if spans, _ := m.verbatim(source, parts, statement); len(parts) > 0 && spans != nil {
			return Backing{Spans: spans, Support: ibid.SupportQuoted, Score: 1}
		}
	}
	if m.sources[source].Table {
		return m.backByTable(statement, []int{source})
	}
	return m.backBySentence(statement, around, []int{source}, true)
}

// Passage is what Judge holds a statement against where a source is cited: all of it.
func (m *Matcher) Passage(source int) Passage {
	s := m.sources[source]
	return Passage{Under: s.Under, Text: strings.Join(s.Pieces, "\n")}
}
