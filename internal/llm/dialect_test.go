package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/llm"
)

// telegraph is a dialect that only this test speaks. A request is {"to", "wish",
// "how", "shape", "words": […]}; an answer is events {"word"}, {"thought"}, {"use",
// "with"}, {"trouble"} and {"stop"}.
func telegraph() llm.Dialect {
	return llm.Dialect{
		Name: "telegraph", Form: "telegraph:STATION", Server: "The telegraph", Base: "http://127.0.0.1:1",
		Key:      llm.Key{Header: "X-Telegraph-Key"},
		Header:   map[string]string{"X-Telegraph": "1844"},
		Absent:   "is the line up?",
		Endpoint: func(station string) string { return "/send/" + station },
		Thinking: func(t ibid.Think) []any {
			if t == ibid.ThinkOn {
				return []any{"slowly", "fast", nil}
			}
			return []any{nil}
		},
		Body: func(req llm.Asked) any {
			var words []string
			for _, t := range req.Turns {
				words = append(words, t.Text())
			}
			return map[string]any{"to": req.Model, "wish": req.System, "how": req.Thinking, "shape": req.Schema, "words": words, "short": req.Short}
		},
		Read:     func() llm.Reader { return &telegram{} },
		Refusals: llm.Refusals{Final: []string{"war"}, Schema: []string{"shape"}, Thinking: []string{"how"}, Length: []string{"long"}},
		Capabilities: func(info json.RawMessage) ibid.Capabilities {
			var told struct{ Length int }
			_ = json.Unmarshal(info, &told)
			return ibid.Capabilities{Tools: true, ContextTokens: told.Length}
		},
	}
}

type telegram struct{ stopped bool }

func (r *telegram) Event(data []byte, a *llm.Assembler) error {
	var e struct {
		Word, Thought, Use string
		With, Trouble      json.RawMessage
		Stop               bool
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch {
	case e.Trouble != nil:
		return llm.ServerError(data)
	case e.Stop:
		r.stopped = true
		return llm.ErrEnd
	case e.Use != "":
		a.AddCall("", e.Use, e.With)
	}
	a.AddReasoning(e.Thought)
	a.AddText(e.Word)
	a.Usage.OutputTokens++
	return nil
}

func (r *telegram) End(*llm.Assembler) llm.Ending { return llm.Ending{Complete: r.stopped} }

// A dialect is a record. One that nothing else knows is opened by its name, asked in
// its own words, asked again without what it refuses, read, and probed.
func TestAScratchDialectNeedsItsRecordOnly(t *testing.T) {
	var bodies []map[string]any
	refuse := []string{"how slowly", "no shape please", "not so long"}
	lines := `{"thought":"Hm."} {"word":"All "} {"word":"is well."} {"use":"calculator","with":{"a":1}} {"stop":true}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Telegraph") != "1844" || r.Header.Get("X-Telegraph-Key") != "secret" {
			t.Errorf("the headers are %v", r.Header)
		}
		if r.URL.Path == "/models/north" {
			fmt.Fprint(w, `{"length":77}`)
			return
		}
		if r.URL.Path != "/send/north" {
			t.Errorf("asked at %s", r.URL.Path)
		}
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, body)
		if len(refuse) > 0 {
			http.Error(w, `{"error":"`+refuse[0]+`"}`, http.StatusBadRequest)
			refuse = refuse[1:]
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, l := range strings.SplitAfter(lines, "} ") {
			fmt.Fprintf(w, "data: %s\n\n", strings.TrimSpace(l))
		}
	}))
	defer server.Close()
	cfg := llm.Config{Spec: "telegraph:north@" + server.URL, APIKey: "secret", Dialects: append(llm.Builtin(), telegraph())}
	m, err := llm.Open(cfg)
	if err != nil || m.Name() != "telegraph/north" {
		t.Fatalf("%v, %v", m, err)
	}
	var shown string
	ask := func() (ibid.ModelResponse, error) {
		shown = ""
		return m.Generate(t.Context(), ibid.ModelRequest{System: "Be brief.", Think: ibid.ThinkOn, Schema: json.RawMessage(`{"type":"string"}`),
			Turns: []ibid.Turn{ibid.UserTurn("How is the line?")}}, func(d ibid.ModelDelta) { shown += d.Text })
	}
	res, err := ask()
	if err != nil || res.Turn.Text() != "All is well." || shown != "All is well." || res.Turn.Reasoning() != "Hm." || res.StopReason != ibid.StopTools ||
		len(res.Turn.Calls()) != 1 || res.Turn.Calls()[0].Name != "calculator" || res.Usage.OutputTokens != 4 || res.Usage.ModelRequests != 1 {
		t.Errorf("answered %+v, %v", res, err)
	}
	if len(bodies) != 4 || bodies[0]["how"] != "slowly" || bodies[1]["how"] != "fast" || bodies[1]["shape"] == nil ||
		bodies[2]["shape"] != nil || !strings.Contains(fmt.Sprint(bodies[2]["wish"]), `{"type":"string"}`) || bodies[2]["short"] != false || bodies[3]["short"] != true {
		t.Errorf("asked %v", bodies)
	}
	// What was refused is remembered.
	if _, err := ask(); err != nil || len(bodies) != 5 || bodies[4]["how"] != "fast" || bodies[4]["short"] != true {
		t.Errorf("asked again %v, %v", bodies[4:], err)
	}
	for cut, want := range map[string]string{
		`{"word":"All "}`: "The telegraph (north) broke off in the middle",
		`{"word":"All "} {"trouble":"x","error":"the secret wire is down"}`: "The telegraph (north): the *** wire is down",
	} {
		lines = cut
		if _, err := ask(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", cut, err, want)
		}
	}
	refuse = []string{"war at the how"}
	if n := len(bodies); n > 0 {
		if _, err := ask(); ibid.CodeOf(err) != ibid.CodeLLM || len(bodies) != n+1 {
			t.Errorf("%v after %d requests", err, len(bodies)-n)
		}
	}
	caps, err := m.(ibid.Prober).Probe(t.Context())
	if err != nil || caps.ContextTokens != 77 || caps.Thinking {
		t.Errorf("probed %+v, %v", caps, err)
	}
	server.Close()
	if _, err := ask(); ibid.CodeOf(err) != ibid.CodeLLMUnavailable {
		t.Errorf("without a server: %v", err)
	}

	cfg.Spec = "pigeon:north"
	_, err = llm.Open(cfg)
	if err == nil || !strings.Contains(err.(*ibid.Error).Hint, "telegraph:STATION") {
		t.Errorf("another dialect: %v", err)
	}
	cfg.Spec = "telegraph:north"
	if _, err := llm.OpenEmbedder(cfg); err == nil || !strings.Contains(err.Error(), "The telegraph has no embedding models") {
		t.Errorf("an embedder: %v", err)
	}
	if slices.ContainsFunc(llm.Builtin(), func(d llm.Dialect) bool { return d.Name == "telegraph" }) {
		t.Error("the test has changed the dialects of others")
	}
}
