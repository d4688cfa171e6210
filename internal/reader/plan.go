package reader

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/question"
	"ibid/internal/text"
)

// Tools that the rules know by name.
const (
	toolSearch    = "search_knowledge_base"
	toolList      = "list_documents"
	toolAnalyze   = "analyze_document"
	toolCompare   = "compare_documents"
	toolGraph     = "search_graph"
	toolCalculate = "calculator"
	toolTime      = "current_time"
	toolWeb       = "web_search"
	toolFetch     = "fetch_url"
	toolFile      = "retrieve_file"
)

// move is what the rules make of a question.
type move struct {
	tool    string
	args    []string // in the order of argNames
	queries []string // of a search: one call each
	say     string   // instead of a tool: a reply
	follows string   // words taken over from an earlier question
	lookup  bool     // the tool only finds out what the documents are called
	each    bool     // one call for each of args
}

// argNames are the names of a tool's arguments, where the tool's own schema does
// not say otherwise.
var argNames = map[string][]string{
	toolSearch:    {"query"},
	toolGraph:     {"entity", "about"},
	toolAnalyze:   {"filename"},
	toolCompare:   {"doc_a", "doc_b", "question"},
	toolCalculate: {"expression"},
	toolTime:      {"timezone"},
	toolWeb:       {"query"},
	toolFetch:     {"url"},
	toolFile:      {"file", "query"},
}

// decide applies the rules. has reports whether a tool may be used; known holds
// the names of documents, as far as the prompt and earlier results tell.
func (r *Reader) decide(t task, has func(string) bool) move {
	q, known := t.question, t.knownNames()
	if s, ok := smallTalk(q); ok {
		return move{say: s}
	}
	if e, ok := question.Arithmetic(q); ok && has(toolCalculate) {
		return move{tool: toolCalculate, args: []string{e}}
	}
	if zone, ok := question.Clock(q); ok && has(toolTime) {
		return move{tool: toolTime, args: strings.Fields(strings.Join(strings.Fields(zone), "_"))}
	}
	if url, ok := question.Address(q); ok && has(toolFetch) {
		return move{tool: toolFetch, args: []string{url}}
	}
	if query, ok := question.Web(q); ok && has(toolWeb) {
		return move{tool: toolWeb, queries: []string{query}}
	}
	if question.Library(q) && has(toolList) {
		return move{tool: toolList}
	}
	if m, ok := aboutDocuments(q, known, has); ok {
		return m
	}
	m := move{tool: toolSearch}
	m.queries, m.follows = r.queries(t)
	return m
}

// aboutDocuments looks for a wish to compare documents or to sum one up. Where
// what is named may be a document, but nobody has said what the documents are
// called, it looks that up first.
func aboutDocuments(q string, known knownNames, has func(string) bool) (move, bool) {
	named := known.namedIn(q)
	if a, b, ok := question.ComparedNames(q); ok && has(toolCompare) {
		switch {
		case len(named) == 2:
			return move{tool: toolCompare, args: []string{named[0], named[1], q}}, true
		case known.isDocument(a) && known.isDocument(b):
			return move{tool: toolCompare, args: []string{a, b, q}}, true
		case (isTitle(a) && isTitle(b) || question.FileNamed(q) != "" || spelt(a) && spelt(b)) && has(toolList):
			return move{tool: toolList, lookup: true}, true
		}
	}
	if !has(toolAnalyze) {
		return move{}, false
	}
	if question.ThisDocument(q) && len(named) == 0 {
		if names := known.listed(); len(names) == 1 {
			return move{tool: toolAnalyze, args: names}, true
		} else if len(names) == 0 && has(toolList) {
			return move{tool: toolList, lookup: true}, true
		}
		return move{}, false
	}
	name, whole := question.Whole(q)
	switch {
	case !whole:
	case len(named) > 0:
		return move{tool: toolAnalyze, args: named[:min(len(named), maxQueries)], each: true}, true
	case known.isDocument(name):
		return move{tool: toolAnalyze, args: []string{name}}, true
	case has(toolList):
		return move{tool: toolList, lookup: true}, true
	}
	return move{}, false
}

// spelt reports whether a name is spelt like that of a file: q3, draft_2.
func spelt(name string) bool {
	return len(strings.Fields(name)) <= 2 && strings.ContainsAny(name, "0123456789_-")
}

const introduction = "I am the reader, the small model built into ibid. I do not write answers of my own: " +
	"I search your documents and quote the sentences that fit your question best, each with a footnote that opens its page. " +
	"I can also list, sum up and compare your documents, calculate, and tell the time. " +
	"For answers in free words, start ibid with a language model, for example --model ollama:qwen3:4b."

// smallTalk answers what needs no document.
func smallTalk(q string) (string, bool) {
	switch question.SmallTalk(q) {
	case question.Nothing:
		return "What would you like to know? Ask me about your documents.", true
	case question.Greeting:
		return "Hello! " + introduction, true
	case question.Thanks:
		return "You are welcome. Ask me anything else about your documents.", true
	case question.Identity:
		return introduction, true
	}
	return "", false
}

// maxQueries bounds how many searches one message starts at once.
const maxQueries = 3

// queries returns what to search for: one query for each question in the
// message. A question that leans on an earlier one takes over its words.
func (r *Reader) queries(t task) (queries []string, follows string) {
	if t.inFull != "" { // the agent has done what follows
		return question.Split(t.inFull, maxQueries), ""
	}
	queries = question.Split(t.question, maxQueries)
	if len(queries) == 1 {
		if follows = question.TakenOver(t.question, t.earlier); follows != "" {
			queries[0] += " " + follows
		}
	}
	return queries, follows
}

// calls turns a move into tool calls. Names of arguments follow the tools' own
// schemas.
func (m move) calls(tools []ibid.ToolSpec, made int) []ibid.ToolCall {
	spec := tools[slices.IndexFunc(tools, func(t ibid.ToolSpec) bool { return t.Name == m.tool })]
	sets := [][]string{m.args}
	if m.each {
		sets = nil
		for _, arg := range m.args {
			sets = append(sets, []string{arg})
		}
	}
	if m.queries != nil {
		sets = nil
		for _, q := range m.queries {
			sets = append(sets, []string{q})
		}
	}
	var calls []ibid.ToolCall
	for i, values := range sets {
		args := map[string]any{}
		for j, name := range argumentNames(spec, len(values)) { // fewer names than values: the rest is left out
			args[name] = values[j]
		}
		if len(values) == 1 && searches[m.tool] && question.KindOf(values[0]) == question.KindDefine {
			args["limit"] = definitionPassages
		}
		raw, err := json.Marshal(args)
		if err != nil {
			raw = []byte("{}")
		}
		calls = append(calls, ibid.ToolCall{ID: fmt.Sprintf("call_%d", made+i+1), Name: m.tool, Arguments: raw})
	}
	return calls
}

// definitionPassages is how many passages are asked for what something is: the
// one that defines a word is seldom the one that has it most.
const definitionPassages = 15

// searches are the tools that take a query and a limit.
var searches = text.WordSet("search_knowledge_base search_keywords search_propositions search_hypothetical")

// argumentNames returns the names of the first n arguments of a tool: those we
// know it by, else the required ones of its schema.
func argumentNames(spec ibid.ToolSpec, n int) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	names := argNames[spec.Name]
	if json.Unmarshal(spec.Parameters, &schema) == nil && len(schema.Properties) > 0 {
		known := func(name string) bool { return schema.Properties[name] != nil }
		switch {
		case len(names) >= n && !slices.ContainsFunc(names[:n], func(s string) bool { return !known(s) }):
		case spec.Name == toolTime:
			return nil
		case len(schema.Required) >= n:
			names = schema.Required
		case known("query"):
			names = []string{"query"}
		}
	}
	return names[:min(n, len(names))]
}
