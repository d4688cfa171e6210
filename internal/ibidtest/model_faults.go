package ibidtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ibid"
)

// emptyTurn: a malformed tool call comes back as an empty, successful turn.
func (h ModelHarness) emptyTurn(t *testing.T) {
	s := h.Serve(t, Reply{}, Reply{Reasoning: []string{"never closed"}}, Say("At last."))
	res, err := h.open(t, s).Generate(t.Context(), ask("weather?", suiteTools...), func(ibid.ModelDelta) {})
	if err != nil || res.Turn.Text() != "At last." || res.Usage.ModelRequests != 3 {
		t.Errorf("got %q after %d requests, %v", res.Turn.Text(), res.Usage.ModelRequests, err)
	}
	s = h.Serve(t, Reply{}, Reply{}, Reply{}, Say("too late"))
	_, err = h.open(t, s).Generate(t.Context(), ask("weather?", suiteTools...), func(ibid.ModelDelta) {})
	if e := new(ibid.Error); !errors.As(err, &e) || e.Code != ibid.CodeLLM || e.Retryable {
		t.Errorf("only empty turns gave %v", err)
	}
}

func (h ModelHarness) faults(t *testing.T) {
	overflow := `{"error":{"code":400,"message":"request (40900 tokens) exceeds the available context size (32768 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":40900,"n_ctx":32768}}`
	for _, c := range []struct {
		name      string
		reply     Reply
		code      ibid.Code
		retryable bool
		after     int64
		partial   string
	}{
		{"torn", Reply{Text: []string{"a", "b"}, Fault: FaultCut, FaultAt: 1}, ibid.CodeLLMUnavailable, true, 0, "a"},
		{"torn at once", Reply{Fault: FaultCut}, ibid.CodeLLMUnavailable, true, 0, ""},
		{"ended politely", Reply{Text: []string{"a", "b"}, Fault: FaultQuietEnd, FaultAt: 2}, ibid.CodeLLMUnavailable, true, 0, "ab"},
		{"garbage", Reply{Text: []string{"a", "b"}, Fault: FaultGarbage, FaultAt: 1}, ibid.CodeLLMUnavailable, true, 0, "a"},
		{"half a value", Reply{Text: []string{"a", "b"}, Fault: FaultHalfJSON, FaultAt: 1}, ibid.CodeLLMUnavailable, true, 0, "a"},
		{"error inside", Reply{Text: []string{"a"}, Fault: FaultErrorInside, FaultAt: 1}, ibid.CodeLLMUnavailable, true, 0, "a"},
		{"error inside at once", Reply{Fault: FaultErrorInside}, ibid.CodeLLMUnavailable, true, 0, ""},
		{"500", Reply{Fault: FaultStatus, Status: 500}, ibid.CodeLLMUnavailable, true, 0, ""},
		{"503", Reply{Fault: FaultStatus, Status: 503}, ibid.CodeLLMUnavailable, true, 0, ""},
		{"429", Reply{Fault: FaultStatus, Status: 429, RetryAfter: "7"}, ibid.CodeLLMUnavailable, true, 7000, ""},
		{"401", Reply{Fault: FaultStatus, Status: 401}, ibid.CodeLLM, false, 0, ""},
		{"page", Reply{Fault: FaultStatus, Status: 502, Body: "<html>Bad Gateway</html>"}, ibid.CodeLLMUnavailable, true, 0, ""},
		{"overflow", Reply{Fault: FaultStatus, Status: 400, Body: overflow}, ibid.CodeContextOverflow, false, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := h.Serve(t, c.reply)
			res, err := h.open(t, s).Generate(t.Context(), ask("hi"), func(ibid.ModelDelta) {})
			e := new(ibid.Error)
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, %v; want an *ibid.Error", res, err)
			}
			if e.Code != c.code || e.Retryable != c.retryable || e.RetryAfter != c.after {
				t.Errorf("got %s, retryable %v after %d ms: %v", e.Code, e.Retryable, e.RetryAfter, e)
			}
			if res.Turn.Text() != c.partial {
				t.Errorf("the turn so far is %q, want %q", res.Turn.Text(), c.partial)
			}
			if strings.Contains(err.Error(), "<html>") {
				t.Errorf("the error shows a page: %v", err)
			}
		})
	}
}

func (h ModelHarness) stall(t *testing.T) {
	s := h.Serve(t, Reply{Text: []string{"a", "b"}, Fault: FaultStall, FaultAt: 1})
	m := h.Open(t, s.URL, "test", patient, 50*time.Millisecond)
	res, err := m.Generate(t.Context(), ask("hi"), func(ibid.ModelDelta) {})
	if ibid.CodeOf(err) != ibid.CodeTimeout || res.Turn.Text() != "a" {
		t.Errorf("got %q, %v; want a TIMEOUT after %q", res.Turn.Text(), err, "a")
	}
	s.Await(t, "the client leave", func(st ServerStats) bool { return st.Disconnects == 1 && st.Open == 0 })
}

func (h ModelHarness) wedge(t *testing.T) {
	s := h.Serve(t, Reply{Fault: FaultWedge}, Say("unwedged"), Say("unwedged"))
	m := h.Open(t, s.URL, "test", 200*time.Millisecond, patient)
	res, err := m.Generate(t.Context(), ask("hi"), func(ibid.ModelDelta) {})
	if s.Stats().Unloads > 0 { // the protocol has a way out
		if err != nil || res.Turn.Text() != "unwedged" {
			t.Errorf("after unloading: %q, %v", res.Turn.Text(), err)
		}
		return
	}
	if ibid.CodeOf(err) != ibid.CodeTimeout {
		t.Errorf("got %v, want a TIMEOUT", err)
	}
}

// cancel: when Generate returns, the connection is closed, and the server makes
// nothing more for it.
func (h ModelHarness) cancel(t *testing.T) {
	gate := NewGate(3)
	s := h.Serve(t, Reply{Text: []string{"tick ", "tock "}, Endless: true, Gate: gate})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-gate.Reached()
		cancel()
	}()
	var got heard
	res, err := h.open(t, s).Generate(ctx, ask("go on"), got.emit)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	if res.Turn.Text() != got.text.String() || !strings.HasPrefix("tick tock tick ", res.Turn.Text()) {
		t.Errorf("returned %q, emitted %q", res.Turn.Text(), got.text.String())
	}
	s.Await(t, "the client leave", func(st ServerStats) bool { return st.Disconnects == 1 && st.Open == 0 })
	gate.Open()
	if st := s.Stats(); st.Sent != 3 || st.AfterDisconnect != 0 {
		t.Errorf("the server went on after the client had left: %+v", st)
	}
}

func (h ModelHarness) cancelEarly(t *testing.T) {
	gate := NewGate(0)
	s := h.Serve(t, Reply{Text: []string{"tick "}, Endless: true, Gate: gate})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-gate.Reached()
		cancel()
	}()
	if _, err := h.open(t, s).Generate(ctx, ask("go on"), func(ibid.ModelDelta) {}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	s.Await(t, "the client leave", func(st ServerStats) bool { return st.Disconnects == 1 && st.Open == 0 && st.Sent == 0 })
}

func (h ModelHarness) nobodyThere(t *testing.T) {
	m := h.Open(t, "http://127.0.0.1:1", "test", patient, patient) // port 1: nothing listens
	_, err := m.Generate(t.Context(), ask("hi"), func(ibid.ModelDelta) {})
	e := new(ibid.Error)
	if !errors.As(err, &e) || e.Code != ibid.CodeLLMUnavailable || !e.Retryable || e.Hint == "" {
		t.Errorf("got %v, want LLM_UNAVAILABLE with a hint", err)
	}
}

func (h ModelHarness) unknownModel(t *testing.T) {
	s := h.Serve(t)
	_, err := h.Open(t, s.URL, "nope", patient, patient).Generate(t.Context(), ask("hi"), func(ibid.ModelDelta) {})
	e := new(ibid.Error)
	if !errors.As(err, &e) || e.Code != ibid.CodeLLM || e.Retryable || e.Hint == "" || !strings.Contains(e.Error(), "nope") {
		t.Errorf("got %v, want an LLM_ERROR with a hint", err)
	}
}
