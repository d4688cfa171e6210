package reader

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/question"
	"ibid/internal/text"
)

// firstMove acts on a question that no tool has been used for yet.
func (r *Reader) firstMove(t task, req ibid.ModelRequest) reply {
	has := offers(req)
	if forced := r.forced(t, req); len(forced) > 0 {
		return reply{calls: forced}
	}
	m := r.decide(t, has)
	if m.say != "" {
		return reply{text: m.say}
	}
	if queries, _ := r.queries(t); len(t.files) == 0 && (m.tool == toolSearch || m.tool == toolAnalyze || m.lookup) {
		if answer, ok := r.fromFiles(t, queries, t.attached); ok {
			return reply{text: answer}
		}
	}
	if calls := r.fileCalls(t, m, req); len(calls) > 0 {
		return reply{calls: calls}
	}
	if calls, ok := r.askData(t, req); ok && m.tool == toolSearch {
		out := reply{calls: calls}
		if req.Think == ibid.ThinkOn {
			out.thinking = r.planInWords(t)
		}
		return out
	}
	if m.tool == toolSearch && !has(toolSearch) {
		other := otherSearch(req.Tools)
		if other == "" {
			return reply{text: "I can only answer from documents, and I have not been given a way to search them."}
		}
		m.tool = other
	}
	out := reply{calls: m.calls(req.Tools, len(t.rounds))}
	if req.Think == ibid.ThinkOn {
		out.thinking = r.planInWords(t)
	}
	return out
}

func offers(req ibid.ModelRequest) func(string) bool {
	return func(tool string) bool {
		return slices.ContainsFunc(req.Tools, func(s ibid.ToolSpec) bool { return s.Name == tool })
	}
}

// forced returns calls of the tools that have to be used, each with the arguments
// that the rules find for it.
func (r *Reader) forced(t task, req ibid.ModelRequest) []ibid.ToolCall {
	var calls []ibid.ToolCall
	for _, spec := range req.Tools {
		if !slices.Contains(t.forced, spec.Name) {
			continue
		}
		m := r.decide(t, func(tool string) bool { return tool == spec.Name })
		if m.say != "" || m.tool != spec.Name {
			m = move{tool: spec.Name, queries: []string{t.question}}
			if named := text.Entities(t.question); spec.Name == toolGraph && len(named) > 0 {
				m = move{tool: toolGraph, args: []string{named[0], t.question}}
			}
		}
		calls = append(calls, m.calls(req.Tools, len(t.rounds)+len(calls))...)
	}
	return calls
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
	last := t.rounds[len(t.rounds)-1]
	if last.result == nil { // the calls were never made
		return r.firstMove(t, req)
	}
	if out, ok := r.nextOfData(t, req); ok {
		return out
	}
	if last.tool == toolList && !question.Library(t.question) && len(req.Tools) > 0 {
		return r.afterLookup(t, req)
	}
	var passages []ibid.Handled
	var direct, failures []string // results that are answers themselves
	searches := 0
	for _, round := range t.rounds {
		switch {
		case round.result == nil || round.tool == toolList && len(t.rounds) > 1, round.tool == toolDescribe, round.tool == toolQuery:
		case round.tool == toolAnalyze || round.tool == toolCompare, round.tool == toolCalculate, round.tool == toolTime, round.tool == toolList:
			if s := r.report(round); round.result.Failed {
				failures = append(failures, s)
			} else {
				direct = append(direct, s)
			}
		default:
			searches++
			if !round.result.Failed {
				passages = merge(passages, ibid.ParsePassages(round.result.Content))
				if s := webResults(round.result.Content); s != "" {
					direct = append(direct, s)
				}
			}
		}
	}
	queries, _ := r.queries(t)
	if answer, ok := r.fromFiles(t, queries, t.filePassages()); ok {
		return reply{text: answer}
	}
	if pages := pagesToRead(t, req); len(pages) > 0 {
		return reply{calls: pages}
	}
	if answer, ok := r.quoteAll(queries, passages); ok && readsTheWeb(t) {
		return reply{text: answer}
	}
	if len(direct) == 0 && (searches > 0 || len(failures) == 0) {
		answer, ok := r.quoteAll(queries, merge(t.attached, passages))
		if ok {
			return reply{text: answer}
		}
		if again, possible := r.reformulate(t, req, queries, searches); possible {
			return again
		}
		if len(failures) == 0 {
			return reply{text: r.whyNoData(t) + nothingIn(t)}
		}
	}
	if len(direct) == 0 && offers(req)(toolSearch) && searches == 0 && last.tool != toolCalculate && last.tool != toolTime {
		m := move{tool: toolSearch, queries: queries}
		return reply{calls: m.calls(req.Tools, len(t.rounds))}
	}
	return reply{text: strings.Join(append(direct, failures...), "\n\n")}
}

// afterLookup acts on a list of documents that was only asked for to find out
// what they are called.
func (r *Reader) afterLookup(t task, req ibid.ModelRequest) reply {
	has := offers(req)
	m := r.decide(t, func(tool string) bool { return tool != toolList && has(tool) })
	switch names := t.knownNames().listed(); {
	case question.ThisDocument(t.question) && len(names) > 1 && m.tool == toolSearch:
		return reply{text: "Which document do you mean? You have these:\n\n- " + strings.Join(names, "\n- ")}
	case !has(m.tool):
		return reply{text: nothingFound(nil)}
	}
	return reply{calls: m.calls(req.Tools, len(t.rounds))}
}

// nothingIn says that nothing was found, and why when the reason is plain.
func nothingIn(t task) string {
	for _, round := range t.rounds {
		if round.result != nil && strings.Contains(round.result.Content, "library is empty") {
			return "Your library is empty. Add some documents, then ask again."
		}
	}
	return nothingFound(asked(t.rounds))
}

// pagesRead is how many of the pages that a search of the web found are read.
const pagesRead = 2

// pagesToRead are calls that read the first pages that the last search found.
func pagesToRead(t task, req ibid.ModelRequest) []ibid.ToolCall {
	last := t.rounds[len(t.rounds)-1]
	if last.tool != toolWeb || last.result.Failed || !offers(req)(toolFetch) || readsTheWeb(t) {
		return nil
	}
	var found struct{ Results []struct{ URL string } }
	if json.Unmarshal([]byte(last.result.Content), &found) != nil {
		return nil
	}
	var calls []ibid.ToolCall
	for _, p := range found.Results[:min(len(found.Results), pagesRead)] {
		m := move{tool: toolFetch, args: []string{p.URL}}
		calls = append(calls, m.calls(req.Tools, len(t.rounds)+len(calls))...)
	}
	return calls
}

// readsTheWeb reports whether a page was read.
func readsTheWeb(t task) bool {
	return slices.ContainsFunc(t.rounds, func(r round) bool { return r.tool == toolFetch })
}

// webResults lists the pages that a web search found, "" when the result is none.
func webResults(content string) string {
	var found struct {
		Results []struct{ Title, URL, Snippet string }
	}
	if json.Unmarshal([]byte(content), &found) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range found.Results[:min(len(found.Results), 5)] {
		if u := p.URL; strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "http://") {
			fmt.Fprintf(&b, "- [%s](%s): %s\n", linkText.Replace(p.Title), linkTarget.Replace(u), quoted(p.Snippet))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

var (
	linkText   = strings.NewReplacer("[", "(", "]", ")", "\n", " ")
	linkTarget = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "")
)

// merge returns passages, and of more those that are not among them yet.
func merge(have, more []ibid.Handled) []ibid.Handled {
	have = slices.Clip(have)
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
func (r *Reader) reformulate(t task, req ibid.ModelRequest, queries []string, searches int) (reply, bool) {
	tool := t.rounds[len(t.rounds)-1].tool
	if tool == toolFile && offers(req)(toolSearch) { // the library may know
		return reply{calls: move{tool: toolSearch, queries: queries}.calls(req.Tools, len(t.rounds))}, true
	} else if tool == toolFile {
		return reply{}, false
	}
	if searches == 0 || searches > len(queries) || !offers(req)(tool) || strings.Contains(nothingIn(t), "is empty") {
		return reply{}, false
	}
	q := strings.Join(queries, " ")
	again := strings.Join(question.ContentWords(q), " ")
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

// report says in a plain sentence what a tool that is no search came to.
func (r *Reader) report(round round) string {
	content, handle := ibid.ParseResult(strings.TrimSpace(round.result.Content))
	content = strings.TrimSpace(content)
	cited := footnote(ibid.Handled{Handle: handle})
	if round.result.Failed {
		switch round.tool {
		case toolCalculate:
			return fmt.Sprintf("I could not calculate that: %s", sentence(content))
		case toolTime:
			return fmt.Sprintf("I could not tell the time: %s", sentence(content))
		}
		return fmt.Sprintf("That did not work: %s", sentence(content))
	}
	switch round.tool {
	case toolCalculate:
		value, rounded := strings.CutSuffix(plainValue(content), " (rounded)")
		value = strings.TrimSpace(value[strings.LastIndex(value, "=")+1:])
		sign := "="
		if rounded {
			sign = "≈"
		}
		return fmt.Sprintf("%s %s **%s**%s", strings.ReplaceAll(round.arg(argNames[toolCalculate][0]), "*", "×"), sign, value, cited)
	case toolTime:
		return fmt.Sprintf("It is %s%s.", strings.TrimSuffix(spokenTime(plainValue(content)), "."), cited)
	case toolList: // "3 documents:", then their names
		if head, names, listed := strings.Cut(content, ":\n"); listed {
			return head + cited + ":\n" + names
		}
		return content + cited
	}
	return r.reading(content)
}

// plainValue returns the value in a result that is a JSON object, else the
// result itself.
func plainValue(content string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(content), &fields) != nil {
		return content
	}
	for _, key := range []string{"result", "value", "answer", "time", "local", "now", "datetime"} {
		if v, ok := fields[key]; ok {
			return fmt.Sprint(v)
		}
	}
	return content
}

// machineTime is how the clock writes the time: 2026-11-21T07:28:52Z, Saturday (Europe/Berlin).
var machineTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d))(?:, \w+)?(?: \((.+)\))?$`)

// spokenTime writes a time as one says it.
func spokenTime(s string) string {
	m := machineTime.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	at, err := time.Parse(time.RFC3339, m[1])
	if err != nil {
		return s
	}
	spoken := at.Format("Monday, 2 January 2006, 15:04")
	switch {
	case m[2] != "":
		spoken += " (" + m[2] + ")"
	case strings.HasSuffix(m[1], "Z"):
		spoken += " UTC"
	}
	return spoken
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
