package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/llm"
)

// geminiServer answers batchEmbedContents as Google documents it, unless fail
// says otherwise.
func geminiServer(t *testing.T, fail func(w http.ResponseWriter) bool) (url string, requests *[]geminiBatch) {
	requests = new([]geminiBatch)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := geminiBatch{path: r.Method + " " + r.URL.Path, key: r.Header.Get("x-goog-api-key"), bearer: r.Header.Get("Authorization")}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		*requests = append(*requests, got)
		if fail != nil && fail(w) {
			return
		}
		var out []map[string]any
		for _, q := range got.Requests {
			values := make([]float64, 4)
			for i := range values {
				values[i] = float64(len(q.Content.Parts[0].Text)*(i+1)%7) + 0.5
			}
			out = append(out, map[string]any{"values": values})
		}
		json.NewEncoder(w).Encode(map[string]any{"embeddings": out})
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1beta", requests
}

type geminiBatch struct {
	path, key, bearer string
	Requests          []struct {
		Model                string
		TaskType             string
		OutputDimensionality int
		Content              struct{ Parts []struct{ Text string } }
	}
}

func TestGeminiEmbedder(t *testing.T) {
	url, requests := geminiServer(t, nil)
	e, err := llm.OpenEmbedder(llm.Config{Spec: "gemini:gemini-embedding-001@" + url, APIKey: "AIza-secret", Dimensions: 4})
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("x", i)
	}
	vectors, err := e.Embed(t.Context(), texts, ibid.EmbedPassage)
	if err != nil || len(vectors) != len(texts) || e.Dimensions() != 4 || e.Name() != "gemini/gemini-embedding-001-4" {
		t.Fatalf("%d vectors of %d dimensions, %s, %v", len(vectors), e.Dimensions(), e.Name(), err)
	}
	for i, v := range vectors {
		if length := math.Sqrt(dot(v, v)); math.Abs(length-1) > 1e-5 {
			t.Fatalf("vector %d has length %f", i, length)
		}
	}
	if _, err := e.Embed(t.Context(), []string{"what?"}, ibid.EmbedQuery); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i, r := range *requests {
		asked += len(r.Requests)
		want := "RETRIEVAL_DOCUMENT"
		if i == len(*requests)-1 {
			want = "RETRIEVAL_QUERY"
		}
		q := r.Requests[0]
		if r.path != "POST /v1beta/models/gemini-embedding-001:batchEmbedContents" || r.key != "AIza-secret" || r.bearer != "" ||
			len(r.Requests) > 100 || q.Model != "models/gemini-embedding-001" || q.TaskType != want || q.OutputDimensionality != 4 {
			t.Errorf("request %d: %+v", i, r)
		}
	}
	if asked != 101 {
		t.Errorf("%d texts were sent", asked)
	}
}

func TestGeminiRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		check  func(*ibid.Error) bool
	}{
		"no key": {403, `{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}`,
			func(e *ibid.Error) bool { return strings.Contains(e.Hint, "API key") && !e.Retryable }},
		"wrong key": {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`,
			func(e *ibid.Error) bool { return strings.Contains(e.Hint, "API key") && !e.Retryable }},
		"no model": {404, `{"error":{"code":404,"message":"models/nope is not found for API version v1beta","status":"NOT_FOUND"}}`,
			func(e *ibid.Error) bool { return strings.Contains(e.Hint, "model's name") && !e.Retryable }},
		"quota": {429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}`,
			func(e *ibid.Error) bool { return e.Retryable && e.RetryAfter == 34070 }},
		"too few": {200, `{"embeddings":[]}`, func(e *ibid.Error) bool { return strings.Contains(e.Error(), "0 embeddings for 1 texts") }},
		"zero":    {200, `{"embeddings":[{"values":[0,0]}]}`, func(e *ibid.Error) bool { return strings.Contains(e.Error(), "no length") }},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := geminiServer(t, func(w http.ResponseWriter) bool {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
				return true
			})
			e, err := llm.OpenEmbedder(llm.Config{Spec: "gemini:gemini-embedding-001@" + url, APIKey: "AIza-secret"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Embed(t.Context(), []string{"x"}, ibid.EmbedQuery)
			if f := new(ibid.Error); !errors.As(err, &f) || !tt.check(f) || strings.Contains(err.Error(), "AIza-secret") {
				t.Errorf("got %+v", err)
			}
		})
	}
	for _, cfg := range []llm.Config{{Spec: "gemini:x@http://example.org", APIKey: "k"}} {
		if _, err := llm.OpenEmbedder(cfg); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("a key would go over http: %v", err)
		}
	}
}

// keys is a transport that only looks at what would be sent.
type keys map[string]string

func (k keys) RoundTrip(r *http.Request) (*http.Response, error) {
	k[r.URL.Scheme+"://"+r.URL.Host] = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Goog-Api-Key")
	return &http.Response{StatusCode: http.StatusUnauthorized, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}, Request: r}, nil
}

// TestKeysOfTheEnvironmentGoToTheirOwnersOnly, and encrypted.
func TestKeysOfTheEnvironmentGoToTheirOwnersOnly(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-env")
	t.Setenv("GEMINI_API_KEY", "AIza-env")
	for spec, want := range map[string]struct{ to, key string }{
		"openai:x":                              {"https://api.openai.com", "sk-env"},
		"openai:x@http://api.openai.com":        {"http://api.openai.com", ""},
		"openai:x@https://example.org":          {"https://example.org", ""},
		"gemini:x":                              {"https://generativelanguage.googleapis.com", "AIza-env"},
		"gemini:x@https://example.org":          {"https://example.org", ""},
		"gemini:x@https://api.openai.com.evil/": {"https://api.openai.com.evil", ""},
	} {
		sent := keys{}
		e, err := llm.OpenEmbedder(llm.Config{Spec: spec, Transport: sent})
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if _, err := e.Embed(t.Context(), []string{"x"}, ibid.EmbedQuery); err == nil {
			t.Errorf("%s: no error", spec)
		}
		if key, ok := sent[want.to]; !ok || key != want.key {
			t.Errorf("%s: sent %v, want %q to %s", spec, sent, want.key, want.to)
		}
	}
}
