package llm_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/llm"
)

func openModel(t *testing.T, spec, key string) ibid.Model {
	t.Helper()
	m, err := llm.Open(llm.Config{Spec: spec, APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// thinkingRound asks a model that thinks and calls a tool, and asks it again with
// the result, as the log brings it back.
func thinkingRound(t *testing.T, first, second ibid.Model, change func(*ibid.Turn)) {
	t.Helper()
	req := ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("2+2?")}, Think: ibid.ThinkOn,
		Tools: []ibid.ToolSpec{{Name: "calculator", Parameters: []byte(`{"type":"object"}`)}}}
	res, err := first.Generate(t.Context(), req, func(ibid.ModelDelta) {})
	if err != nil {
		t.Fatal(err)
	}
	logged, err := json.Marshal(res.Turn)
	if err != nil {
		t.Fatal(err)
	}
	var turn ibid.Turn
	if err := json.Unmarshal(logged, &turn); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&turn)
	}
	req.Turns = append(req.Turns, turn, ibid.Turn{Role: ibid.RoleTool, Parts: []ibid.Part{{Result: &ibid.ToolResult{CallID: turn.Calls()[0].ID, Name: "calculator", Content: "4"}}}})
	if _, err := second.Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
}

func calling() ibidtest.Reply {
	return ibidtest.Reply{Reasoning: []string{"<add> & \"them\""}, Calls: []ibid.ToolCall{{ID: "toolu_1", Name: "calculator", Arguments: []byte(`{"a":1}`)}}}
}

// The thinking before a call goes back with its signature as it came, to the model
// that it came from and to nobody else, and not where the turn was changed since.
func TestAnthropicThinkingGoesBack(t *testing.T) {
	seen := func(s *ibidtest.ModelServer) string {
		requests := s.Requests()
		return string(requests[len(requests)-1].Body)
	}
	s := ibidtest.AnthropicServer(t, calling(), ibidtest.Say("4"))
	m := openModel(t, "anthropic:test@"+s.URL, "")
	thinkingRound(t, m, m, nil)
	var body struct {
		Messages []struct {
			Content []struct{ Type, Thinking, Signature, ID string }
		}
	}
	if err := json.Unmarshal([]byte(seen(s)), &body); err != nil {
		t.Fatal(err)
	}
	blocks := body.Messages[1].Content
	if len(blocks) != 2 || blocks[0].Type != "thinking" || blocks[0].Thinking != `<add> & "them"` || blocks[0].Signature != `sig+/=<add> & "them"` || blocks[1].ID != "toolu_1" {
		t.Errorf("sent back %+v", blocks)
	}

	s = ibidtest.AnthropicServer(t, calling(), ibidtest.Say("4"))
	m = openModel(t, "anthropic:test@"+s.URL, "")
	thinkingRound(t, m, m, func(turn *ibid.Turn) {
		for _, p := range turn.Parts {
			if p.Call != nil {
				p.Call.ID = "another"
			}
		}
	})
	if strings.Contains(seen(s), "signature") || !strings.Contains(seen(s), `"another"`) {
		t.Errorf("of a turn that was changed is sent back %s", seen(s))
	}

	s, other := ibidtest.AnthropicServer(t, calling()), ibidtest.OpenAIServer(t, ibidtest.Say("4"))
	thinkingRound(t, openModel(t, "anthropic:test@"+s.URL, ""), openModel(t, "openai:test@"+other.URL, ""), nil)
	if strings.Contains(seen(other), "sig+/=") || strings.Contains(seen(other), "them") {
		t.Errorf("another provider is sent %s", seen(other))
	}
}

func TestAnthropicHeadersAndKeys(t *testing.T) {
	s := ibidtest.AnthropicServer(t, ibidtest.Say("hi"))
	m := openModel(t, "anthropic:test@"+s.URL, "sk-ant-secret")
	if _, err := m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}}, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	h := s.Requests()[0].Header
	if h.Get("X-Api-Key") != "sk-ant-secret" || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" || m.Name() != "anthropic/test" {
		t.Errorf("sent %v as %s", h, m.Name())
	}
	if _, err := llm.Open(llm.Config{Spec: "anthropic:test@http://example.org/v1", APIKey: "k"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a key over http: %v", err)
	}
	if _, err := llm.OpenEmbedder(llm.Config{Spec: "anthropic:test"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("an embedder: %v", err)
	}
}

// What a model does not take is left out, and that is remembered.
func TestAnthropicDialects(t *testing.T) {
	var asked []map[string]any
	script := ibidtest.AnthropicServer(t, ibidtest.Say("one"), ibidtest.Say("two"))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		asked = append(asked, body)
		refuse := func(why string) {
			w.WriteHeader(http.StatusBadRequest)
			w.Write([]byte(`{"type":"error","error":{"type":"invalid_request_error","message":"` + why + `"}}`))
		}
		thinking, _ := body["thinking"].(map[string]any)
		switch {
		case thinking["type"] == "adaptive":
			refuse("thinking: adaptive is not supported on this model")
		case body["max_tokens"].(float64) > 8192:
			refuse("max_tokens: 20096 > 8192, which is the maximum allowed number of output tokens")
		default:
			raw, _ := json.Marshal(body)
			r.Body = http.NoBody
			again, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "/v1/messages", strings.NewReader(string(raw)))
			if err != nil {
				t.Error(err)
				return
			}
			script.ServeHTTP(w, again)
		}
	}))
	defer srv.Close()
	m := openModel(t, "anthropic:test@"+srv.URL+"/v1", "")
	for _, want := range []string{"one", "two"} {
		res, err := m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}, Think: ibid.ThinkOn}, func(ibid.ModelDelta) {})
		if err != nil || res.Turn.Text() != want {
			t.Fatalf("got %q, %v", res.Turn.Text(), err)
		}
	}
	if len(asked) != 5 { // two ways of thinking, the length, then it is known
		t.Errorf("asked %d times", len(asked))
	}
}
