package ibidtest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/llm/prompt"
)

// ModelHarness is what ModelSuite needs to know about an adapter.
type ModelHarness struct {
	// Serve starts a scripted server of the protocol that the adapter speaks.
	Serve func(t testing.TB, replies ...Reply) *ModelServer
	// Open returns the adapter, pointed at model of the server at url. header
	// and idle are its time-outs.
	Open func(t testing.TB, url, model string, header, idle time.Duration) ibid.Model
	// NoCallIDs says that the protocol matches a tool result by name and order,
	// not by id.
	NoCallIDs bool
}

// patient is a time-out that no test reaches.
const patient = time.Minute

var suiteTools = []ibid.ToolSpec{
	{Name: "get_weather", Description: "the weather of a city",
		Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)},
	{Name: "calculator", Description: "arithmetic",
		Parameters: []byte(`{"type":"object","properties":{"expression":{"type":"string"}}}`)},
}

func ask(text string, tools ...ibid.ToolSpec) ibid.ModelRequest {
	return ibid.ModelRequest{System: "Be brief.", Turns: []ibid.Turn{ibid.UserTurn(text)}, Tools: tools, Think: ibid.ThinkOff}
}

// heard collects what a model emits.
type heard struct {
	reasoning, text strings.Builder
	pieces          int
}

func (h *heard) emit(d ibid.ModelDelta) {
	h.pieces++
	h.reasoning.WriteString(d.Reasoning)
	h.text.WriteString(d.Text)
}

// ModelSuite checks that an adapter keeps the promises of ibid.Model.
func ModelSuite(t *testing.T, h ModelHarness) {
	t.Run("text", func(t *testing.T) { h.text(t) })
	t.Run("typed turns", func(t *testing.T) { h.typedTurns(t) })
	t.Run("thinking", func(t *testing.T) { h.thinking(t) })
	t.Run("thinking in tags", func(t *testing.T) { h.thinkingInTags(t) })
	t.Run("cannot think", func(t *testing.T) { h.cannotThink(t) })
	t.Run("tools", func(t *testing.T) { h.tools(t) })
	t.Run("leaked call", func(t *testing.T) { h.leakedCall(t) })
	t.Run("conversation", func(t *testing.T) { h.conversation(t) })
	t.Run("image", func(t *testing.T) { h.image(t) })
	t.Run("length", func(t *testing.T) { h.length(t) })
	t.Run("schema", func(t *testing.T) { h.schema(t) })
	t.Run("empty turn", func(t *testing.T) { h.emptyTurn(t) })
	t.Run("faults", func(t *testing.T) { h.faults(t) })
	t.Run("stall", func(t *testing.T) { h.stall(t) })
	t.Run("wedge", func(t *testing.T) { h.wedge(t) })
	t.Run("cancel", func(t *testing.T) { h.cancel(t) })
	t.Run("cancel before the answer", func(t *testing.T) { h.cancelEarly(t) })
	t.Run("nobody there", func(t *testing.T) { h.nobodyThere(t) })
	t.Run("unknown model", func(t *testing.T) { h.unknownModel(t) })
	t.Run("many at once", func(t *testing.T) { h.manyAtOnce(t) })
	t.Run("probe", func(t *testing.T) { h.probe(t) })
}

func (h ModelHarness) open(t testing.TB, s *ModelServer) ibid.Model {
	return h.Open(t, s.URL, "test", patient, patient)
}

func (h ModelHarness) text(t *testing.T) {
	s := h.Serve(t, Reply{Text: []string{"Smile ", "😀 ", "then\n", "stop."}, Usage: ibid.Usage{InputTokens: 11, OutputTokens: 4}})
	var got heard
	res, err := h.open(t, s).Generate(t.Context(), ask("hi"), got.emit)
	if err != nil {
		t.Fatal(err)
	}
	const want = "Smile 😀 then\nstop."
	if got.text.String() != want || res.Turn.Text() != want {
		t.Errorf("emitted %q, returned %q, want %q", got.text.String(), res.Turn.Text(), want)
	}
	if got.pieces != 4 {
		t.Errorf("the answer came in %d pieces, want 4", got.pieces)
	}
	if res.Turn.Role != ibid.RoleAssistant || res.StopReason != ibid.StopEnd {
		t.Errorf("role %q, stop reason %q", res.Turn.Role, res.StopReason)
	}
	if res.Usage.InputTokens != 11 || res.Usage.OutputTokens != 4 || res.Usage.ModelRequests != 1 {
		t.Errorf("usage %+v", res.Usage)
	}
	seen := s.Script.Requests()[0]
	if seen.System != "Be brief." || len(seen.Turns) != 1 || seen.Turns[0].Text() != "hi" {
		t.Errorf("the server saw %+v", seen)
	}
}

// typedTurns: what the agent says in values reaches the server in words.
func (h ModelHarness) typedTurns(t *testing.T) {
	s := h.Serve(t, Reply{Text: []string{"Five years [c1]."}})
	past := ibid.Past{Text: "How long was it before?"}
	req := ibid.ModelRequest{Brief: &ibid.Brief{Instruction: ibid.InstructAnswer, Direct: true}, Think: ibid.ThinkOff, Turns: []ibid.Turn{
		{Role: ibid.RoleUser, Parts: []ibid.Part{{Past: &past}}}, ibid.AssistantTurn("Two years."),
		{Role: ibid.RoleUser, Parts: []ibid.Part{{Question: "And now?"}, {Findings: &ibid.Findings{Question: "How long is it now?",
			Passages: []ibid.Handled{{Handle: "c1", Title: "Lease", Text: "Five years."}}}}}}}}
	if _, err := h.open(t, s).Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	seen, want := s.Script.Requests()[0], prompt.Render(req)
	if len(seen.Turns) != 3 || seen.System != want.System || seen.Turns[0].Text() != want.Turns[0].Text() || seen.Turns[2].Text() != want.Turns[2].Text() {
		t.Errorf("the server saw %+v, want %+v", seen, want)
	}
	for _, words := range []string{"And now?", "How long is it now?", "<passage id=\"c1\"", "Five years."} {
		if !strings.Contains(seen.Turns[2].Text(), words) {
			t.Errorf("the server did not see %q in %q", words, seen.Turns[2].Text())
		}
	}
}

func (h ModelHarness) thinking(t *testing.T) {
	s := h.Serve(t, Reply{Reasoning: []string{"Let me ", "see."}, Text: []string{"42"}})
	req := ask("why?")
	req.Think = ibid.ThinkOn
	var got heard
	res, err := h.open(t, s).Generate(t.Context(), req, got.emit)
	if err != nil {
		t.Fatal(err)
	}
	if got.reasoning.String() != "Let me see." || got.text.String() != "42" {
		t.Errorf("emitted reasoning %q and text %q", got.reasoning.String(), got.text.String())
	}
	if res.Turn.Reasoning() != "Let me see." || res.Turn.Text() != "42" {
		t.Errorf("returned %+v", res.Turn)
	}
	if seen := s.Script.Requests()[0].Think; seen != ibid.ThinkOn {
		t.Errorf("the server was asked to think: %q", seen)
	}
}

func (h ModelHarness) thinkingInTags(t *testing.T) {
	s := h.Serve(t,
		Reply{Text: []string{"<th", "ink>\nhm", "m</thi", "nk>\n\nIt is ", "`<think>`."}},
		Reply{Text: []string{"hm\n</think>\n\n", "41"}},
		Reply{Text: []string{"hm again\n</think>\n\n", "42"}})
	m := h.open(t, s)
	var got heard
	if _, err := m.Generate(t.Context(), ask("a"), got.emit); err != nil {
		t.Fatal(err)
	}
	if got.reasoning.String() != "hmm" || got.text.String() != "It is `<think>`." {
		t.Errorf("reasoning %q, text %q", got.reasoning.String(), got.text.String())
	}
	// The template opens the tag: thinking was shown, so the turn is void. From
	// then on the model knows.
	res, err := m.Generate(t.Context(), ask("b"), (&heard{}).emit)
	if e := new(ibid.Error); !errors.As(err, &e) || !e.Retryable || res.Turn.Text() != "41" {
		t.Fatalf("got %q, %v; want a turn that may be tried again", res.Turn.Text(), err)
	}
	got = heard{}
	if _, err = m.Generate(t.Context(), ask("b"), got.emit); err != nil {
		t.Fatal(err)
	}
	if got.reasoning.String() != "hm again\n" || got.text.String() != "42" {
		t.Errorf("reasoning %q, text %q", got.reasoning.String(), got.text.String())
	}
}

func (h ModelHarness) cannotThink(t *testing.T) {
	s := h.Serve(t, Say("one"), Say("two"))
	s.Models[0].Capabilities = []string{"completion"}
	req := ask("hi")
	req.Think = ibid.ThinkOn
	m := h.open(t, s)
	for _, want := range []string{"one", "two"} {
		res, err := m.Generate(t.Context(), req, func(ibid.ModelDelta) {})
		if err != nil || res.Turn.Text() != want {
			t.Fatalf("got %q, %v; want %q", res.Turn.Text(), err, want)
		}
	}
}

func (h ModelHarness) tools(t *testing.T) {
	s := h.Serve(t, Reply{Text: []string{"I look."}, Calls: []ibid.ToolCall{
		{ID: "a", Name: "get_weather", Arguments: []byte(`{"city":"Oslo"}`)},
		{ID: "b", Name: "get_weather", Arguments: []byte(`{"city":"Rome"}`)},
		{ID: "b", Name: "calculator", Arguments: []byte(`{"expression":"1+1"}`)},
	}})
	res, err := h.open(t, s).Generate(t.Context(), ask("weather?", suiteTools...), func(ibid.ModelDelta) {})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ids := map[string]bool{}
	for _, c := range res.Turn.Calls() {
		ids[c.ID] = true
		got = append(got, c.Name+compact(c.Arguments))
	}
	want := []string{`get_weather{"city":"Oslo"}`, `get_weather{"city":"Rome"}`, `calculator{"expression":"1+1"}`}
	if !slices.Equal(got, want) || res.StopReason != ibid.StopTools || res.Turn.Text() != "I look." {
		t.Errorf("calls %v, stop %q, text %q", got, res.StopReason, res.Turn.Text())
	}
	if len(ids) != len(got) || ids[""] {
		t.Errorf("ids of %v are not unique: %v", got, ids)
	}
	seen := s.Script.Requests()[0].Tools
	if len(seen) != 2 || seen[0].Name != "get_weather" || !strings.Contains(string(seen[0].Parameters), `"city"`) {
		t.Errorf("the server saw the tools %+v", seen)
	}
}

func compact(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func (h ModelHarness) leakedCall(t *testing.T) {
	for name, pieces := range map[string][]string{
		"tagged": {"I look.\n", "<tool", "_call>\n{\"name\": \"get_weather\", ", "\"arguments\": {\"city\": \"Lima\"}}", "\n</tool_call>"},
		"bare":   {"{\"na", "me\": \"get_weather\", \"arguments\": ", "{\"city\": \"Lima\"}}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.Serve(t, Reply{Text: pieces})
			var got heard
			res, err := h.open(t, s).Generate(t.Context(), ask("weather?", suiteTools...), got.emit)
			if err != nil {
				t.Fatal(err)
			}
			calls := res.Turn.Calls()
			if len(calls) != 1 || calls[0].Name != "get_weather" || compact(calls[0].Arguments) != `{"city":"Lima"}` {
				t.Errorf("calls %+v", calls)
			}
			if strings.ContainsAny(got.text.String(), "<{") || res.StopReason != ibid.StopTools {
				t.Errorf("shown %q, stop %q", got.text.String(), res.StopReason)
			}
		})
	}
}

func (h ModelHarness) conversation(t *testing.T) {
	s := h.Serve(t, Say("Yes."))
	req := ask("earlier question", suiteTools...)
	req.Turns = append(req.Turns,
		ibid.Turn{Role: ibid.RoleAssistant, Parts: []ibid.Part{{Reasoning: "old thoughts"}, {Text: "earlier answer"}}},
		ibid.UserTurn("weather in Oslo?"),
		ibid.Turn{Role: ibid.RoleAssistant, Parts: []ibid.Part{
			{Text: "I look."},
			{Call: &ibid.ToolCall{ID: "c1", Name: "get_weather", Arguments: []byte(`{"city":"Oslo"}`)}},
			{Call: &ibid.ToolCall{ID: "c2", Name: "calculator", Arguments: []byte(`{"expression":"1+1"}`)}},
		}},
		ibid.Turn{Role: ibid.RoleTool, Parts: []ibid.Part{
			{Result: &ibid.ToolResult{CallID: "c1", Name: "get_weather", Content: "21 °C"}},
			{Result: &ibid.ToolResult{CallID: "c2", Name: "calculator", Content: "2"}},
		}})
	if _, err := h.open(t, s).Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, turn := range s.Script.Requests()[0].Turns {
		for _, p := range turn.Parts {
			line := string(turn.Role) + " " + p.Text + p.Reasoning
			if p.Call != nil {
				line += p.Call.Name + compact(p.Call.Arguments)
			}
			if p.Result != nil {
				line += p.Result.Name + "=" + p.Result.Content
				if !h.NoCallIDs {
					line += "#" + p.Result.CallID
				}
			}
			seen = append(seen, line)
		}
	}
	want := []string{"user earlier question", "assistant earlier answer", "user weather in Oslo?", "assistant I look.",
		`assistant get_weather{"city":"Oslo"}`, `assistant calculator{"expression":"1+1"}`,
		"tool get_weather=21 °C#c1", "tool calculator=2#c2"}
	if h.NoCallIDs {
		want[6], want[7] = "tool get_weather=21 °C", "tool calculator=2"
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the server saw\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
}

func (h ModelHarness) image(t *testing.T) {
	s := h.Serve(t, Say("A dot."))
	png := []byte("\x89PNG\r\n\x1a\nsomething")
	req := ask("")
	req.Turns = []ibid.Turn{{Role: ibid.RoleUser, Parts: []ibid.Part{{Text: "What is this?"}, {Image: &ibid.Image{MIME: "image/png", Data: png}}}}}
	m := h.open(t, s)
	if _, err := m.Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, p := range s.Script.Requests()[0].Turns[0].Parts {
		found = found || p.Image != nil && string(p.Image.Data) == string(png) && p.Image.MIME == "image/png"
	}
	if !found {
		t.Errorf("the server saw no image: %+v", s.Script.Requests()[0].Turns)
	}

	s.Models[0].Capabilities = []string{"completion", "tools"}
	s.Script.Add(Say("unreachable"))
	_, err := h.open(t, s).Generate(t.Context(), req, func(ibid.ModelDelta) {})
	e := new(ibid.Error)
	if !errors.As(err, &e) || e.Code != ibid.CodeLLM || e.Hint == "" || e.Retryable {
		t.Errorf("an image for a blind model gave %v", err)
	}
}

func (h ModelHarness) length(t *testing.T) {
	s := h.Serve(t, Reply{Text: []string{"tick ", "tock"}, Stop: ibid.StopLength})
	req := ask("go on")
	req.MaxTokens = 2
	res, err := h.open(t, s).Generate(t.Context(), req, func(ibid.ModelDelta) {})
	if err != nil || res.StopReason != ibid.StopLength || res.Turn.Text() != "tick tock" {
		t.Errorf("got %+v, %v", res, err)
	}
	if seen := s.Script.Requests()[0].MaxTokens; seen != 2 {
		t.Errorf("the server saw a limit of %d tokens", seen)
	}
}

func (h ModelHarness) schema(t *testing.T) {
	s := h.Serve(t, Reply{Text: []string{`{"a":`, `1}`}})
	req := ask("JSON, please")
	req.Schema = []byte(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
	req.Think = ibid.ThinkAuto
	res, err := h.open(t, s).Generate(t.Context(), req, func(ibid.ModelDelta) {})
	if err != nil || res.Turn.Text() != `{"a":1}` {
		t.Fatalf("got %q, %v", res.Turn.Text(), err)
	}
	if seen := s.Script.Requests()[0]; compact(seen.Schema) != compact(req.Schema) || seen.Think == ibid.ThinkOn {
		t.Errorf("the server saw schema %s, think %q", seen.Schema, seen.Think)
	}
}

func (h ModelHarness) manyAtOnce(t *testing.T) {
	s := h.Serve(t)
	for _, letter := range strings.Split("abcdefgh", "") {
		s.Script.Add(Reply{Text: []string{letter, letter, letter}, When: func(r ibid.ModelRequest) bool {
			return r.Turns[0].Text() == letter
		}})
	}
	m := h.open(t, s)
	var wg sync.WaitGroup
	for _, letter := range strings.Split("abcdefgh", "") {
		wg.Go(func() {
			res, err := m.Generate(t.Context(), ask(letter), func(ibid.ModelDelta) {})
			if want := strings.Repeat(letter, 3); err != nil || res.Turn.Text() != want {
				t.Errorf("got %q, %v; want %q", res.Turn.Text(), err, want)
			}
		})
	}
	wg.Wait()
}

func (h ModelHarness) probe(t *testing.T) {
	s := h.Serve(t)
	s.Models[0].ContextLength = 4096
	prober, ok := h.open(t, s).(ibid.Prober)
	if !ok {
		t.Fatal("the model is no ibid.Prober")
	}
	caps, err := prober.Probe(t.Context())
	if err != nil || !caps.Tools || caps.ContextTokens != 4096 {
		t.Errorf("got %+v, %v", caps, err)
	}
	prober = h.Open(t, "http://127.0.0.1:1", "test", patient, patient).(ibid.Prober)
	if _, err := prober.Probe(t.Context()); ibid.CodeOf(err) != ibid.CodeLLMUnavailable {
		t.Errorf("nobody there gave %v", err)
	}
}
