package reader_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/reader"
)

var tools = []ibid.ToolSpec{
	tool("search_knowledge_base", "query"), tool("list_documents"), tool("analyze_document", "filename"),
	tool("compare_documents", "doc_a", "doc_b", "question"), tool("calculator", "expression"), clock,
}

var clock = ibid.ToolSpec{Name: "current_time", Parameters: []byte(`{"type":"object","properties":{"timezone":{"type":"string"}}}`)}

func tool(name string, args ...string) ibid.ToolSpec {
	properties := map[string]any{}
	for _, a := range args {
		properties[a] = map[string]string{"type": "string"}
	}
	raw, _ := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": args})
	return ibid.ToolSpec{Name: name, Parameters: raw}
}

func generate(t *testing.T, req ibid.ModelRequest) ibid.ModelResponse {
	t.Helper()
	var reasoning, text strings.Builder
	res, err := reader.New().Generate(t.Context(), req, func(d ibid.ModelDelta) {
		reasoning.WriteString(d.Reasoning)
		text.WriteString(d.Text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if reasoning.String() != res.Turn.Reasoning() || text.String() != res.Turn.Text() {
		t.Fatalf("emitted %q and %q, returned %q and %q", reasoning.String(), text.String(), res.Turn.Reasoning(), res.Turn.Text())
	}
	return res
}

func conversation(texts ...string) []ibid.Turn {
	var turns []ibid.Turn
	for i, s := range texts {
		if i%2 == 0 {
			turns = append(turns, ibid.UserTurn(s))
		} else {
			turns = append(turns, ibid.AssistantTurn(s))
		}
	}
	return turns
}

// with appends a tool call and its result.
func with(turns []ibid.Turn, name, args, result string) []ibid.Turn {
	id := "call_" + string(rune('0'+len(turns)))
	return append(turns,
		ibid.Turn{Role: ibid.RoleAssistant, Parts: []ibid.Part{{Call: &ibid.ToolCall{ID: id, Name: name, Arguments: []byte(args)}}}},
		ibid.Turn{Role: ibid.RoleTool, Parts: []ibid.Part{{Result: &ibid.ToolResult{CallID: id, Name: name, Content: result,
			Failed: strings.HasPrefix(result, "error:")}}}})
}

func TestPicksTools(t *testing.T) {
	library := holds("Alpha Contract", "Beta Contract", "Annual Report 2023")
	for _, c := range []struct{ question, want string }{
		{"Who proclaimed the oil embargo?", `search_knowledge_base{"query":"Who proclaimed the oil embargo?"}`},
		{"What is the capital of France?", `search_knowledge_base{"limit":15,"query":"What is the capital of France?"}`},
		{"Was kostet der Vertrag?", `search_knowledge_base{"query":"Was kostet der Vertrag?"}`},
		{"Who founded it? When was it sold?", `search_knowledge_base{"query":"Who founded it? When was it sold?"}`},
		{"Who founded Acme? When was Acme sold?", `search_knowledge_base{"query":"Who founded Acme?"} search_knowledge_base{"query":"When was Acme sold?"}`},

		{"what's 15% of 2,340?", `calculator{"expression":"15 / 100 * 2340"}`},
		{"2+2", `calculator{"expression":"2+2"}`},
		{"How much is 3 times 4 plus 1?", `calculator{"expression":"3 * 4 + 1"}`},
		{"Calculate (1,234,567 - 7) / 2", `calculator{"expression":"(1234567 - 7) / 2"}`},
		{"what is the square root of 81", `calculator{"expression":"sqrt(81)"}`},
		{"2 x 3 x 4 =", `calculator{"expression":"2 * 3 * 4"}`},
		{"2023-2024", `search_knowledge_base{"query":"2023-2024"}`},
		{"What happened in 1984?", `search_knowledge_base{"query":"What happened in 1984?"}`},
		{"What is 42 U.S.C. 1983?", `search_knowledge_base{"query":"What is 42 U.S.C. 1983?"}`},

		{"What time is it?", `current_time{}`},
		{"what's today's date", `current_time{}`},
		{"What time did the meeting start?", `search_knowledge_base{"query":"What time did the meeting start?"}`},
		{"What is the date of the contract?", `search_knowledge_base{"query":"What is the date of the contract?"}`},

		{"What documents do I have?", `list_documents{}`},
		{"list my documents", `list_documents{}`},
		{"Which documents mention termination?", `search_knowledge_base{"query":"Which documents mention termination?"}`},

		{"Compare Alpha Contract and Beta Contract on termination", `compare_documents{"doc_a":"Alpha Contract","doc_b":"Beta Contract","question":"Compare Alpha Contract and Beta Contract on termination"}`},
		{"What is the difference between a.pdf and b.pdf?", `compare_documents{"doc_a":"a.pdf","doc_b":"b.pdf","question":"What is the difference between a.pdf and b.pdf?"}`},
		{"Compare apples and oranges", `search_knowledge_base{"query":"Compare apples and oranges"}`},

		{"Summarise report.pdf", `analyze_document{"filename":"report.pdf"}`},
		{"Please give me a summary of the Annual Report 2023", `analyze_document{"filename":"Annual Report 2023"}`},
		{"What time is it in New York?", `current_time{"timezone":"New_York"}`},
		{"Compare Gamma Lease and Delta Lease", `list_documents{}`},
		{"Summarise this document", `list_documents{}`},
		{"What is notes.md about?", `analyze_document{"filename":"notes.md"}`},
		{"Summarize the causes of the war", `list_documents{}`}, // one may be called so
	} {
		res := generate(t, ibid.ModelRequest{Brief: library, Turns: conversation(c.question), Tools: tools, Think: ibid.ThinkOff})
		if got := callsOf(res); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.question, got, c.want)
		}
		if res.StopReason != ibid.StopTools || res.Turn.Text() != "" {
			t.Errorf("%s: stop %q, text %q", c.question, res.StopReason, res.Turn.Text())
		}
	}
}

func callsOf(res ibid.ModelResponse) string {
	var calls []string
	for _, c := range res.Turn.Calls() {
		calls = append(calls, c.Name+string(c.Arguments))
	}
	return strings.Join(calls, " ")
}

func TestOnlyCallsWhatIsOffered(t *testing.T) {
	for question, offered := range map[string][]ibid.ToolSpec{
		"2+2":                      {tool("search_knowledge_base", "query")},
		"What time is it?":         {tool("search_knowledge_base", "query")},
		"What documents do I have": {tool("web_search", "query")},
		"Who was it?":              {tool("web_search", "query")},
	} {
		res := generate(t, ibid.ModelRequest{Turns: conversation(question), Tools: offered})
		if calls := res.Turn.Calls(); len(calls) != 1 || calls[0].Name != offered[0].Name {
			t.Errorf("%s: called %s", question, callsOf(res))
		}
	}
	res := generate(t, ibid.ModelRequest{Turns: conversation("Who was it?"), Tools: []ibid.ToolSpec{tool("fly", "where", "why")}})
	if len(res.Turn.Calls()) > 0 && res.Turn.Calls()[0].Name != "fly" || len(res.Turn.Calls()) == 0 && res.Turn.Text() == "" {
		t.Errorf("got %+v", res.Turn)
	}
}

func TestFollowUpTakesOverContext(t *testing.T) {
	for _, c := range []struct {
		turns []string
		want  string
	}{
		{[]string{"When did the 1973 oil crisis begin?", "In October.", "And who proclaimed it?"}, "And who proclaimed it? 1973 oil crisis begin"},
		{[]string{"Who wrote Faust?", "Goethe.", "When was he born?"}, "When was he born? wrote Faust"},
		{[]string{"Who wrote Faust?", "Goethe.", "When was he born?", "1749.", "Where?"}, "Where? born wrote Faust"},
		{[]string{"Who wrote Faust?", "Goethe.", "What is the population of Berlin?"}, "What is the population of Berlin?"},
	} {
		res := generate(t, ibid.ModelRequest{Turns: conversation(c.turns...), Tools: tools})
		var args struct{ Query string }
		if calls := res.Turn.Calls(); len(calls) == 1 {
			json.Unmarshal(calls[0].Arguments, &args)
		}
		if args.Query != c.want {
			t.Errorf("%v\n got %q\nwant %q", c.turns, args.Query, c.want)
		}
	}
}

func TestGreets(t *testing.T) {
	for _, s := range []string{"Hi!", "hello there", "Who are you?", "thanks a lot", "help"} {
		res := generate(t, ibid.ModelRequest{Turns: conversation(s), Tools: tools})
		if len(res.Turn.Calls()) > 0 || res.Turn.Text() == "" {
			t.Errorf("%q: %+v", s, res.Turn)
		}
	}
	res := generate(t, ibid.ModelRequest{Turns: conversation("What are you?"), Tools: tools})
	if !strings.Contains(res.Turn.Text(), "quote") {
		t.Errorf("the reader does not say what it is: %q", res.Turn.Text())
	}
}

func TestPlansInWords(t *testing.T) {
	for question, want := range map[string][]string{
		"Who proclaimed the oil embargo in 1973?": {"person", "proclaimed, oil, embargo, 1973", "search"},
		"what's 15% of 2340":                      {"15 / 100 * 2340"},
		"What documents do I have?":               {"list"},
		"hello":                                   {"no document"},
	} {
		res := generate(t, ibid.ModelRequest{Turns: conversation(question), Think: ibid.ThinkOn})
		plan := res.Turn.Reasoning()
		for _, w := range want {
			if !strings.Contains(plan, w) {
				t.Errorf("%q: the plan lacks %q: %q", question, w, plan)
			}
		}
		if n := strings.Count(plan, ". ") + 1; n > 4 || res.Turn.Text() != "" || len(res.Turn.Calls()) > 0 {
			t.Errorf("%q: %d sentences, text %q", question, n, res.Turn.Text())
		}
	}
}

// TestLooksUpWhatDocumentsAreCalled: titles that nobody has named are looked up
// before anything is read.
func TestLooksUpWhatDocumentsAreCalled(t *testing.T) {
	const list = "3 documents:\n- a.pdf, titled \"Gamma Lease\", pdf, 3 pages, 9 chunks\n- b.pdf, titled \"Delta Lease\", pdf, 2 pages, 4 chunks\n- c.md, markdown, 1 chunk"
	for _, c := range []struct{ question, list, want string }{
		{"Compare Gamma Lease and Delta Lease", list, `compare_documents{"doc_a":"a.pdf","doc_b":"b.pdf","question":"Compare Gamma Lease and Delta Lease"}`},
		{"Compare Gamma Lease and Epsilon Lease", list, `search_knowledge_base{"query":"Compare Gamma Lease and Epsilon Lease"}`},
		{"Summarise the Delta Lease", list, `analyze_document{"filename":"b.pdf"}`},
		{"What's in the delta lease?", list, `analyze_document{"filename":"b.pdf"}`},
		{"Give me the main points of a.pdf", list, `analyze_document{"filename":"a.pdf"}`},
		{"Fasse den Gamma Lease zusammen", list, `analyze_document{"filename":"a.pdf"}`},
		{"Résume c.md", list, `analyze_document{"filename":"c.md"}`},
		{"Summarise a.pdf and b.pdf", list, `analyze_document{"filename":"a.pdf"} analyze_document{"filename":"b.pdf"}`},
		{"Compare q3 and q4", "2 documents:\n- q3.md, markdown, 1 chunk\n- q4.md, markdown, 1 chunk", `compare_documents{"doc_a":"q3.md","doc_b":"q4.md","question":"Compare q3 and q4"}`},
		{"Summarise the readme", "2 documents:\n- README.md, titled \"Falcon\", markdown, 1 chunk\n- q4.md, markdown, 1 chunk", `analyze_document{"filename":"README.md"}`},
		{"Summarize the causes of the war", list, `search_knowledge_base{"query":"Summarize the causes of the war"}`},
		{"Summarise this document", "1 document:\n- a.pdf, pdf, 3 pages, 9 chunks", `analyze_document{"filename":"a.pdf"}`},
		{"Summarise this document", list, ""},
	} {
		res := generate(t, ibid.ModelRequest{Tools: tools, Turns: with(conversation(c.question), "list_documents", `{}`, c.list)})
		if got := callsOf(res); got != c.want || got == "" && !strings.Contains(res.Turn.Text(), "- b.pdf") {
			t.Errorf("%s\n got %s %q\nwant %s", c.question, got, res.Turn.Text(), c.want)
		}
	}
}

func TestFallsBackToSearch(t *testing.T) {
	turns := with(conversation("Summarise a.pdf"), "analyze_document", `{"filename":"a.pdf"}`, "error: there is no a.pdf")
	res := generate(t, ibid.ModelRequest{Tools: tools, Turns: turns})
	if got, want := callsOf(res), `search_knowledge_base{"query":"Summarise a.pdf"}`; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	turns = with(turns, "search_knowledge_base", `{"query":"Summarise a.pdf"}`, "No passage matches.")
	turns = with(turns, "search_knowledge_base", `{"query":"pdf"}`, "No passage matches.")
	res = generate(t, ibid.ModelRequest{Tools: tools, Turns: turns})
	if want := "That did not work: error: there is no a.pdf."; res.Turn.Text() != want {
		t.Errorf("got %q, %s", res.Turn.Text(), callsOf(res))
	}
}

// TestSpeaksWithTheAgent: what the agent adds to a conversation is not taken for
// the user's words.
func TestSpeaksWithTheAgent(t *testing.T) {
	question := ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Text: "Who proclaimed it?"},
		{Note: &ibid.Note{Instruction: ibid.InstructHeed, Tools: []string{"web_search"}}}}}
	history := []ibid.Turn{{Role: ibid.RoleUser, Parts: []ibid.Part{{Past: &ibid.Past{Text: "Tell me about the oil embargo of 1973"}}}},
		{Role: ibid.RoleAssistant, Parts: []ibid.Part{{Past: &ibid.Past{Text: "It began in October."}}}}}
	offered := append([]ibid.ToolSpec{tool("web_search", "query")}, tools...)
	res := generate(t, ibid.ModelRequest{Tools: offered, Turns: append(history, question)})
	if got, want := callsOf(res), `web_search{"query":"Who proclaimed it?"}`; got != want {
		t.Errorf("a forced tool: got %s, want %s", got, want)
	}

	question.Parts[1].Note = &ibid.Note{Instruction: ibid.InstructHeed, Scope: &ibid.Scope{Documents: []string{"d1"}}, Search: true}
	res = generate(t, ibid.ModelRequest{Tools: tools, Turns: append(history, question)})
	if got, want := callsOf(res), `search_knowledge_base{"query":"Who proclaimed it? Tell oil embargo 1973"}`; got != want {
		t.Errorf("a scope: got %s, want %s", got, want)
	}

	budget := append(with(conversation("Who proclaimed the oil embargo?"), "search_knowledge_base", `{"query":"x"}`, embargo),
		agentSays(ibid.InstructBudget))
	res = generate(t, ibid.ModelRequest{Turns: budget})
	if !strings.Contains(res.Turn.Text(), "[c1]") {
		t.Errorf("at the end of the budget: %q", res.Turn.Text())
	}

	attached := ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Text: "Who wrote the letter to the mayor?"},
		{File: &ibid.AttachedFile{Name: "letter.txt", Text: "Margaret Miller wrote the letter to the mayor. It was raining."}}}}
	res = generate(t, ibid.ModelRequest{Tools: tools, Turns: with([]ibid.Turn{attached}, "search_knowledge_base", `{"query":"x"}`, "No passage matches.")})
	if want := "**letter.txt** says:\n\n> “Margaret Miller wrote the letter to the mayor.”"; res.Turn.Text() != want {
		t.Errorf("an attachment: %q", res.Turn.Text())
	}

	empty := with(conversation("Who proclaimed the oil embargo?"), "search_knowledge_base", `{"query":"x"}`, "The library is empty: no document has been added yet.")
	res = generate(t, ibid.ModelRequest{Tools: tools, Turns: empty})
	if !strings.Contains(res.Turn.Text(), "library is empty") || len(res.Turn.Calls()) > 0 {
		t.Errorf("an empty library: %q, %s", res.Turn.Text(), callsOf(res))
	}
}

func TestStopsWhenTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	res, err := reader.New().Generate(ctx, ibid.ModelRequest{Turns: conversation("hello"), Tools: tools}, func(ibid.ModelDelta) {
		if n++; n == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || n != 3 || len(strings.Fields(res.Turn.Text())) != 3 {
		t.Errorf("%d pieces, %q, %v", n, res.Turn.Text(), err)
	}
	res = generate(t, ibid.ModelRequest{Turns: conversation("hello"), Tools: tools, MaxTokens: 2})
	if res.StopReason != ibid.StopLength || len(strings.Fields(res.Turn.Text())) != 2 {
		t.Errorf("with a limit of two words: %q, %q", res.Turn.Text(), res.StopReason)
	}
}

// FuzzGenerate: whatever stands in a prompt, the reader returns, calls only
// tools it was offered, and cites only passages it was shown.
func FuzzGenerate(f *testing.F) {
	f.Add("Who proclaimed it?", embargo, `{"type":"object"}`, false)
	f.Add("compare a.pdf and b.pdf", "{}", "", true)
	f.Add("1,2,3+4×5", `{"":[{"":null}]}`, `{"properties":{"a":{"items":{}}}}`, false)
	f.Fuzz(func(t *testing.T, question, result, schema string, asJSON bool) {
		req := ibid.ModelRequest{Tools: tools, Turns: conversation(question)}
		if asJSON && schema != "" {
			req.Schema = []byte(schema)
		}
		if result != "" {
			for _, c := range generate(t, req).Turn.Calls() {
				req.Turns = with(req.Turns, c.Name, string(c.Arguments), result)
			}
		}
		res := generate(t, req)
		for _, c := range res.Turn.Calls() {
			if !slices.ContainsFunc(tools, func(s ibid.ToolSpec) bool { return s.Name == c.Name }) || !json.Valid(c.Arguments) {
				t.Errorf("called %s%s", c.Name, c.Arguments)
			}
		}
		if asJSON && schema != "" && !json.Valid([]byte(res.Turn.Text())) {
			t.Errorf("no JSON: %q", res.Turn.Text())
		}
	})
}

// The reader reads what a search of the web found, an address that it is given,
// and files of the conversation.
func TestReaderReachesForPagesAndFiles(t *testing.T) {
	tool := func(name, args string) ibid.ToolSpec {
		return ibid.ToolSpec{Name: name, Parameters: json.RawMessage(args)}
	}
	tools := []ibid.ToolSpec{
		tool("search_knowledge_base", `{"type":"object","properties":{"query":{}},"required":["query"]}`),
		tool("web_search", `{"type":"object","properties":{"query":{}},"required":["query"]}`),
		tool("fetch_url", `{"type":"object","properties":{"url":{},"query":{}},"required":["url"]}`),
		tool("retrieve_file", `{"type":"object","properties":{"file":{},"query":{},"page":{}},"required":["file"]}`),
	}
	first := func(turns ...ibid.Turn) string {
		res, err := reader.New().Generate(t.Context(), ibid.ModelRequest{Turns: turns, Tools: tools, Think: ibid.ThinkOff}, func(ibid.ModelDelta) {})
		if err != nil {
			t.Fatal(err)
		}
		var made []string
		for _, c := range res.Turn.Calls() {
			made = append(made, c.Name+string(c.Arguments))
		}
		return strings.Join(made, " ")
	}
	attached := ibid.UserTurn("What is the rent?")
	attached.Parts = append(attached.Parts, ibid.Part{File: &ibid.AttachedFile{ID: "m1:0", Name: "lease.pdf", MIME: "application/pdf"}})
	about := ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Text: "What is the rent by the lease?"}, attached.Parts[1]}}
	past := ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Past: &ibid.Past{Text: "What is the rent?", Files: []ibid.PastFile{{Name: "lease.pdf", Type: "application/pdf", ID: "m1:0"}}}}}}
	for want, got := range map[string]string{
		`web_search{"query":"the rent in Oslo"}`:       first(ibid.UserTurn("Search the web for the rent in Oslo")),
		`fetch_url{"url":"https://example.org/a?b=1"}`: first(ibid.UserTurn("What does https://example.org/a?b=1 say?")),
		`retrieve_file{"file":"m1:0","query":"What is the rent?"} search_knowledge_base{"limit":15,"query":"What is the rent?"}`: first(attached),
		`retrieve_file{"file":"m1:0","query":"What is the rent by the lease?"}`:                                                  first(about),
		`retrieve_file{"file":"m1:0","query":"And what is the deposit for the mill?"} search_knowledge_base`:                     strings.Split(first(past, ibid.AssistantTurn("900 euros."), ibid.UserTurn("And what is the deposit for the mill?")), `{"query":"And what is the deposit for the mill? `)[0],
	} {
		if got != want {
			t.Errorf("called %s, want %s", got, want)
		}
	}
}

// In the direct mode the passages stand behind the question, and the question as
// it stands alone behind them.
func TestPassagesThatAreGiven(t *testing.T) {
	given := []ibid.Handled{{Handle: "c2", Title: "report.pdf", Page: 9, Text: "The revenue of 2023 was 7 million euros.", Score: 1}}
	for _, tc := range []struct {
		passages       []ibid.Handled
		question, want string
	}{
		{given, "What was the revenue in 2023?", "[c2]"},
		{given, "Who painted Guernica?", "I found nothing"},
		{nil, "What was the revenue in 2023?", "I found nothing"},
	} {
		turn := ibid.UserTurn("And in 2023?")
		turn.Parts = append(turn.Parts, ibid.Part{Findings: &ibid.Findings{Question: tc.question, Passages: tc.passages}})
		resp, err := reader.New().Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{turn}, Think: ibid.ThinkOff}, func(ibid.ModelDelta) {})
		if err != nil || !strings.Contains(resp.Turn.Text(), tc.want) {
			t.Errorf("%s: %q, %v", tc.question, resp.Turn.Text(), err)
		}
	}
}

// agentSays is a turn in which the agent tells the model something.
func agentSays(what ibid.Instruction) ibid.Turn {
	return ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Note: &ibid.Note{Instruction: what}}}}
}

// reads is a brief with passages to read.
func reads(what ibid.Instruction, passages ...ibid.Handled) *ibid.Brief {
	return &ibid.Brief{Instruction: what, Documents: []ibid.ShownDocument{{Passages: passages}}}
}
