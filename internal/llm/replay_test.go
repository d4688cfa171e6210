package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/llm"
)

var weather = []ibid.ToolSpec{{Name: "get_weather", Description: "weather",
	Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}

// wanted is what a recording must come to.
type wanted struct {
	reasoning, text string
	calls           string // name{arguments} each
	stop            ibid.StopReason
	code            ibid.Code // of the error, "" for none
	hint            string    // part of the error's hint
}

const (
	hello = "Hello from the scripted model."
	mused = "Let me reason about this.\n"
	fully = "The answer is 42"
	paris = `get_weather{"city":"Paris"};`
	pair  = `get_weather{"city":"Oslo"};get_weather{"city":"Rome"};`
)

// recordings are answers of real servers. Where the adapter asks more than once
// there are several files.
var recordings = []struct {
	provider string
	files    []string // of both versions of Ollama where they name none
	think    ibid.Think
	tools    bool
	want     wanted
}{
	{"ollama", files("01-chat-stream"), ibid.ThinkOff, false, wanted{text: hello, stop: ibid.StopEnd}},
	{"ollama", files("03-emoji"), ibid.ThinkOff, false, wanted{text: "Smile 😀 then done!", stop: ibid.StopEnd}},
	{"ollama", files("04-think-true-on-plain", "01-chat-stream"), ibid.ThinkOn, false, wanted{text: hello, stop: ibid.StopEnd}},
	{"ollama", files("05-think-raw-leak-on-plain"), ibid.ThinkOff, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"ollama", files("06-tools-on-plain"), ibid.ThinkOff, true, wanted{code: ibid.CodeLLM, hint: "use tools"}},
	{"ollama", files("07-unknown-model"), ibid.ThinkOff, false, wanted{code: ibid.CodeLLM, hint: "ollama pull scripted"}},
	{"ollama", files("08-think-true"), ibid.ThinkOn, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"ollama", files("09-think-false"), ibid.ThinkOff, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"ollama", files("10-think-unset"), ibid.ThinkAuto, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"ollama", files("14-tool"), ibid.ThinkOff, true, wanted{calls: paris, stop: ibid.StopTools}},
	{"ollama", files("15-tool-parallel"), ibid.ThinkOff, true, wanted{text: "I'll check both.\n", calls: pair, stop: ibid.StopTools}},
	{"ollama", files("16-think-tool"), ibid.ThinkOn, true, wanted{reasoning: "I need the weather tool.\n", calls: `get_weather{"city":"Lima"};`, stop: ibid.StopTools}},
	{"ollama", files("16b-tool-call-leaks-as-text"), ibid.ThinkOn, true, wanted{reasoning: "I need the weather tool.\n", calls: `get_weather{"city":"Lima"};`, stop: ibid.StopTools}},
	{"ollama", files("17-tool-raw-json"), ibid.ThinkOff, true, wanted{calls: `get_weather{"city":"Kyiv"};`, stop: ibid.StopTools}},
	{"ollama", files("18-tool-badjson", "14-tool"), ibid.ThinkOff, true, wanted{calls: paris, stop: ibid.StopTools}},
	{"ollama", files("19-tool-unknown-name", "18-tool-badjson", "01-chat-stream"), ibid.ThinkOff, true, wanted{text: hello, stop: ibid.StopEnd}},
	{"ollama", files("18-tool-badjson", "18-tool-badjson", "18-tool-badjson"), ibid.ThinkOff, true, wanted{code: ibid.CodeLLM}},
	{"ollama", files("20-tool-call-but-no-tools-declared", "01-chat-stream"), ibid.ThinkOff, false, wanted{text: hello, stop: ibid.StopEnd}},
	{"ollama", files("21-after-tool"), ibid.ThinkOff, true, wanted{text: "It is 21°C in that city now.", stop: ibid.StopEnd}},
	{"ollama", files("22-unclosed-think"), ibid.ThinkOn, false, wanted{reasoning: "never closed", stop: ibid.StopEnd}},
	{"ollama", files("23-num-predict"), ibid.ThinkOff, false, wanted{text: "tick tock tick tock ", stop: ibid.StopLength}},
	{"ollama", files("32-ctx-overflow-notrunc", "01-chat-stream"), ibid.ThinkOff, false, wanted{text: hello, stop: ibid.StopEnd}},
	{"ollama", []string{"ollama-0.32.14/30-images-on-plain"}, ibid.ThinkOff, false, wanted{code: ibid.CodeLLM, hint: "see images"}},
	{"ollama", files("61-runner-crash-midstream"), ibid.ThinkOff, false, wanted{text: "*", code: ibid.CodeLLMUnavailable}},
	{"ollama", []string{"ollama-0.17.4/62-queue-full"}, ibid.ThinkOff, false, wanted{code: ibid.CodeLLMUnavailable}},

	{"openai", files("40-oai-stream"), ibid.ThinkAuto, false, wanted{text: hello, stop: ibid.StopEnd}},
	{"openai", files("42-oai-think-default"), ibid.ThinkAuto, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"openai", files("43-oai-think-none"), ibid.ThinkOff, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"openai", files("44-oai-tools"), ibid.ThinkOff, true, wanted{text: "I'll check both.\n", calls: pair, stop: ibid.StopTools}},
	{"openai", files("45-oai-unknown"), ibid.ThinkOff, false, wanted{code: ibid.CodeLLM, hint: "name"}},
	{"openai", files("46-oai-tools-on-plain"), ibid.ThinkOff, true, wanted{code: ibid.CodeLLM, hint: "use tools"}},
	{"openai", files("47-oai-think-on-plain", "40-oai-stream"), ibid.ThinkOn, false, wanted{text: hello, stop: ibid.StopEnd}},

	{"openai", llama("01-stream-usage"), ibid.ThinkAuto, false, wanted{text: hello, stop: ibid.StopEnd}},
	{"openai", llama("03-think"), ibid.ThinkAuto, false, wanted{reasoning: "\n" + mused, text: fully, stop: ibid.StopEnd}},
	{"openai", llama("05-think-format-none"), ibid.ThinkAuto, false, wanted{reasoning: mused, text: fully, stop: ibid.StopEnd}},
	{"openai", llama("06-tool"), ibid.ThinkOff, true, wanted{calls: paris, stop: ibid.StopTools}},
	{"openai", llama("07-tool-parallel"), ibid.ThinkOff, true, wanted{text: "I'll check both.\n", calls: pair, stop: ibid.StopTools}},
	{"openai", llama("08-think-tool"), ibid.ThinkOn, true, wanted{reasoning: "\nI need the weather tool.\n", calls: `get_weather{"city":"Lima"};get_weather{"city":"Rome"};`, stop: ibid.StopTools}},
	{"openai", llama("09-badjson"), ibid.ThinkOff, true, wanted{calls: paris, stop: ibid.StopTools}},
	{"openai", llama("11-ctx-overflow"), ibid.ThinkAuto, false, wanted{code: ibid.CodeContextOverflow}},
	{"openai", llama("12-max-tokens"), ibid.ThinkAuto, false, wanted{text: "tick tock tick", stop: ibid.StopLength}},
	{"openai", llama("13-images"), ibid.ThinkAuto, false, wanted{code: ibid.CodeLLM, hint: "see images"}},
	{"openai", llama("15-badreq"), ibid.ThinkAuto, false, wanted{code: ibid.CodeLLM}},
	{"openai", llama("20-aftertool"), ibid.ThinkOff, true, wanted{text: "It is 21°C in that city now.", stop: ibid.StopEnd}},
}

// files names recordings of Ollama, without the version.
func files(names ...string) []string { return names }

func llama(name string) []string { return []string{"llama-server/" + name} }

func TestReplaysRecordings(t *testing.T) {
	for _, c := range recordings {
		versions := []string{"ollama-0.17.4/", "ollama-0.32.14/"}
		if strings.Contains(c.files[0], "/") {
			versions = []string{""}
		}
		for _, v := range versions {
			t.Run(v+strings.Join(c.files, "+"), func(t *testing.T) {
				var exchanges []ibidtest.Exchange
				for _, f := range c.files {
					exchanges = append(exchanges, ibidtest.Transcript(t, v+f+".txt")[0])
				}
				replay(t, c.provider, exchanges, c.think, c.tools, c.want)
			})
		}
		t.Run("written/"+strings.Join(c.files, "+"), func(t *testing.T) {
			var exchanges []ibidtest.Exchange
			for _, f := range c.files {
				exchanges = append(exchanges, ibidtest.Written(t, strings.TrimPrefix(versions[0]+f, "/")+".txt")[0])
			}
			replay(t, c.provider, exchanges, c.think, c.tools, c.want)
		})
	}
}

func replay(t *testing.T, provider string, exchanges []ibidtest.Exchange, think ibid.Think, tools bool, want wanted) {
	s := ibidtest.Replay(t, exchanges...)
	base := s.URL
	if provider == "openai" {
		base += "/v1"
	}
	m, err := llm.Open(llm.Config{Spec: provider + ":scripted@" + base})
	if err != nil {
		t.Fatal(err)
	}
	req := ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}, Think: think}
	if tools {
		req.Tools = weather
	}
	var reasoning, text strings.Builder
	res, err := m.Generate(t.Context(), req, func(d ibid.ModelDelta) {
		reasoning.WriteString(d.Reasoning)
		text.WriteString(d.Text)
	})
	if n := len(s.Requests()); n != len(exchanges) {
		t.Errorf("%d requests for %d recorded answers (%v)", n, len(exchanges), err)
	}
	if want.code != "" {
		e := new(ibid.Error)
		if !errors.As(err, &e) || e.Code != want.code || !strings.Contains(e.Hint, want.hint) {
			t.Fatalf("got %v, want %s with a hint of %q", err, want.code, want.hint)
		}
		if strings.ContainsAny(e.Message, "{}") {
			t.Errorf("JSON in a message for people: %s", e.Message)
		}
		if want.text == "*" && text.Len() == 0 {
			t.Error("what came before the error is lost")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := wanted{reasoning: res.Turn.Reasoning(), text: res.Turn.Text(), stop: res.StopReason}
	for _, c := range res.Turn.Calls() {
		var args map[string]any
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			t.Errorf("arguments %s: %v", c.Arguments, err)
		}
		raw, _ := json.Marshal(args)
		got.calls += fmt.Sprintf("%s%s;", c.Name, raw)
	}
	if got != want {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if reasoning.String() != got.reasoning || text.String() != got.text {
		t.Errorf("emitted %q and %q, returned %q and %q", reasoning.String(), text.String(), got.reasoning, got.text)
	}
}

// TestSpeaksAsRecorded: what we send has the fields that real servers were seen
// to understand.
func TestSpeaksAsRecorded(t *testing.T) {
	conversation := ibid.ModelRequest{Tools: weather, Think: ibid.ThinkOff, Turns: []ibid.Turn{
		ibid.UserTurn("hi @@tool"),
		{Role: ibid.RoleAssistant, Parts: []ibid.Part{{Call: &ibid.ToolCall{ID: "c1", Name: "get_weather", Arguments: []byte(`{"city":"Paris"}`)}}}},
		{Role: ibid.RoleTool, Parts: []ibid.Part{{Result: &ibid.ToolResult{CallID: "c1", Name: "get_weather", Content: "21C"}}}},
	}}
	for _, c := range []struct{ spec, file string }{
		{"ollama:scripted-full@%s", "ollama-0.32.14/21-after-tool.txt"},
		{"openai:scripted-full@%s/v1", "llama-server/20-aftertool.txt"},
	} {
		recorded := ibidtest.Transcript(t, c.file)
		s := ibidtest.Replay(t, recorded...)
		m, err := llm.Open(llm.Config{Spec: fmt.Sprintf(c.spec, s.URL)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Generate(t.Context(), conversation, func(ibid.ModelDelta) {}); err != nil {
			t.Fatal(err)
		}
		var sent, seen map[string]any
		if err := errors.Join(json.Unmarshal(s.Requests()[0].Body, &sent), json.Unmarshal([]byte(recorded[0].Request), &seen)); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"messages", "tools"} {
			drop(sent[field], "id", "content") // an id for calls is understood too; empty content is said or left out
			drop(seen[field], "id", "content")
			if !reflect.DeepEqual(sent[field], seen[field]) {
				t.Errorf("%s: %s sent as\n%v\nrecorded is\n%v", c.file, field, sent[field], seen[field])
			}
		}
	}
}

// drop removes fields of objects in a list where they are empty or ids.
func drop(list any, names ...string) {
	items, _ := list.([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		for _, name := range names {
			if v := object[name]; v == nil || v == "" || name == "id" {
				delete(object, name)
			}
		}
		drop(object["tool_calls"], names...)
	}
}
