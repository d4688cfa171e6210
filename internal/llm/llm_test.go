package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/llm"
)

func TestSpecs(t *testing.T) {
	for spec, name := range map[string]string{
		"ollama:qwen3:4b": "ollama/qwen3:4b",
		"ollama:qwen3":    "ollama/qwen3",
		"Ollama:hf.co/org/model:Q4@http://host:11434/": "ollama/hf.co/org/model:Q4",
		"openai:gpt-5": "openai/gpt-5",
		"openai:@cf/meta/llama-3@https://example.org/api": "openai/@cf/meta/llama-3",
		" openai:x@http://[::1]:8000/v1 ":                 "openai/x",
	} {
		m, err := llm.Open(llm.Config{Spec: spec})
		if err != nil || m.Name() != name {
			t.Errorf("%q: %v, %v", spec, m, err)
		}
		e, err := llm.OpenEmbedder(llm.Config{Spec: spec})
		if err != nil || e.Name() != name {
			t.Errorf("%q as an embedder: %v, %v", spec, e, err)
		}
	}
	for spec, why := range map[string]string{
		"":                                 "no provider",
		"qwen3":                            "no provider",
		"reader":                           "no provider",
		"claude:x":                         "no provider",
		"ollama":                           "name of the model",
		"ollama:":                          "name of the model",
		"ollama:@http://host":              "name of the model",
		"ollama:a b":                       "name of the model",
		"ollama:x@host:11434":              "must begin with http",
		"ollama:x@localhost:11434":         "must begin with http",
		"openai:x@myserver/v1":             "must begin with http",
		"openai:x@httpx://host":            "must begin with http",
		"openai:x@http://":                 "no host",
		"openai:x@http://:80":              "no host",
		"openai:x@http://u:secret@host/v1": "password",
		"openai:x@http://host/v1?key=abc":  "end with its path",
		"openai:x@http://ho st/":           "name of the model", // the @ is not that of a URL
	} {
		_, err := llm.Open(llm.Config{Spec: spec})
		e := new(ibid.Error)
		if !errors.As(err, &e) || e.Code != ibid.CodeBadRequest || e.Hint == "" {
			t.Errorf("%q: got %v", spec, err)
		} else if !strings.Contains(e.Message, why) && !strings.Contains(e.Message, "cannot be read") {
			t.Errorf("%q: got %q, want something about %q", spec, e.Message, why)
		}
	}
}

// TestKeyStaysSecret: the API key is sent, to nobody else's server by default,
// and never comes back in an error.
func TestKeyStaysSecret(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
	for _, provider := range []string{"ollama", "openai"} {
		var sent string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = r.Header.Get("Authorization")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, strings.TrimPrefix(sent, "Bearer "))
		}))
		defer srv.Close()
		for _, k := range []string{key, ""} {
			m, err := llm.Open(llm.Config{Spec: provider + ":x@" + srv.URL, APIKey: k})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}}, func(ibid.ModelDelta) {})
			e := new(ibid.Error)
			if !errors.As(err, &e) || e.Retryable || !strings.Contains(e.Hint, "API key") || strings.Contains(fmt.Sprintf("%+v", e), key) {
				t.Errorf("%s: got %+v", provider, err)
			}
			if want := map[string]string{key: "Bearer " + key, "": ""}[k]; sent != want {
				t.Errorf("%s: sent %q, want %q", provider, sent, want)
			}
		}
	}
}

func TestRetryAfterAsADate(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer srv.Close()
	m, err := llm.Open(llm.Config{Spec: "openai:x@" + srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}}, func(ibid.ModelDelta) {})
	e := new(ibid.Error)
	if !errors.As(err, &e) || e.RetryAfter < 50*60*1000 || e.RetryAfter > 60*60*1000 {
		t.Errorf("got %+v", err)
	}
}

// window returns the num_ctx of the requests to chat that a server saw.
func windows(t *testing.T, s *ibidtest.ModelServer) []int {
	var all []int
	for _, r := range s.Requests() {
		var in struct {
			Options struct {
				NumCtx int `json:"num_ctx"`
			}
			Truncate *bool
		}
		if err := json.Unmarshal(r.Body, &in); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(r.Path, "/api/chat") {
			all = append(all, in.Options.NumCtx)
			if in.Truncate == nil || *in.Truncate {
				t.Error("a prompt may be cut in silence")
			}
		}
	}
	return all
}

// TestOllamaWindow: the window is said, grows with the prompt, never shrinks,
// and stays within what the model can.
func TestOllamaWindow(t *testing.T) {
	overflow := ibidtest.Reply{Fault: ibidtest.FaultStatus, Status: 400,
		Body: `{"error":"{\"error\":{\"code\":400,\"message\":\"request (17000 tokens) exceeds the available context size (16384 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":17000,\"n_ctx\":16384}}"}`}
	s := ibidtest.OllamaServer(t, ibidtest.Say("a"), ibidtest.Say("b"), ibidtest.Say("c"), overflow, ibidtest.Say("d"), overflow)
	s.Models[0].ContextLength = 20000
	m, err := llm.Open(llm.Config{Spec: "ollama:test@" + s.URL, ContextTokens: 4096})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(bytes int) error {
		_, err := m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn(strings.Repeat("word ", bytes/5))}}, func(ibid.ModelDelta) {})
		return err
	}
	for _, bytes := range []int{100, 30_000, 100, 100} {
		if err := ask(bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(100); ibid.CodeOf(err) != ibid.CodeContextOverflow {
		t.Errorf("a prompt that never fits gave %v", err)
	}
	if got, want := fmt.Sprint(windows(t, s)), "[4096 16384 16384 16384 20000 20000]"; got != want {
		t.Errorf("windows %s, want %s", got, want)
	}
}

// TestOllamaUnwedges: one request to unload the model, then the question again.
func TestOllamaUnwedges(t *testing.T) {
	ibidtest.Patiently(t, 200*time.Millisecond, func(limit time.Duration) error { // which is also that of the second answer
		s := ibidtest.OllamaServer(t, ibidtest.Reply{Fault: ibidtest.FaultWedge}, ibidtest.Say("back"))
		m, err := llm.Open(llm.Config{Spec: "ollama:test@" + s.URL, HeaderTimeout: limit})
		if err != nil {
			return err
		}
		res, err := m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}}, func(ibid.ModelDelta) {})
		if err != nil || res.Turn.Text() != "back" {
			return fmt.Errorf("got %q, %v", res.Turn.Text(), err)
		}
		if st := s.Stats(); st.Unloads != 1 || st.Requests != 2 {
			return fmt.Errorf("the server saw %+v", st)
		}
		for _, r := range s.Requests() {
			if strings.Contains(string(r.Body), `"messages":[]`) && strings.Contains(string(r.Body), `"keep_alive":0`) {
				return nil
			}
		}
		return errors.New("nobody asked to unload the model")
	})
}

func TestTooLargeAnswer(t *testing.T) {
	for _, c := range []struct {
		provider string
		serve    func(testing.TB, ...ibidtest.Reply) *ibidtest.ModelServer
	}{{"ollama", ibidtest.OllamaServer}, {"openai", ibidtest.OpenAIServer}} {
		s := c.serve(t, ibidtest.Reply{Text: []string{strings.Repeat("x", 1000)}, Endless: true})
		m, err := llm.Open(llm.Config{Spec: c.provider + ":test@" + s.URL, MaxResponseBytes: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}}, func(ibid.ModelDelta) {})
		if e := new(ibid.Error); !errors.As(err, &e) || e.Code != ibid.CodeLLM || e.Retryable {
			t.Errorf("%s: got %v", c.provider, err)
		}
		s.Await(t, "the client leave", func(st ibidtest.ServerStats) bool { return st.Open == 0 })
	}
}

// TestOpenAIFallsBack: fields that a server refuses are left out, and stay out.
func TestOpenAIFallsBack(t *testing.T) {
	var bodies []map[string]any
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, body)
		for _, field := range []string{"reasoning_effort", "chat_template_kwargs", "stream_options", "response_format", "max_tokens"} {
			if body[field] != nil {
				name := field
				if field == "max_tokens" {
					name = "max_tokens, use max_completion_tokens"
				}
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"message":"Unsupported parameter: %s","type":"invalid_request_error"}}`, name)
				return
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	m, err := llm.Open(llm.Config{Spec: "openai:x@" + srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	req := ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}, Think: ibid.ThinkOff, Schema: []byte(`{"type":"object"}`), MaxTokens: 9}
	for range 2 {
		if res, err := m.Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil || res.Turn.Text() != "{}" {
			t.Fatalf("got %q, %v after %d requests", res.Turn.Text(), err, len(bodies))
		}
	}
	last := bodies[len(bodies)-1]
	if len(bodies) != 8 || last["max_completion_tokens"] != 9.0 {
		t.Errorf("%d requests, the last %v", len(bodies), last)
	}
	if system := fmt.Sprint(last["messages"]); !strings.Contains(system, `"type":"object"`) {
		t.Errorf("the schema is lost: %s", system)
	}
}

// TestReasoningGoesBackToItsField: a model that insists on its thinking between
// tool calls gets it in the field it came in, and no other model does.
func TestReasoningGoesBackToItsField(t *testing.T) {
	s := ibidtest.OpenAIServer(t,
		ibidtest.Reply{Reasoning: []string{"I need the weather."}, Calls: []ibid.ToolCall{{ID: "c1", Name: "get_weather", Arguments: []byte(`{}`)}}},
		ibidtest.Say("Fine."), ibidtest.Say("Fine."))
	s.Models = append(s.Models, ibidtest.ServedModel{Name: "other", Capabilities: ibidtest.AllCapabilities})
	m, err := llm.Open(llm.Config{Spec: "openai:test@" + s.URL})
	if err != nil {
		t.Fatal(err)
	}
	req := ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("weather?")}, Tools: weather, Think: ibid.ThinkOn}
	res, err := m.Generate(t.Context(), req, func(ibid.ModelDelta) {})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(res.Turn) // through the log and back
	if err != nil {
		t.Fatal(err)
	}
	var turn ibid.Turn
	if err := json.Unmarshal(raw, &turn); err != nil {
		t.Fatal(err)
	}
	req.Turns = append(req.Turns, turn, ibid.Turn{Role: ibid.RoleTool, Parts: []ibid.Part{{Result: &ibid.ToolResult{CallID: "c1", Name: "get_weather", Content: "21"}}}})
	if _, err := m.Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	other, err := llm.Open(llm.Config{Spec: "openai:other@" + s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Generate(t.Context(), req, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	requests := s.Script.Requests()
	if got := requests[1].Turns[1].Reasoning(); got != "I need the weather." {
		t.Errorf("the model got %q back", got)
	}
	if got := requests[2].Turns[1].Reasoning(); got != "" {
		t.Errorf("another model got %q", got)
	}
}

func TestEmbedders(t *testing.T) {
	for _, c := range []struct {
		provider string
		serve    func(testing.TB, ...ibidtest.Reply) *ibidtest.ModelServer
	}{{"ollama", ibidtest.OllamaServer}, {"openai", ibidtest.OpenAIServer}} {
		t.Run(c.provider, func(t *testing.T) {
			s := c.serve(t)
			s.EmbedLimit = 40
			e, err := llm.OpenEmbedder(llm.Config{Spec: c.provider + ":test@" + s.URL})
			if err != nil {
				t.Fatal(err)
			}
			if e.Dimensions() != 0 {
				t.Errorf("%d dimensions before anyone asked", e.Dimensions())
			}
			texts := []string{"the oil embargo", "", strings.Repeat("oil embargo and more ", 40)}
			for i := range 150 {
				texts = append(texts, fmt.Sprintf("sentence number %d", i))
			}
			vectors, err := e.Embed(t.Context(), texts, ibid.EmbedPassage)
			if err != nil || len(vectors) != len(texts) || e.Dimensions() != ibidtest.EmbedDimensions {
				t.Fatalf("%d vectors of %d dimensions, %v", len(vectors), e.Dimensions(), err)
			}
			for i, v := range vectors {
				if length := math.Sqrt(dot(v, v)); math.Abs(length-1) > 1e-3 {
					t.Fatalf("vector %d has length %f", i, length)
				}
			}
			query, err := e.Embed(t.Context(), []string{"oil embargo"}, ibid.EmbedQuery)
			if err != nil {
				t.Fatal(err)
			}
			if near, far := dot(query[0], vectors[0]), dot(query[0], vectors[10]); near <= far {
				t.Errorf("the vectors are out of order: %f for the right text, %f for another", near, far)
			}
			if none, err := e.Embed(t.Context(), nil, ibid.EmbedQuery); err != nil || len(none) != 0 {
				t.Errorf("no texts gave %v, %v", none, err)
			}
			missing, err := llm.OpenEmbedder(llm.Config{Spec: c.provider + ":nope@" + s.URL})
			if err != nil {
				t.Fatal(err)
			}
			_, err = missing.Embed(t.Context(), []string{"x"}, ibid.EmbedQuery)
			if f := new(ibid.Error); !errors.As(err, &f) || f.Hint == "" || f.Retryable {
				t.Errorf("an unknown model gave %v", err)
			}
		})
	}
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestEmbedderPrefixes: models that tell questions from passages are told.
func TestEmbedderPrefixes(t *testing.T) {
	s := ibidtest.OllamaServer(t)
	s.Models[0].Name = "nomic-embed-text"
	e, err := llm.OpenEmbedder(llm.Config{Spec: "ollama:nomic-embed-text@" + s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range []ibid.EmbedUse{ibid.EmbedQuery, ibid.EmbedPassage} {
		if _, err := e.Embed(t.Context(), []string{"oil"}, use); err != nil {
			t.Fatal(err)
		}
	}
	requests := s.Requests()
	for i, want := range []string{"search_query: oil", "search_document: oil"} {
		if !strings.Contains(string(requests[i].Body), want) {
			t.Errorf("sent %s, want %q in it", requests[i].Body, want)
		}
	}
}

func TestEmbedderRefusesNonsense(t *testing.T) {
	for name, body := range map[string]string{
		"too few":  `{"embeddings":[[1,0]]}`,
		"uneven":   `{"embeddings":[[1,0],[1]]}`,
		"zero":     `{"embeddings":[[0,0],[1,0]]}`,
		"empty":    `{"embeddings":[[],[]]}`,
		"no JSON":  `<html>`,
		"an error": `{"error":"no"}`,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }))
		defer srv.Close()
		e, err := llm.OpenEmbedder(llm.Config{Spec: "ollama:x@" + srv.URL})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := e.Embed(t.Context(), []string{"a", "b"}, ibid.EmbedQuery); ibid.CodeOf(err) != ibid.CodeLLMUnavailable {
			t.Errorf("%s: got %v, %v", name, v, err)
		}
	}
}
