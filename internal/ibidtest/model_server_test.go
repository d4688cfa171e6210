package ibidtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ibid"
)

// TestScriptedServersSpeakAsRecorded holds the scripted servers against real
// ones: the same request gets an answer whose JSON has the same fields of the
// same types, line by line, and errors have the same status and shape.
func TestScriptedServersSpeakAsRecorded(t *testing.T) {
	hello := Reply{Text: []string{"Hello", " from"}}
	thinks := Reply{Reasoning: []string{"Let", " me"}, Text: []string{"The", " answer"}}
	calls := Reply{Calls: []ibid.ToolCall{{ID: "call_6iy40a7v", Name: "get_weather", Arguments: []byte(`{"city":"Paris"}`)}}}
	both := Reply{Text: []string{"I'll check both."}, Calls: []ibid.ToolCall{
		{ID: "a", Name: "get_weather", Arguments: []byte(`{"city":"Oslo"}`)},
		{ID: "b", Name: "get_weather", Arguments: []byte(`{"city":"Rome"}`)}}}
	cut := Reply{Text: []string{"tick"}, Stop: ibid.StopLength}
	broken := Reply{Text: []string{"tick"}, Fault: FaultErrorInside, FaultAt: 1}
	for _, c := range []struct {
		file  string
		reply Reply
	}{
		{"ollama-0.32.14/01-chat-stream.txt", hello},
		{"ollama-0.32.14/04-think-true-on-plain.txt", hello},
		{"ollama-0.32.14/06-tools-on-plain.txt", hello},
		{"ollama-0.32.14/07-unknown-model.txt", hello},
		{"ollama-0.32.14/08-think-true.txt", thinks},
		{"ollama-0.32.14/14-tool.txt", calls},
		{"ollama-0.32.14/15-tool-parallel.txt", both},
		{"ollama-0.32.14/18-tool-badjson.txt", Reply{}},
		{"ollama-0.32.14/23-num-predict.txt", cut},
		{"ollama-0.32.14/27-embed-unknown.txt", hello},
		{"ollama-0.32.14/30-images-on-plain.txt", hello},
		{"ollama-0.32.14/34-unload.txt", hello},
		{"ollama-0.32.14/61-runner-crash-midstream.txt", broken},
		{"ollama-0.17.4/01-chat-stream.txt", hello},
		{"ollama-0.17.4/08-think-true.txt", thinks},
		{"ollama-0.17.4/14-tool.txt", calls},
		{"llama-server/01-stream-usage.txt", hello},
		{"llama-server/03-think.txt", thinks},
		{"llama-server/06-tool.txt", calls},
		{"llama-server/07-tool-parallel.txt", both},
		{"llama-server/12-max-tokens.txt", cut},
		{"llama-server/13-images.txt", hello},
	} {
		t.Run(c.file, func(t *testing.T) {
			recorded := Transcript(t, c.file)[0]
			if recorded.Request == "" { // only described
				recorded.Request = `{"model":"scripted-plain","messages":[{"role":"user","content":"hi"}]}`
			}
			s := OllamaServer(t, c.reply)
			if strings.HasPrefix(c.file, "llama") {
				s = OpenAIServer(t, c.reply)
				s.URL = strings.TrimSuffix(s.URL, "/v1")
			}
			s.Models = []ServedModel{{Name: "scripted-full", Capabilities: []string{"completion", "tools", "thinking"}},
				{Name: "scripted-plain", Capabilities: []string{"completion"}}, {Name: "x", Capabilities: []string{"completion", "tools", "thinking"}}}
			if strings.HasPrefix(c.file, "llama") { // it serves one model, whatever it is called
				s.Models = append(s.Models, ServedModel{Name: "", Capabilities: []string{"completion", "tools", "thinking"}})
			}
			resp, err := http.Post(s.URL+recorded.Path, "application/json", strings.NewReader(recorded.Request))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != recorded.Status {
				t.Errorf("status %d, recorded is %d: %s", resp.StatusCode, recorded.Status, body)
			}
			if got, want := shapes(t, body), shapes(t, recorded.Body); !slices.Equal(got, want) {
				t.Errorf("the lines are\n%s\nrecorded are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// unscripted are fields of real servers that nothing of ours looks at.
var unscripted = []string{"timings"}

// shapes returns the distinct shapes of the JSON lines of a body, in the order
// in which they come.
func shapes(t *testing.T, body []byte) []string {
	var all []string
	for line := range bytes.Lines(body) {
		text := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data:")))
		if len(text) == 0 || string(text) == "..." {
			continue
		}
		s := string(text)
		if s != "[DONE]" {
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			s = shape(v)
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// shape writes the fields and types of a JSON value.
func shape(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var fields []string
		for key, value := range v {
			if !slices.Contains(unscripted, key) {
				fields = append(fields, key+":"+shape(value))
			}
		}
		slices.Sort(fields)
		return "{" + strings.Join(fields, " ") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shape(v[0]) + "]"
	}
	return fmt.Sprintf("%T", v)
}

// TestScript: the model inside the process plays the same replies.
func TestScript(t *testing.T) {
	gate := NewGate(1)
	m := NewScript(Plan("First look."), Reply{Text: []string{"a", "b"}, Gate: gate}, CallTool("search", ""))
	res, err := m.Generate(t.Context(), ibid.ModelRequest{Think: ibid.ThinkOn}, func(ibid.ModelDelta) {})
	if err != nil || res.Turn.Reasoning() != "First look." {
		t.Fatalf("got %+v, %v", res, err)
	}
	var said string
	go func() {
		<-gate.Reached()
		gate.Open()
	}()
	if _, err = m.Generate(t.Context(), ibid.ModelRequest{}, func(d ibid.ModelDelta) { said += d.Text }); err != nil || said != "ab" {
		t.Errorf("said %q, %v", said, err)
	}
	res, err = m.Generate(t.Context(), ibid.ModelRequest{}, func(ibid.ModelDelta) {})
	if calls := res.Turn.Calls(); err != nil || len(calls) != 1 || calls[0].ID == "" || string(calls[0].Arguments) != "{}" || res.StopReason != ibid.StopTools {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err = m.Generate(t.Context(), ibid.ModelRequest{}, func(ibid.ModelDelta) {}); ibid.CodeOf(err) != ibid.CodeLLM || m.Left() != 0 {
		t.Errorf("an empty script gave %v", err)
	}
}
