package evidence

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

// margin is by how much another sentence has to fit a part of a statement better than
// the one that fits the whole best, to be marked too. Chosen on dev.jsonl: singles
// that got a second sentence against pairs of which both were found.
const margin = 3.5

// leastPartTerms is how many terms a part of a statement has at least.
const leastPartTerms = 4

// backBySentence marks the sentence that comes closest to a statement, and for parts
// of it that another sentence fits plainly better that one too.
func (m *Matcher) backBySentence(statement, around string, cited []int, only bool) Backing {
	ranking := m.rank(statement, around, cited, only)
	if len(ranking) == 0 {
		return Backing{Support: ibid.SupportNotFound}
	}
	chosen := []int{ranking[0].sentence}
	if parts := m.parts(statement); len(parts) > 1 {
		for _, part := range parts {
			if len(chosen) == maxSpans {
				break
			}
			better := m.rank(part, "", cited, only)
			first := better[slices.IndexFunc(better, func(r ranked) bool { return r.sentence == chosen[0] })]
			if best := better[0]; best.score-first.score >= margin && !slices.Contains(chosen, best.sentence) {
				chosen = append(chosen, best.sentence)
			}
		}
	}
	judged := m.judge(statement, chosen)
	return Backing{Spans: m.spans(statement, chosen), Support: judged.Degree(), Score: judged.Score}
}

// parts are the parts of a statement between commas and the like that say something
// by themselves; shorter ones belong to the part before.
func (m *Matcher) parts(statement string) []string {
	var parts []string
	open := ""
	for rest := statement; rest != ""; {
		i := strings.IndexAny(rest, ",;:—–")
		if i < 0 {
			open += rest
			break
		}
		_, size := utf8.DecodeRuneInString(rest[i:])
		open, rest = open+rest[:i+size], rest[i+size:]
		if len(m.numbers(open)) >= leastPartTerms {
			parts = append(parts, open)
			open = ""
		}
	}
	if n := len(parts); n > 0 && len(m.numbers(open)) < leastPartTerms {
		parts[n-1] += open
		return parts
	}
	return append(parts, open)
}

// judge holds a statement against the sources of the sentences that were chosen.
func (m *Matcher) judge(statement string, sentences []int) Support {
	var pieces []Passage
	var seen []int
	for _, i := range sentences {
		if source := m.sentences[i].Source; !slices.Contains(seen, source) {
			seen = append(seen, source)
			pieces = append(pieces, m.Passage(source))
		}
	}
	return Judge(statement, pieces)
}

// spans are the stretches of the sentences that were chosen: neighbours in one.
func (m *Matcher) spans(statement string, sentences []int) []Span {
	first := sentences[0]
	slices.Sort(sentences)
	var spans []Span
	lead := 0
	for k, i := range sentences {
		s := m.sentences[i].Span
		if k > 0 && sentences[k-1] == i-1 && m.sentences[i-1].Source == s.Source && m.sentences[i-1].Piece == s.Piece {
			spans[len(spans)-1].End = s.End
		} else {
			spans = append(spans, m.narrow(statement, s))
		}
		if i == first {
			lead = len(spans) - 1
		}
	}
	if lead > 0 { // the most important first
		best := spans[lead]
		spans = slices.Insert(slices.Delete(spans, lead, lead+1), 0, best)
	}
	return spans
}

// longSentence is the length, in bytes, from which on only the part of a sentence is
// marked that the statement is about.
const longSentence = 400

// narrow leaves out the clauses at both ends of a very long sentence that say nothing
// of a statement.
func (m *Matcher) narrow(statement string, s Span) Span {
	words := m.Text(s)
	if len(words) <= longSentence {
		return s
	}
	terms := m.numbers(statement)
	var clauses []text.Span
	for at := 0; at < len(words); {
		n := strings.IndexAny(words[at:], ";:\n•")
		if n < 0 {
			n = len(words) - at - 1
		}
		_, size := utf8.DecodeRuneInString(words[at+n:])
		clauses = append(clauses, text.Span{Start: at, End: at + n + size})
		at += n + size
	}
	says := func(c text.Span) bool {
		return slices.ContainsFunc(m.numbers(words[c.Start:c.End]), func(t int) bool { return slices.Contains(terms, t) })
	}
	from := slices.IndexFunc(clauses, says)
	if from < 0 {
		return s
	}
	to := len(clauses) - 1
	for !says(clauses[to]) {
		to--
	}
	start, end := clauses[from].Start, clauses[to].End
	said := words[start:end]
	start += len(said) - len(strings.TrimLeft(said, " \t\n•"))
	end -= len(said) - len(strings.TrimRight(said, " \t\n•"))
	s.Start, s.End = s.Start+start, s.Start+end
	return s
}
