package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/llm"
)

// canned answers every request to generate with the same bytes.
type canned struct {
	contentType string
	body        []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.contentType}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(c.body))}
	if !strings.HasSuffix(r.URL.Path, "/chat") && !strings.HasSuffix(r.URL.Path, "/completions") {
		resp.StatusCode = http.StatusNotFound
	}
	return resp, nil
}

// FuzzStreams: whatever a server streams, Generate returns; what it emitted is
// what it returned; its errors are ours; and it takes nothing for a success that
// lacks the protocol's terminal marker.
func FuzzStreams(f *testing.F) {
	for _, body := range ibidtest.TranscriptBodies(8 << 10) {
		f.Add(body, true, false)
		f.Add(body, false, true)
	}
	f.Add([]byte(`{"message":{"content":"<think>a</think>b"},"done":true}`), true, true)
	f.Add([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<tool_call>{\"},\"finish_reason\":\"stop\"}]}\n\n"), false, true)
	f.Fuzz(func(t *testing.T, body []byte, ollama, tools bool) {
		cfg := llm.Config{Spec: "openai:x@http://model.test/v1", Transport: canned{"text/event-stream", body}}
		marker := "finish_reason"
		if ollama {
			cfg = llm.Config{Spec: "ollama:x@http://model.test", Transport: canned{"application/x-ndjson", body}}
			marker = "done"
		}
		m, err := llm.Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		req := ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}, Think: ibid.ThinkOff}
		if tools {
			req.Tools = weather
		}
		var text strings.Builder
		res, err := m.Generate(t.Context(), req, func(d ibid.ModelDelta) { text.WriteString(d.Text) })
		if err != nil {
			if e := new(ibid.Error); !errors.As(err, &e) {
				t.Fatalf("%T is not one of our errors: %v", err, err)
			}
			return
		}
		if !bytes.Contains(bytes.ToLower(body), []byte(marker)) {
			t.Fatalf("a success without %q: %q", marker, body)
		}
		if !strings.HasSuffix(text.String(), res.Turn.Text()) { // earlier empty turns may have said white space
			t.Fatalf("emitted %q, returned %q", text.String(), res.Turn.Text())
		}
		for _, c := range res.Turn.Calls() {
			if c.ID == "" || !json.Valid(c.Arguments) {
				t.Fatalf("call %+v", c)
			}
		}
	})
}
