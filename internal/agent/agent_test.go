package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/agent/cite"
	"ibid/internal/ibidtest"
	"ibid/internal/llm/prompt"
)

// runScript runs a question against a scripted model and returns its requests.
func runScript(t *testing.T, task Task, replies ...ibidtest.Reply) ([]ibid.ModelRequest, []ibid.EventData, error) {
	t.Helper()
	if task.Request.Mode == "" {
		task.Request.Mode = ibid.ModeAgentic
	}
	model := ibidtest.NewScript(replies...)
	sc := script{passages: []ibid.Passage{readPassage(t, 0, "c_aaaaaa1 lease.pdf p4: The lease runs for five years.")}}
	var log []ibid.EventData
	_, err := Run(t.Context(), sc.config(model), task, func(d ibid.EventData) error {
		log = append(log, d)
		return nil
	})
	return model.Requests(), log, err
}

// The plan is given exactly what the answer phase will see, and one word more.
func TestPlanSeesWhatTheAnswerSees(t *testing.T) {
	task := Task{
		Request: ibid.Request{Text: "How does the lease end?", Scope: ibid.Scope{Category: "contracts"},
			Attachments: []ibid.Attachment{{Name: "scan.png", MIME: "image/png", Data: []byte("png")}}},
		History: []ibid.Turn{ibid.UserTurn("Hello"), ibid.AssistantTurn("Hello!")},
		Library: &ibid.Holdings{Documents: 12, Exact: true},
	}
	reqs, _, err := runScript(t, task, ibidtest.Plan("Search."), ibidtest.Say("It ends."))
	if err != nil || len(reqs) != 2 {
		t.Fatalf("%d requests, %v", len(reqs), err)
	}
	plan, answer := reqs[0], reqs[1]
	if plan.Think != ibid.ThinkOn || answer.Think != ibid.ThinkOff {
		t.Errorf("thinking is %s for the plan and %s for the answer", plan.Think, answer.Think)
	}
	if len(plan.Tools) != 0 || len(answer.Tools) == 0 {
		t.Errorf("%d tools for the plan, %d for the answer", len(plan.Tools), len(answer.Tools))
	}
	last := &plan.Turns[len(plan.Turns)-1]
	told := last.Parts[len(last.Parts)-1]
	last.Parts = last.Parts[:len(last.Parts)-1]
	if diff := cmp.Diff(answer.System, plan.System); diff != "" {
		t.Errorf("system prompts differ:\n%s", diff)
	}
	if diff := cmp.Diff(answer.Turns, plan.Turns); diff != "" {
		t.Errorf("turns differ:\n%s", diff)
	}
	if !strings.Contains(told.Text, "Do not answer") {
		t.Errorf("the plan is told %q", told.Text)
	}
	if parts := answer.Turns[2].Parts; parts[0].Text != task.Request.Text || parts[len(parts)-1].Image == nil {
		t.Errorf("the question's turn is %+v", parts)
	}
}

// Small models skip what stands in the system prompt only.
func TestScopeAndForcedToolsStandInBothPlaces(t *testing.T) {
	req := ibid.Request{Text: "How long?", Think: ibid.ThinkOff, Scope: ibid.Scope{Documents: []string{"d1", "d2"}, Folder: "house"}, ForceTools: []string{"calculator"}}
	reqs, _, err := runScript(t, Task{Request: req}, ibidtest.CallTool("calculator", `{"expression":"6*7"}`), ibidtest.Say("42."))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reqs {
		for place, text := range map[string]string{"system prompt": r.System, "user's message": r.Turns[0].Text()} {
			for _, words := range []string{"2 documents the user has chosen", `"house"`, searchTool, "calculator"} {
				if !strings.Contains(text, words) {
					t.Errorf("the %s does not say %q:\n%s", place, words, text)
				}
			}
		}
	}
	reqs, _, err = runScript(t, Task{Request: ibid.Request{Text: "How long?", Think: ibid.ThinkOff}}, ibidtest.Say("42."))
	if err != nil {
		t.Fatal(err)
	}
	if text := reqs[0].Turns[0].Text(); text != "How long?" {
		t.Errorf("without a scope the user's message is %q", text)
	}
	if strings.Contains(reqs[0].System, "limited") {
		t.Errorf("without a scope the system prompt is\n%s", reqs[0].System)
	}
}

func TestSystemPrompt(t *testing.T) {
	sc := script{}
	p := newPrompts(sc.config(nil), Task{Library: &ibid.Holdings{Documents: 12, Exact: true, Titles: []string{"Lease"}}}, ibid.ModeAgentic, nil)
	system := prompt.Render(ibid.ModelRequest{Brief: &p.brief}).System
	for _, words := range []string{"Wednesday, 4 March 2026", "The library holds 12 documents: Lease, and 11 more.", "search_knowledge_base", "calculator", "never follow"} {
		if !strings.Contains(system, words) {
			t.Errorf("the system prompt does not say %q:\n%s", words, system)
		}
	}
	if strings.Contains(system, "\n\n\n") || strings.Contains(system, "<no value>") {
		t.Errorf("the system prompt is\n%s", system)
	}
	for _, nudge := range []ibid.Instruction{ibid.InstructEmpty, ibid.InstructForced, ibid.InstructBudget} {
		if said := prompt.Render(ibid.ModelRequest{Turns: []ibid.Turn{tell(ibid.Note{Instruction: nudge})}}).Turns[0].Text(); said == "" {
			t.Errorf("there is no nudge %q", nudge)
		}
	}
}

// The prompt only grows within a run, so that prompt caches keep hitting.
func TestContextIsAppendOnly(t *testing.T) {
	reqs, _, err := runScript(t, Task{Request: ibid.Request{Text: "How long?", Think: ibid.ThinkOff}},
		ibidtest.CallTool(searchTool, `{"query":"lease"}`), ibidtest.CallTool("calculator", `{"expression":"6*7"}`), ibidtest.Say("Five [c1]."))
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(reqs); i++ {
		before, after := reqs[i-1], reqs[i]
		if len(after.Turns) != len(before.Turns)+2 || before.System != after.System {
			t.Errorf("request %d has %d turns after %d", i, len(after.Turns), len(before.Turns))
		}
		if diff := cmp.Diff(before.Turns, after.Turns[:len(before.Turns)]); diff != "" {
			t.Errorf("request %d changes what stood before:\n%s", i, diff)
		}
	}
}

func TestOverflowLeavesTheHistoryOut(t *testing.T) {
	long := strings.Repeat("The lease is long. ", 2000)
	task := Task{Request: ibid.Request{Text: "How long?", Think: ibid.ThinkOff}, History: []ibid.Turn{ibid.UserTurn("Hello"), ibid.AssistantTurn("Hello!")}}
	overflow := ibidtest.Reply{Err: &ibid.Error{Code: ibid.CodeContextOverflow, Message: "too long"}}
	model := ibidtest.NewScript(ibidtest.CallTool("long", `{}`), overflow, ibidtest.Say("Long."), overflow)
	cfg := Config{Model: model, Now: func() time.Time { return noon }, Tools: []Tool{testTool{"long", func(context.Context, map[string]any) (ibid.ToolOutput, error) {
		return ibid.ToolOutput{Content: long}, nil
	}}}}
	var output string
	_, err := Run(t.Context(), cfg, task, func(d ibid.EventData) error {
		if f, ok := d.(ibid.ToolFinished); ok {
			output = f.Output
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reqs := model.Requests()
	if len(output) > ibid.MaxToolOutput || !strings.Contains(output, "[cut: ") {
		t.Errorf("the log holds %d bytes ending in %q", len(output), output[len(output)-60:])
	}
	if got := reqs[1].Turns[4].Parts[0].Result.Content; got != output {
		t.Error("the model reads something else than the log holds")
	}
	after := reqs[2].Turns
	if len(after) != 3 || after[0].Text() != "How long?" || len(after[2].Parts[0].Result.Content) > trimmedOutput {
		t.Errorf("after the overflow there are %d turns", len(after))
	}
}

// What stands in the log is what the person saw; nothing is added by stopping.
func TestStop(t *testing.T) {
	gate := ibidtest.NewGate(3)
	model := ibidtest.NewScript(ibidtest.Reply{Text: []string{"One ", "two ", "three ", "four"}, Gate: gate})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-gate.Reached()
		cancel()
	}()
	var text string
	_, err := Run(ctx, Config{Model: model}, Task{Request: ibid.Request{Text: "Count.", Think: ibid.ThinkOff}}, func(d ibid.EventData) error {
		if a, ok := d.(ibid.AnswerDelta); ok {
			text += a.Text
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if text != "One two three" { // the last space waits for what follows it
		t.Errorf("the log holds %q", text)
	}
}

func TestStopWhileAToolRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := ibidtest.NewScript(ibidtest.CallTool("slow", `{"after":"40s"}`))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		sc := script{}
		var last ibid.EventData
		_, err := Run(ctx, sc.config(model), Task{Request: ibid.Request{Text: "Wait.", Think: ibid.ThinkOff}}, func(d ibid.EventData) error {
			last = d
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		if _, ok := last.(ibid.ToolStarted); !ok {
			t.Errorf("the last event is %T: an unfinished call must not be finished by stopping", last)
		}
	})
}

// When the log cannot be written, the run ends with that error, and the model
// and the tools are stopped.
func TestEmitFails(t *testing.T) {
	full := errors.New("disk full")
	for n := range 8 {
		model := ibidtest.NewScript(ibidtest.Plan("Think a little."), ibidtest.CallTool(searchTool, `{"query":"lease"}`),
			ibidtest.Reply{Text: []string{"Five years [c1]. ", "And so on. "}, Endless: true})
		sc := script{passages: []ibid.Passage{readPassage(t, 0, "c_aaaaaa1 lease.pdf p4: The lease runs for five years.")}}
		left := n
		_, err := Run(t.Context(), sc.config(model), Task{Request: ibid.Request{Text: "What does the lease say?"}}, func(ibid.EventData) error {
			if left == 0 {
				return full
			}
			left--
			return nil
		})
		if !errors.Is(err, full) {
			t.Errorf("after %d events the error is %v", n, err)
		}
	}
}

func TestUnexpectedErrorsBecomeOurs(t *testing.T) {
	_, _, err := runScript(t, Task{Request: ibid.Request{Text: "Hi"}}, ibidtest.Reply{Err: errors.New("EOF in parser")})
	var known *ibid.Error
	if !errors.As(err, &known) || known.Code != ibid.CodeInternal || strings.Contains(known.Message, "EOF") {
		t.Errorf("the error is %#v", err)
	}
}

// A model whose adapter finds out late that its text was thinking.
type lateModel struct{ text, whole string }

func (lateModel) Name() string { return "late" }

func (m lateModel) Generate(_ context.Context, _ ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	if m.text != "" {
		emit(ibid.ModelDelta{Text: m.text})
	}
	return ibid.ModelResponse{Turn: ibid.AssistantTurn(m.whole)}, nil
}

func TestTextThatWasThinking(t *testing.T) {
	for _, tc := range []struct{ text, whole, want string }{
		{"", "Not streamed.", "answer.started late, 0 passages\nanswer \"Not streamed.\"\n"},
		{"Streamed", "Streamed in part.", "answer.started late, 0 passages\nanswer \"Streamed in part.\"\n"},
		{"Streamed.\n", " Streamed.", "answer.started late, 0 passages\nanswer \"Streamed.\"\n"},
		{"So I think that", "Paris.", "answer.started late, 0 passages\nanswer \"So I think that\"\nanswer.retracted: the text was no part of the answer\n" +
			"reasoning \"So I think that\\n\\n\"\nanswer.started late, 0 passages\nanswer \"Paris.\"\n"},
	} {
		var log []ibid.EventData
		_, err := Run(t.Context(), Config{Model: lateModel{tc.text, tc.whole}}, Task{Request: ibid.Request{Text: "Hi"}}, func(d ibid.EventData) error {
			log = append(log, d)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, writeEvents(log[1:])); diff != "" {
			t.Errorf("%q, %q (-want +got):\n%s", tc.text, tc.whole, diff)
		}
	}
}

func TestPlanIsBounded(t *testing.T) {
	for name, endless := range map[string]ibidtest.Reply{
		"thinking":              {Reasoning: strings.SplitAfter(strings.Repeat("On and on. ", 3000), " ")},
		"text":                  {Text: []string{"On and on. "}, Endless: true},
		"an answer in the plan": {Reasoning: []string{"Hm."}, Text: []string{"The answer is. "}, Endless: true},
	} {
		endless.When = func(r ibid.ModelRequest) bool { return r.Think == ibid.ThinkOn }
		_, log, err := runScript(t, Task{Request: ibid.Request{Text: "What does the lease say?"}}, endless, ibidtest.Say("Nothing."))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := fold(log)
		if len(m.Reasoning) > planLimit || m.Reasoning == "" || m.Text != "Nothing." {
			t.Errorf("%s: %d bytes of plan, answer %q", name, len(m.Reasoning), m.Text)
		}
		if name == "an answer in the plan" && m.Reasoning != "Hm." {
			t.Errorf("the plan is %q", m.Reasoning)
		}
	}
}

func TestPlanTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalls := ibidtest.Reply{Fault: ibidtest.FaultStall, When: func(r ibid.ModelRequest) bool { return r.Think == ibid.ThinkOn }}
		_, log, err := runScript(t, Task{Request: ibid.Request{Text: "What does the lease say?"}}, stalls, ibidtest.Say("Nothing."))
		if err != nil || fold(log).Text != "Nothing." {
			t.Errorf("%v, %q", err, fold(log).Text)
		}
	})
}

func TestPlannerOfItsOwn(t *testing.T) {
	planner := ibidtest.NewScript(ibidtest.Plan("Search."))
	model := ibidtest.NewScript(ibidtest.Say("Nothing."))
	var log []ibid.EventData
	_, err := Run(t.Context(), Config{Model: model, Planner: planner}, Task{Request: ibid.Request{Text: "What does the lease say?"}}, func(d ibid.EventData) error {
		log = append(log, d)
		return nil
	})
	if m := fold(log); err != nil || m.Reasoning != "Search." || m.Text != "Nothing." {
		t.Errorf("%v, %+v", err, m)
	}
}

func fold(log []ibid.EventData) ibid.Message {
	var f ibid.Fold
	for i, d := range log {
		f.Add(ibid.Event{Seq: int64(i + 1), Data: d})
	}
	return f.Message()
}

func TestGate(t *testing.T) {
	for _, text := range []string{"Hi", "hello!", "Hello there 👋", "Thanks, great!", "Good morning.", "Danke!", "What is 15% of 2,340?", "2+2", "what's 3 * (4 + 5)?",
		"How much is 12 plus 30?", "What time is it?", "What's the date today?", "", "  ?  ", "Who are you?", "Compute 2^10", "你好"} {
		if worthPlanning(ibid.Request{Text: text}) {
			t.Errorf("%q is not worth a plan", text)
		}
		if !worthPlanning(ibid.Request{Text: text, Think: ibid.ThinkOn}) {
			t.Errorf("%q is worth a plan when the user says so", text)
		}
	}
	for _, text := range []string{"What is the retention policy?", "Compare the two contracts", "Hi, how long does the lease run?", "What happened in 2024?",
		"Error 404B", "How many of the 12 clauses apply?", "What is the time limit for returns?", "rent", "Is 5 the number of years?"} {
		if !worthPlanning(ibid.Request{Text: text}) {
			t.Errorf("%q is worth a plan", text)
		}
		if worthPlanning(ibid.Request{Text: text, Think: ibid.ThinkOff}) {
			t.Errorf("%q is not worth a plan when the user says so", text)
		}
	}
	if !worthPlanning(ibid.Request{Text: "hi", Attachments: []ibid.Attachment{{Name: "a.png"}}}) {
		t.Error("an image is worth a plan")
	}
}

func TestComplexity(t *testing.T) {
	for text, want := range map[string]string{
		"Hi": "simple", "What is the rent?": "simple", "Why was the contract ended?": "moderate",
		"Compare the two contracts on termination clauses": "complex", "Who signed? And when?": "complex",
	} {
		if got := complexity(ibid.Request{Text: text}); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestWait(t *testing.T) {
	r := Config{}.withDefaults().Retry
	r.Rand = func() float64 { return 0 }
	down := &ibid.Error{Code: ibid.CodeLLMUnavailable}
	for try, want := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 3: 2 * time.Second} {
		if d, ok := r.wait(try, down); !ok || d != want {
			t.Errorf("after try %d: %v, %t", try, d, ok)
		}
	}
	if _, ok := r.wait(4, down); ok {
		t.Error("there is a fifth try")
	}
	if d, _ := r.wait(1, &ibid.Error{Code: ibid.CodeLLMUnavailable, RetryAfter: 9000}); d != 9*time.Second {
		t.Errorf("the provider asked for 9 s and gets %v", d)
	}
	if _, ok := r.wait(1, &ibid.Error{Code: ibid.CodeBadRequest}); ok {
		t.Error("an input error is tried again")
	}
	r.Rand = func() float64 { return 0.999 }
	if d, _ := r.wait(2, down); d < 500*time.Millisecond || d > time.Second {
		t.Errorf("with jitter the wait is %v", d)
	}
}

func TestBounded(t *testing.T) {
	var passages strings.Builder
	for i := range 5 {
		fmt.Fprintf(&passages, "<passage id=\"c%d\">\n%s\n</passage>\n", i, strings.Repeat("é", 50))
	}
	for _, s := range []string{passages.String(), strings.Repeat("é", 300), passages.String() + strings.Repeat("x", 300), "<passage id=\"c1\">\n" + strings.Repeat("y", 600)} {
		for limit := 200; limit < len(s); limit += 7 {
			got, cut := bounded(s, limit)
			if !cut || len(got) > limit || strings.ToValidUTF8(got, "") != got || strings.Count(got, "<passage ") != strings.Count(got, "</passage>") {
				t.Fatalf("bounded to %d: %d bytes: %q", limit, len(got), got)
			}
		}
		if got, cut := bounded(s, len(s)); cut || got != s {
			t.Errorf("%q was cut though it fits", s)
		}
	}
}

// However much tools find, one output keeps within its bound, and only what the
// model reads can be cited.
func TestOutputIsBounded(t *testing.T) {
	s := newSession(Config{}.withDefaults(), Task{}, func(ibid.EventData) error { return nil })
	var out ibid.ToolOutput
	for i := range 40 {
		p := readPassage(t, i, fmt.Sprintf("c_%06d long.pdf p%d: %s", i, i+1, strings.Repeat("word ", 10*i*i+1)))
		out.Passages = append(out.Passages, p, p)
	}
	for _, content := range []string{"", "The answer.", strings.Repeat("long ", 9000)} {
		out.Content = content
		text, added := s.output(out)
		read := ibid.ParsePassages(text)
		if len(text) > ibid.MaxToolOutput || len(read) != len(added) || len(read) == 0 || len(read) == 40 {
			t.Errorf("%d bytes, %d passages, %d citations", len(text), len(read), len(added))
		}
		for i, h := range read {
			if h.Handle != cite.Handle(added[i].N) || h.Page != added[i].Pages[0] {
				t.Errorf("passage %d is %q on page %d, its citation %d on %v", i, h.Handle, h.Page, added[i].N, added[i].Pages)
			}
		}
		if content != "" && !strings.Contains(text, content[:4]) {
			t.Error("the content is missing")
		}
	}
	out = ibid.ToolOutput{Passages: []ibid.Passage{readPassage(t, 0, "c_huge00 long.pdf p1: "+strings.Repeat("word ", 9000))}}
	if text, added := s.output(out); len(text) > ibid.MaxToolOutput || len(added) != 1 || !strings.Contains(text, "</passage>") {
		t.Errorf("one huge passage: %d bytes, %d citations", len(text), len(added))
	}
}

func TestCitationOf(t *testing.T) {
	p := ibid.Passage{
		Chunk:    ibid.Chunk{ID: "c_1", DocumentID: "d1", Version: "v1", Level: 3, Heading: []string{"Lease", "Term"}, Text: "It runs for five years. It ends.", Start: 100, End: 132, Pages: []int{4, 5}},
		Document: ibid.Document{ID: "d1", Title: "The lease", Name: "lease.pdf", Folder: "house/2024", Format: "pdf"},
		Quote:    ibid.Quote{Text: "It ends.", Start: 124, End: 132, Page: 5}, Score: 0.5,
	}
	want := ibid.Citation{N: 2, ChunkID: "c_1", DocumentID: "d1", Version: "v1", Title: "The lease", Path: []string{"house", "2024", "lease.pdf"}, Pages: []int{5},
		Heading: "Lease › Term", Quote: "It ends.", Start: 124, End: 132, Text: p.Text, TextStart: 100, Level: "L3", Score: 0.5, URL: "/v1/documents/d1/file?version=v1#page=5"}
	if diff := cmp.Diff(want, cite.Of(p, 2, nil)); diff != "" {
		t.Errorf("citation (-want +got):\n%s", diff)
	}
	p.Quote, p.Document = ibid.Quote{}, ibid.Document{Name: "a.html", Source: "https://a.example/x", Format: "html"}
	if c := cite.Of(p, 1, nil); c.Quote != p.Text || c.Title != "a.html" || c.URL != "https://a.example/x" || len(c.Pages) != 2 {
		t.Errorf("citation %+v", c)
	}
}
