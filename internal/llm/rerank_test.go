package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/llm"
)

// The answers of these servers are as their manuals show them.
const (
	cohereAnswer = `{"id":"07734bd2","results":[{"index":2,"relevance_score":0.999},{"index":0,"relevance_score":0.32},{"index":1,"relevance_score":0}],"meta":{"billed_units":{"search_units":1}}}`
	vllmAnswer   = `{"id":"rerank-1","model":"m","usage":{"total_tokens":56},"results":[{"index":0,"document":{"text":"a"},"relevance_score":0.32},{"index":1,"document":{"text":"b"},"relevance_score":0},{"index":2,"document":{"text":"c"},"relevance_score":0.999}]}`
	llamaAnswer  = `{"model":"m","object":"list","usage":{"prompt_tokens":51},"results":[{"index":0,"relevance_score":0.32},{"index":1,"relevance_score":0},{"index":2,"relevance_score":0.999}]}`
	teiAnswer    = `[{"index":2,"score":0.999},{"index":0,"score":0.32},{"index":1,"score":0}]`
)

// rerankServer serves one path in one protocol, and refuses what else it gets as
// such servers do.
func rerankServer(t *testing.T, path, answer string, tei bool) (url string, got *[]map[string]any) {
	got = new([]map[string]any)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		body["authorization"] = r.Header.Get("Authorization")
		*got = append(*got, body)
		_, texts := body["texts"]
		switch {
		case r.Method != http.MethodPost || r.URL.Path != path:
			w.WriteHeader(http.StatusNotFound)
		case texts != tei:
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, "Failed to deserialize the JSON body into the target type: missing field `texts`")
		default:
			fmt.Fprint(w, answer)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, got
}

func TestRerankersOfEveryKind(t *testing.T) {
	for name, tt := range map[string]struct {
		path, answer string
		tei          bool
		spec         string // with the server's URL for %s
		calls        int    // for two searches
	}{
		"cohere":              {"/v2/rerank", cohereAnswer, false, "rerank-v3.5@%s/v2", 2},
		"jina":                {"/v1/rerank", cohereAnswer, false, "jina-reranker-v2-base-multilingual@%s/v1/rerank", 2},
		"vllm":                {"/v1/rerank", vllmAnswer, false, "BAAI/bge-reranker-base@%s", 2},
		"llama-server":        {"/v1/rerank", llamaAnswer, false, "%s", 2},
		"tei":                 {"/rerank", teiAnswer, true, "%s", 3},
		"tei by its full URL": {"/rerank", teiAnswer, true, "%s/rerank", 3},
	} {
		t.Run(name, func(t *testing.T) {
			url, got := rerankServer(t, tt.path, tt.answer, tt.tei)
			r, err := llm.OpenReranker(llm.Config{Spec: fmt.Sprintf(tt.spec, url), APIKey: "k"})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				scores, err := r.Rerank(context.Background(), "q", []string{"a", "b", "c"})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff([]float64{0.32, 0, 0.999}, scores); d != "" {
					t.Error(d)
				}
			}
			last := (*got)[len(*got)-1]
			if len(*got) != tt.calls || last["query"] != "q" || last["authorization"] != "Bearer k" {
				t.Errorf("%d calls, the last with %v", len(*got), last)
			}
			if model, _, ok := strings.Cut(tt.spec, "@"); ok && last["model"] != model {
				t.Errorf("asked for the model %v", last["model"])
			}
			if scores, err := r.Rerank(context.Background(), "q", nil); len(scores) > 0 || err != nil || len(*got) != tt.calls {
				t.Errorf("nothing to rerank: %v, %v", scores, err)
			}
		})
	}
}

func TestRerankersThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		code   ibid.Code
		says   string
	}{
		"key":         {401, `{"message":"invalid api token k-secret"}`, ibid.CodeLLM, "check the API key"},
		"no path":     {404, ``, ibid.CodeLLM, "check the model's name and the URL"},
		"limit":       {429, `{"message":"slow down"}`, ibid.CodeLLMUnavailable, "slow down"},
		"no JSON":     {200, `<html>`, ibid.CodeLLMUnavailable, "not its protocol"},
		"too few":     {200, `{"results":[{"index":0,"relevance_score":1}]}`, ibid.CodeLLMUnavailable, "1 scores for 2 texts"},
		"twice":       {200, `[{"index":0,"score":1},{"index":0,"score":1}]`, ibid.CodeLLMUnavailable, "double"},
		"not asked":   {200, `[{"index":0,"score":1},{"index":7,"score":1}]`, ibid.CodeLLMUnavailable, "text 7"},
		"no score":    {200, `[{"index":0,"score":1},{"index":1}]`, ibid.CodeLLMUnavailable, "missing"},
		"broken json": {200, `{"results":`, ibid.CodeLLMUnavailable, "not its protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			defer srv.Close()
			r, err := llm.OpenReranker(llm.Config{Spec: srv.URL, APIKey: "k-secret"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Rerank(context.Background(), "q", []string{"a", "b"})
			if err == nil || ibid.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "k-secret") {
				t.Errorf("%v (%s), want %s and %q", err, ibid.CodeOf(err), tt.code, tt.says)
			}
		})
	}
}

// TestASilentRerankerIsLeft: a search does not wait for it for ever.
func TestASilentRerankerIsLeft(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer srv.Close()
	defer close(release)
	r, err := llm.OpenReranker(llm.Config{Spec: srv.URL, HeaderTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Rerank(context.Background(), "q", []string{"a"}); ibid.CodeOf(err) != ibid.CodeTimeout {
		t.Errorf("%v, want a time-out", err)
	}
}

func TestRerankerSpecs(t *testing.T) {
	for spec, name := range map[string]string{
		"http://127.0.0.1:8080":                 "rerank/127.0.0.1:8080",
		"rerank-v3.5@https://api.cohere.com/v2": "rerank/rerank-v3.5",
	} {
		if r, err := llm.OpenReranker(llm.Config{Spec: spec}); err != nil || r.Name() != name {
			t.Errorf("%s: %v, %v", spec, r, err)
		}
	}
	for _, spec := range []string{"", "cohere", "m@ftp://x", "http://", "a b@http://host"} {
		if _, err := llm.OpenReranker(llm.Config{Spec: spec}); ibid.CodeOf(err) != ibid.CodeBadRequest || !strings.Contains(err.Error(), "write off, maxsim") {
			t.Errorf("%q: %v", spec, err)
		}
	}
}
