package reader

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

// firstMove acts on a question that no tool has been used for yet.
func (r *Reader) firstMove(t task, req ibid.ModelRequest) reply {
	has := func(tool string) bool {
		return slices.ContainsFunc(req.Tools, func(s ibid.ToolSpec) bool { return s.Name == tool })
	}
	m := r.decide(t, has)
	if m.say != "" {
		return reply{text: m.say}
	}
	if m.tool == toolSearch && !has(toolSearch) {
		other := otherSearch(req.Tools)
		if other == "" {
			return reply{text: "I can only answer from documents, and I have not been given a way to search them."}
		}
		m.tool = other
	}
	out := reply{calls: m.calls(req.Tools, 0)}
	if req.Think == ibid.ThinkOn {
		out.thinking = r.planInWords(t)
	}
	return out
}

// otherSearch returns a tool that takes a query, where the one for documents is
// not offered.
func otherSearch(tools []ibid.ToolSpec) string {
	for _, t := range tools {
		if names := argumentNames(t, 1); len(names) == 1 && (names[0] == "query" || names[0] == "q") {
			return t.Name
		}
	}
	return ""
}

// nextMove acts on the results of tools.
func (r *Reader) nextMove(t task, req ibid.ModelRequest) reply {
	if last := t.rounds[len(t.rounds)-1]; last.result == nil {
		return r.firstMove(t, req) // the calls were never made
	}
	var passages []ibid.Handled
	var direct []string // results that are answers themselves
	searches := 0
	for _, round := range t.rounds {
		if round.result == nil {
			continue
		}
		switch round.tool {
		case toolCalculate, toolTime, toolList, toolAnalyze, toolCompare:
			if s := r.report(t, round); s != "" {
				direct = append(direct, s)
			}
		default:
			searches++
			if !round.result.Failed {
				passages = merge(passages, ibid.ParsePassages(round.result.Content))
			}
		}
	}
	if len(direct) > 0 {
		return reply{text: strings.Join(direct, "\n\n")}
	}
	queries, _ := r.queries(t)
	answer, ok := r.quoteAll(queries, passages)
	if !ok && searches <= len(queries) {
		if again, possible := r.reformulate(t, req, queries); possible {
			return again
		}
	}
	if !ok {
		answer = nothingFound(asked(t.rounds))
	}
	return reply{text: answer}
}

// merge adds passages that are not there yet.
func merge(have, more []ibid.Handled) []ibid.Handled {
	for _, p := range more {
		if !slices.ContainsFunc(have, func(h ibid.Handled) bool { return h.Handle == p.Handle }) {
			have = append(have, p)
		}
	}
	return have
}

// asked returns the queries that were searched for.
func asked(rounds []round) []string {
	var queries []string
	for _, r := range rounds {
		for _, name := range []string{"query", "q"} {
			if q := r.arg(name); q != "" && !slices.Contains(queries, q) {
				queries = append(queries, q)
			}
		}
	}
	return queries
}

// reformulate searches once more, for the bare content words.
func (r *Reader) reformulate(t task, req ibid.ModelRequest, queries []string) (reply, bool) {
	tool := t.rounds[len(t.rounds)-1].tool
	if !slices.ContainsFunc(req.Tools, func(s ibid.ToolSpec) bool { return s.Name == tool }) {
		return reply{}, false
	}
	q := strings.Join(queries, " ")
	again := strings.Join(contentWords(r.analyzer(q), q, map[string]bool{}), " ")
	if again == "" || slices.Contains(asked(t.rounds), again) {
		return reply{}, false
	}
	m := move{tool: tool, queries: []string{again}}
	return reply{calls: m.calls(req.Tools, len(t.rounds))}, true
}

// nothingFound says so, and for what.
func nothingFound(queries []string) string {
	s := "I found nothing in your documents that answers this."
	if len(queries) > 0 {
		s += fmt.Sprintf(" I searched for “%s”.", strings.Join(queries, "” and “"))
	}
	return s + " Other words may help: I match words and do not understand a text as a language model does."
}

// report says in a plain sentence what a tool that is no search came to. "" when
// there is nothing to say.
func (r *Reader) report(t task, round round) string {
	content := strings.TrimSpace(round.result.Content)
	if round.result.Failed {
		switch round.tool {
		case toolCalculate:
			return fmt.Sprintf("I could not calculate that: %s", sentence(content))
		case toolTime:
			return fmt.Sprintf("I could not tell the time: %s", sentence(content))
		}
		return fmt.Sprintf("That did not work: %s", sentence(content))
	}
	value := content
	var fields map[string]any
	isObject := json.Unmarshal([]byte(content), &fields) == nil
	if isObject {
		for _, key := range []string{"result", "value", "answer", "text", "time", "local", "now", "datetime"} {
			if v, ok := fields[key]; ok {
				value = fmt.Sprint(v)
				break
			}
		}
	}
	switch round.tool {
	case toolCalculate:
		value = strings.TrimSpace(value[strings.LastIndex(value, "=")+1:])
		return fmt.Sprintf("%s = **%s**", strings.ReplaceAll(round.arg(argNames[toolCalculate][0]), "*", "×"), value)
	case toolTime:
		return fmt.Sprintf("It is %s", sentence(strings.TrimPrefix(value, "It is ")))
	}
	if isObject {
		return markdown(fields)
	}
	if ps := ibid.ParsePassages(content); len(ps) > 0 && strings.HasPrefix(content, "<passage ") {
		if answer, ok := r.quote(t.question, ps); ok {
			return answer
		}
		return r.summary(ps)
	}
	return content
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// Below sureFrom the reader says that it is not sure; below quietBelow it says
// that it found nothing. See TestAbstaining for what that means in numbers.
const (
	sureFrom   = 0.40
	quietBelow = 0.15
	// leastCovered is the share of a question's words, weighted by rarity, that
	// a sentence and what stands before it must hold to be quoted at all.
	leastCovered = 0.30
)

// confidence estimates how likely the best sentence holds the answer. Fitted
// (logistic) on half of the articles of SQuAD's development set, where for half
// of the questions the paragraph with the answer was hidden.
func confidence(ranked []candidate) float64 {
	best := ranked[0]
	next, other := 0.0, 0.0
	if len(ranked) > 1 {
		next = ranked[1].score
	}
	for _, c := range ranked[1:] {
		if c.passage != best.passage {
			other = c.score
			break
		}
	}
	z := -4.57 + 0.14*best.score + 0.66*best.features[fAll] + 0.29*(best.score-next) + 0.33*(best.score-other) +
		2.84*best.features[fDensity]
	return 1 / (1 + math.Exp(-z))
}

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
func (r *Reader) quote(question string, passages []ibid.Handled) (string, bool) {
	if len(passages) == 0 {
		return "", false
	}
	a := r.analyzer(passages[0].Text, question)
	ranked := rank(a, question, passages)
	if len(ranked) == 0 {
		return "", false
	}
	if !worthSaying(ranked) {
		return "", false
	}
	return compose(pick(ranked, passages), passages, confidence(ranked)), true
}

// worthSaying reports whether the best sentence is likely enough to answer.
func worthSaying(ranked []candidate) bool {
	return confidence(ranked) >= quietBelow && ranked[0].features[fAll] >= leastCovered
}

// quotation is a run of neighbouring sentences of one passage.
type quotation struct {
	passage int
	span    text.Span
	first   int // sentence
	last    int
}

const (
	maxQuotes = 3
	// scoreGap is how far below the best a sentence may score and still be
	// quoted beside it.
	scoreGap = 3.0
	// maxQuoteBytes bounds one quotation; longer ones are cut around their start.
	maxQuoteBytes = 600
)

// pick chooses what to quote: the best sentence, others that come close, and
// the sentence before one that cannot be understood without it.
func pick(ranked []candidate, passages []ibid.Handled) []quotation {
	var quotes []quotation
	taken := 0
	for _, c := range ranked {
		if taken == maxQuotes || taken > 0 && (c.score < ranked[0].score-scoreGap || c.features[fCoverage] == 0) {
			break
		}
		if c.features[fQuestion] == 1 && taken > 0 || repeats(quotes, c, passages) {
			continue
		}
		q := quotation{passage: c.passage, span: c.span, first: c.sentence, last: c.sentence}
		if before, ok := sentenceBefore(ranked, c); ok && (pointsBack.MatchString(c.text)) {
			q.span.Start, q.first = before.span.Start, before.sentence
		}
		quotes = join(quotes, q)
		taken++
	}
	return quotes
}

// pointsBack finds sentences that begin with a word for something said before.
var pointsBack = regexp.MustCompile(`^["“']?(He|She|It|They|This|These|That|Those|His|Her|Their|Its|Such|However|But|Instead|Also|Then|There|Both|Here)\b`)

func sentenceBefore(ranked []candidate, c candidate) (candidate, bool) {
	for _, o := range ranked {
		if o.passage == c.passage && o.sentence == c.sentence-1 {
			return o, true
		}
	}
	return candidate{}, false
}

// repeats reports whether a quotation says the same already.
func repeats(quotes []quotation, c candidate, passages []ibid.Handled) bool {
	for _, q := range quotes {
		if q.passage == c.passage && q.first <= c.sentence && c.sentence <= q.last {
			return true
		}
		if strings.Contains(passages[q.passage].Text[q.span.Start:q.span.End], c.text) {
			return true
		}
	}
	return false
}

// join adds a quotation, to a neighbouring one where there is one.
func join(quotes []quotation, q quotation) []quotation {
	for i := range quotes {
		o := &quotes[i]
		if o.passage == q.passage && q.first <= o.last+1 && o.first <= q.last+1 {
			o.span.Start, o.first = min(o.span.Start, q.span.Start), min(o.first, q.first)
			o.span.End, o.last = max(o.span.End, q.span.End), max(o.last, q.last)
			return quotes
		}
	}
	return append(quotes, q)
}

// compose writes the answer: each document is named, each quotation stands as
// one, followed by its footnote.
func compose(quotes []quotation, passages []ibid.Handled, sure float64) string {
	var b strings.Builder
	if sure < sureFrom {
		b.WriteString("I am not sure that this answers it, but it comes closest. ")
	}
	said := map[string]int{}
	for i, q := range quotes {
		p := passages[q.passage]
		switch place := place(p); {
		case i == 0:
			fmt.Fprintf(&b, "%s says:\n\n", place)
		case said[place] > 0 && place == placeOf(quotes[i-1], passages):
		case said[p.Title] > 0:
			fmt.Fprintf(&b, "%s says also:\n\n", place)
		default:
			fmt.Fprintf(&b, "%s adds:\n\n", place)
		}
		said[place(p)]++
		said[p.Title]++
		fmt.Fprintf(&b, "> “%s” [%s]\n\n", quoted(p.Text[q.span.Start:q.span.End]), p.Handle)
	}
	return strings.TrimRight(b.String(), "\n")
}

// place names a document, and where in it a passage stands.
func place(p ibid.Handled) string {
	title := p.Title
	if title == "" {
		title = "The document"
	}
	s := "**" + strings.ReplaceAll(title, "*", "") + "**"
	if p.Page > 0 {
		s += fmt.Sprintf(" (page %d)", p.Page)
	}
	return s
}

func placeOf(q quotation, passages []ibid.Handled) string { return place(passages[q.passage]) }

var (
	// sourceMarks are footnotes of the source itself: in an answer they would
	// pass for ours.
	sourceMarks = regexp.MustCompile(`\s*\[(?:\d{1,3}|c\d+|note \d+|citation needed)(?:[,–-]\s*\d{1,3})*\]`)
	lineMarks   = regexp.MustCompile(`(?m)^\s*(?:[#>]+|[-*+•])\s+`)
)

// quoted makes one line of a quotation, without the marks of lists, headings
// and footnotes, and cuts it when it is very long.
func quoted(s string) string {
	s = lineMarks.ReplaceAllString(s, "")
	s = sourceMarks.ReplaceAllString(s, "")
	s = strings.Join(strings.Fields(s), " ")
	s = strings.Trim(s, "“”\"")
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
