package reader

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ibid"
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
	if e, ok := arithmetic(q); ok && has(toolCalculate) {
		return move{tool: toolCalculate, args: []string{e}}
	}
	if m := asksTime.FindStringSubmatch(q); m != nil && has(toolTime) {
		return move{tool: toolTime, args: strings.Fields(strings.Join(strings.Fields(m[len(m)-1]), "_"))}
	}
	if u := address.FindString(q); u != "" && has(toolFetch) {
		return move{tool: toolFetch, args: []string{strings.TrimRight(u, ".,;:!?)")}}
	}
	if asksWeb.MatchString(q) && has(toolWeb) {
		return move{tool: toolWeb, queries: []string{strings.Join(strings.Fields(asksWeb.ReplaceAllString(q, " ")), " ")}}
	}
	if asksList.MatchString(q) && has(toolList) {
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
	if a, b, ok := comparison(q); ok && has(toolCompare) {
		switch {
		case len(named) == 2:
			return move{tool: toolCompare, args: []string{named[0], named[1], q}}, true
		case known.isDocument(a) && known.isDocument(b):
			return move{tool: toolCompare, args: []string{a, b, q}}, true
		case (isTitle(a) && isTitle(b) || text.FileMention.MatchString(q) || spelt(a) && spelt(b)) && has(toolList):
			return move{tool: toolList, lookup: true}, true
		}
	}
	if !has(toolAnalyze) {
		return move{}, false
	}
	if thisDocument.MatchString(q) && len(named) == 0 {
		if names := known.listed(); len(names) == 1 {
			return move{tool: toolAnalyze, args: names}, true
		} else if len(names) == 0 && has(toolList) {
			return move{tool: toolList, lookup: true}, true
		}
		return move{}, false
	}
	name, whole := asksForAll(q)
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

// asksForAll reports whether a question asks for a document as a whole: to sum it
// up, or what it is about. name is what it calls it.
func asksForAll(q string) (name string, ok bool) {
	if name, ok = analysis(q); ok {
		return name, true
	}
	if file := text.FileMention.FindString(q); file != "" {
		_, rest := text.Mentions(q, [][]string{{file}})
		return file, !text.Asks(rest)
	}
	if m := contents.FindStringSubmatch(q); m != nil {
		return strings.Trim(m[1]+m[2], wrapping), true
	}
	return "", false
}

// contents asks what is in a document, or what it is about.
var contents = regexp.MustCompile(`(?i)^\W*what(?:['’]s| is)(?: (?:in|inside) (?:the|my|our|your) (.+?)| (?:the |my )?(.+) about)\W*$`)

// spelt reports whether a name is spelt like that of a file: q3, draft_2.
func spelt(name string) bool {
	return len(strings.Fields(name)) <= 2 && strings.ContainsAny(name, "0123456789_-")
}

var (
	asksTime = regexp.MustCompile(`(?i)^\W*(please )?(can you )?(tell me )?(what('s| is) (the )?(current |local |exact )*(time|date)( and (time|date))?( now| today| right now| is it)?|what time is it( now| right now)?|what (day|date|year|month) is (it|today)( now| today)?|what('s| is) (today's|the current|today) ?(date|day|time)?|today's date|current (date|time))(?: in ([\p{L} /_]+?))?(?: now| right now)?\W*$`)
	asksList = regexp.MustCompile(`(?i)^\W*(please )?(can you )?((what|which) (documents|files|sources|books|papers)( (do (i|you|we) have|are (there|available|loaded|stored|in [\w ]+)|have (i|we) (added|uploaded)|did (i|we) (add|upload)|do you know|can you (see|search|read)))?|(list|show)( me)?( all)?( of)?( the| my| our| your)? (documents|files|sources|library)|how many (documents|files) (do (i|you|we) have|are there)[\w ]*|what('s| is) in (my|the|your) (library|knowledge base|collection|vault))( now| here| so far)?\W*$`)
	address  = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"“”]+`)
	asksWeb  = regexp.MustCompile(`(?i)\b(search|look|find( it| out)?) (it up )?(on|in) the (web|internet)( for)?\b|\b(search|google) the (web|internet)( for)?\b|\bon the (web|internet)\b`)
	greeting = regexp.MustCompile(`(?i)^\W*(hi|hello|hey|hallo|good (morning|afternoon|evening|day)|greetings|howdy)( there| ibid| everyone)?\W*$`)
	thanks   = regexp.MustCompile(`(?i)^\W*(thanks|thank you|thx|cheers|great|perfect|nice|ok|okay)( so| very)?( much| a lot)?( for [\w ]+)?\W*$`)
	whoAreU  = regexp.MustCompile(`(?i)^\W*(who|what) are you|what can you do|how do you work|^\W*help\W*$|are you (an? )?(ai|llm|language model|bot|human)`)
)

const introduction = "I am the reader, the small model built into ibid. I do not write answers of my own: " +
	"I search your documents and quote the sentences that fit your question best, each with a footnote that opens its page. " +
	"I can also list, sum up and compare your documents, calculate, and tell the time. " +
	"For answers in free words, start ibid with a language model, for example --model ollama:qwen3:4b."

// smallTalk answers what needs no document.
func smallTalk(q string) (string, bool) {
	switch {
	case strings.TrimSpace(q) == "":
		return "What would you like to know? Ask me about your documents.", true
	case greeting.MatchString(q):
		return "Hello! " + introduction, true
	case thanks.MatchString(q):
		return "You are welcome. Ask me anything else about your documents.", true
	case whoAreU.MatchString(q):
		return introduction, true
	}
	return "", false
}

var (
	askToCalculate = regexp.MustCompile(`(?i)^\W*?(please )?(can you )?(what('s| is| are)|how much (is|are)|calculate|compute|evaluate|work out|solve)?\s*(the )?(result of|value of|sum of)?\s*`)
	percentOf      = regexp.MustCompile(`(?i)([\d.]+)\s*(?:%|percent) of ([\d.]+)`)
	rootOf         = regexp.MustCompile(`(?i)(?:the )?square root of ([\d.]+)`)
	thousands      = regexp.MustCompile(`(\d),(\d{3})\b`)
	xTimes         = regexp.MustCompile(`(\d)\s*[x×·]\s*(\d)`)
	onlyArithmetic = regexp.MustCompile(`^(sqrt\(|[\d.\s+\-*/^%()])+$`)
	hasOperation   = regexp.MustCompile(`\d\s*[)%]?\s*([+\-*/^%]|\*\*)\s*[(\-]*\s*[\d.s]|sqrt\(\d`)
	wordOperators  = strings.NewReplacer(" plus ", " + ", " minus ", " - ", " times ", " * ", " multiplied by ", " * ",
		" divided by ", " / ", " over ", " / ", " to the power of ", " ^ ", " squared", "^2", " cubed", "^3", "−", "-", "–", "-", "÷", "/", "×", "*", "·", "*")
	datelike = regexp.MustCompile(`^\d{1,4}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*\d{1,4}$|^\d{4}\s*[-–/]\s*\d{2,4}$`)
)

// arithmetic returns the expression in a question that is nothing but one.
func arithmetic(q string) (string, bool) {
	asked := askToCalculate.FindString(q)
	e := strings.TrimRight(strings.TrimSpace(q[len(asked):]), " ?=.!")
	for range 4 { // 1,234,567 has commas that overlap
		e = thousands.ReplaceAllString(e, "$1$2")
	}
	e = wordOperators.Replace(strings.ToLower(e))
	e = percentOf.ReplaceAllString(e, "$1 / 100 * $2")
	e = rootOf.ReplaceAllString(e, "sqrt($1)")
	for range 2 {
		e = xTimes.ReplaceAllString(e, "$1 * $2")
	}
	e = strings.TrimSpace(e)
	if !onlyArithmetic.MatchString(e) || !hasOperation.MatchString(e) || strings.TrimSpace(asked) == "" && datelike.MatchString(e) {
		return "", false
	}
	return e, true
}

var (
	compares = regexp.MustCompile(`(?i)\b(?:compare|contrast|difference(?:s)? between|compare between|how do(?:es)?)\s+(?:the\s+)?(.+?)\s+(?:and|with|to|vs\.?|versus|against|differ from)\s+(?:the\s+)?(.+?)(?:\s+(?:on|about|regarding|concerning|for|with respect to|in terms of|differ|compare)\b.*)?[?.!]*$`)
	versus   = regexp.MustCompile(`(?i)^\W*(.+?)\s+(?:vs\.?|versus)\s+(.+?)[?.!]*$`)
	analyses = regexp.MustCompile(`(?i)\b(?:summari[sz]e|summary of|sum up|analy[sz]e|analysis of|overview of|outline of|gist of|(?:key|main) (?:points|findings|takeaways|ideas|topics|messages) (?:of|in|from)|takeaways (?:of|from)|tl;?dr(?: of| for)?|tell me about|fasse|zusammenfassung (?:von|des|der)|résumez?|résumé d[eu]|resumen del?|resume|riassumi|riassunto d[ei]l?|resuma|resumo d[eo]|what is|what's)\s+(?:for me\s+)?(?:the\s+|my\s+)?(?:document\s+|file\s+|paper\s+|report\s+)?(.+?)(?:\s+about)?[?.!]*$`)
	fileName = regexp.MustCompile(`(?i)^["“'` + "`" + `]?([\p{L}\p{N}][\p{L}\p{N} ._()\-/]*\.(?:pdf|docx?|pptx?|xlsx?|md|markdown|html?|txt|csv|epub|eml|rst|go|py|js|ts|java|c|h|json|ya?ml|tex|rtf|odt))["”'` + "`" + `]?$`)
	wrapping = " \t\"“”'`"
	whatIs   = regexp.MustCompile(`(?i)\b(what is|what's|tell me about)\b`)
	// thisDocument asks about the one document that is meant without a name.
	thisDocument = regexp.MustCompile(`(?i)\b(?:summari[sz]e|sum up|analy[sz]e|(?:summary|overview|analysis|key points|main points) of|tl;?dr(?: of)?|what is|what's)\s+(?:this|it|the|my)(?:\s+(?:one|document|file|paper|report|pdf|article|book))?(?:\s+about)?[?.!]*$`)
)

// comparison returns what is to be compared.
func comparison(q string) (a, b string, ok bool) {
	for _, form := range []*regexp.Regexp{compares, versus} {
		if m := form.FindStringSubmatch(q); m != nil {
			return strings.Trim(m[1], wrapping), strings.Trim(m[2], wrapping), true
		}
	}
	return "", "", false
}

// analysis returns what is to be summed up.
func analysis(q string) (name string, ok bool) {
	m := analyses.FindStringSubmatch(q)
	if m == nil {
		return "", false
	}
	name = strings.Trim(m[1], wrapping)
	if whatIs.MatchString(q) { // "what is X about" only for what is surely a file
		return name, fileName.MatchString(name)
	}
	return name, true
}

// maxQueries bounds how many searches one message starts at once.
const maxQueries = 3

// queries returns what to search for: one query for each question in the
// message. A question that leans on an earlier one takes over its words.
func (r *Reader) queries(t task) (queries []string, follows string) {
	if t.inFull != "" { // the agent has done what follows
		return splitQuestions(t.inFull), ""
	}
	queries = splitQuestions(t.question)
	if len(queries) == 1 {
		if follows = r.leansOn(t); follows != "" {
			queries[0] += " " + follows
		}
	}
	return queries, follows
}

// splitQuestions cuts a message into its questions, when it has several that
// stand on their own.
func splitQuestions(s string) []string {
	var parts []string
	for _, span := range text.Sentences(s) {
		if part := strings.TrimSpace(s[span.Start:span.End]); strings.HasSuffix(part, "?") {
			parts = append(parts, part)
		}
	}
	if len(parts) < 2 || len(parts) > maxQueries || slices.ContainsFunc(parts, leaning.MatchString) {
		return []string{strings.Join(strings.Fields(s), " ")}
	}
	return parts
}

// leaning finds the words that point back: pronouns, and openings that only
// make sense after something.
var leaning = regexp.MustCompile(`(?i)^\W*(and|but|what about|how about|why not|or)\b|^\W*(why|how|when|where|who|how so|how much|how many|since when)\W*$|\b(it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|then|the (first|second|third|last|former|latter|same|other)( one)?|ones?)\b`)

// maxBack is how many earlier questions a question may lean on.
const maxBack = 3

// leansOn returns the words of earlier questions that the last one needs: those
// of the nearest question that stands on its own, and of what came after it.
func (r *Reader) leansOn(t task) string {
	a := r.analyzer(t.question)
	if len(t.earlier) == 0 || !r.leans(a, t.question) {
		return ""
	}
	var words []string
	seen := map[string]bool{}
	for _, w := range a.Terms(t.question) {
		seen[w] = true
	}
	for back := 1; back <= min(maxBack, len(t.earlier)); back++ {
		before := t.earlier[len(t.earlier)-back]
		words = append(words, contentWords(a, before, seen)...)
		if !r.leans(a, before) && len(words) > 0 {
			break
		}
	}
	return strings.Join(words[:min(len(words), 12)], " ")
}

func (r *Reader) leans(a *text.Analyzer, q string) bool {
	return leaning.MatchString(q) || len(contentWords(a, q, map[string]bool{})) < 2
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// contentWords returns the words of s that say what it is about, as written,
// each once and none whose term was seen.
func contentWords(a *text.Analyzer, s string, seen map[string]bool) []string {
	var words []string
	for w := range text.Words(s) {
		t, ok := a.Term(w.Text)
		if !ok || w.Joined || text.Asking(w.Text) || seen[t] {
			continue
		}
		seen[t] = true
		words = append(words, s[w.Start:w.End])
	}
	return words
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
		if len(values) == 1 && searches[m.tool] && text.KindOf(values[0]) == text.KindDefine {
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
var searches = wordSet("search_knowledge_base search_keywords search_propositions search_hypothetical")

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
