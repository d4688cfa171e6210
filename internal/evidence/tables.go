package evidence

import (
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// backByTable marks the rows of a query's result that a statement is about: those
// that have one of its figures, or a name; all of them where none has.
func (m *Matcher) backByTable(statement string, tables []int) Backing {
	a := m.assert(statement)
	best := Backing{Support: ibid.SupportNotFound}
	for _, source := range tables {
		judged := JudgeTable(statement, m.Passage(source).Text)
		if len(best.Spans) > 0 && judged.Score <= best.Score {
			continue
		}
		best = Backing{Spans: m.rows(a, source), Support: judged.Degree(), Score: judged.Score}
	}
	return best
}

// rows are the rows of a table that have a figure or a word of a statement. A head
// has words of any.
func (m *Matcher) rows(a asserted, source int) []Span {
	table := m.sources[source].Pieces[0]
	var all, told []Span
	at := 0
	for n, line := range strings.Split(table, "\n") {
		span := Span{source, 0, text.Span{Start: at, End: at + len(line)}}
		at += len(line) + 1
		if n == 0 && m.sources[source].Head || strings.TrimSpace(line) == "" {
			continue
		}
		all = append(all, span)
		figures := leastFigures(figuresOf(line))
		hit := false
		for f := range a.figures {
			hit = hit || figures[leastDigits(f)]
		}
		for _, t := range m.numbers(line) {
			hit = hit || slices.Contains(a.terms, t) && !isFigure(m.names[t])
		}
		if hit {
			told = append(told, span)
		}
	}
	if len(told) == 0 || len(told) > maxSpans && len(joinRows(told)) > maxSpans {
		told = all
	}
	told = joinRows(told)
	if len(told) == 0 { // nothing but a head
		told = []Span{{source, 0, text.Span{End: len(strings.TrimRight(table, "\n"))}}}
	}
	return told
}

// joinRows makes one span of rows that follow each other.
func joinRows(rows []Span) []Span {
	var out []Span
	for _, r := range rows {
		if n := len(out); n > 0 && out[n-1].End+1 == r.Start {
			out[n-1].End = r.End
			continue
		}
		out = append(out, r)
	}
	return out
}

func leastFigures(figures map[string]bool) map[string]bool {
	least := map[string]bool{}
	for f := range figures {
		least[leastDigits(f)] = true
	}
	return least
}

// isFigure reports whether a word has nothing but digits.
func isFigure(word string) bool {
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return false
		}
	}
	return word != ""
}
