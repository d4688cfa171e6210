package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/llm"
)

// The signature of a call goes back with it as it came, to the model that it came
// from and to nobody else.
func TestGeminiSignaturesGoBack(t *testing.T) {
	last := func(s *ibidtest.ModelServer) string {
		requests := s.Requests()
		return string(requests[len(requests)-1].Body)
	}
	s := ibidtest.GeminiServer(t, calling(), ibidtest.Say("4"))
	m := openModel(t, "gemini:test@"+s.URL, "")
	thinkingRound(t, m, m, nil)
	var body struct {
		Contents []struct {
			Role  string
			Parts []struct {
				ThoughtSignature string
				Thought          bool
				FunctionCall     *struct{ Name string }
			}
		}
	}
	if err := json.Unmarshal([]byte(last(s)), &body); err != nil {
		t.Fatal(err)
	}
	parts := body.Contents[1].Parts
	if len(parts) < 1 || parts[0].ThoughtSignature != "sig+/=calculator" || parts[0].FunctionCall == nil || parts[0].Thought {
		t.Errorf("sent back %+v", body.Contents)
	}
	s, other := ibidtest.GeminiServer(t, calling()), ibidtest.AnthropicServer(t, ibidtest.Say("4"))
	thinkingRound(t, openModel(t, "gemini:test@"+s.URL, ""), openModel(t, "anthropic:test@"+other.URL, ""), nil)
	if strings.Contains(last(other), "sig+/=") {
		t.Errorf("another provider is sent %s", last(other))
	}
	// A call that has no signature is said to have none.
	third := ibidtest.GeminiServer(t, ibidtest.Say("4"))
	third.Models[0].Name = "gemini-3-test"
	from := ibidtest.AnthropicServer(t, calling())
	thinkingRound(t, openModel(t, "anthropic:test@"+from.URL, ""), openModel(t, "gemini:gemini-3-test@"+third.URL, ""), nil)
	if sent := last(third); !strings.Contains(sent, "skip_thought_signature_validator") || strings.Contains(sent, "sig+/=") {
		t.Errorf("a call of another model is sent as %s", sent)
	}
}

func TestGeminiKeyAndRefusals(t *testing.T) {
	s := ibidtest.GeminiServer(t, ibidtest.Say("hi"),
		ibidtest.Reply{Fault: ibidtest.FaultStatus, Status: 400, Body: `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`})
	ask := ibid.ModelRequest{Turns: []ibid.Turn{ibid.UserTurn("hi")}}
	m := openModel(t, "gemini:models/test@"+s.URL, "g-secret")
	if _, err := m.Generate(t.Context(), ask, func(ibid.ModelDelta) {}); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	if r.Header.Get("X-Goog-Api-Key") != "g-secret" || !strings.HasSuffix(r.Path, "/models/test:streamGenerateContent") || m.Name() != "gemini/test" {
		t.Errorf("asked %s with %v as %s", r.Path, r.Header, m.Name())
	}
	_, err := openModel(t, "gemini:test@"+s.URL, "").Generate(t.Context(), ask, func(ibid.ModelDelta) {})
	if err == nil || !strings.Contains(err.Error(), "GEMINI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
	if _, err := llm.Open(llm.Config{Spec: "gemini:test@http://example.org/v1beta", APIKey: "k"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a key over http: %v", err)
	}
}
