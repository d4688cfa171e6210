package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"ibid"
)

// What the engines answer, as they document it.
const (
	searxngAnswer = `{"query":"go","number_of_results":0,"results":[
 {"url":"https://go.dev/","title":"The Go <b>Programming</b> Language","content":"Go is &quot;simple&quot;.","engine":"duckduckgo","score":4.0,"category":"general"},
 {"url":"https://go.dev/","title":"again","content":""},
 {"url":"javascript:alert(1)","title":"evil","content":"x"},
 {"url":"https://user:pw@example.org/","title":"login","content":"x"},
 {"url":"https://example.org/x","title":"","content":null}],
 "answers":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[]}`
	braveAnswer = `{"type":"search","query":{"original":"go"},"web":{"type":"search","results":[
 {"type":"search_result","title":"The Go Programming Language","url":"https://go.dev/","description":"Go is <strong>simple</strong>.","language":"en"}]}}`
	tavilyAnswer = `{"query":"go","answer":null,"images":[],"follow_up_questions":null,"results":[
 {"title":"The Go Programming Language","url":"https://go.dev/","content":"Go is simple.","score":0.98,"raw_content":null}],"response_time":0.7}`
)

// engine is a server that answers one search, and keeps how it was asked.
type engine struct {
	*httptest.Server
	asked *http.Request
	body  map[string]any
}

func serve(t *testing.T, status int, answer string) *engine {
	e := &engine{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked = r.Clone(context.Background())
		json.NewDecoder(r.Body).Decode(&e.body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(e.Close)
	return e
}

func open(t *testing.T, spec, key string) *Engine {
	t.Helper()
	e, err := Open(Config{Spec: spec, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSearch(t *testing.T) {
	goDev := Result{"The Go Programming Language", "https://go.dev/", `Go is simple.`}
	quoted := goDev
	quoted.Snippet = `Go is "simple".`
	for _, c := range []struct {
		name, answer string
		want         []Result
		check        func(*engine) bool
	}{
		{"searxng", searxngAnswer, []Result{quoted, {"example.org", "https://example.org/x", ""}}, func(e *engine) bool {
			q := e.asked.URL.Query()
			return e.asked.URL.Path == "/search" && q.Get("q") == "go & co" && q.Get("format") == "json" && e.asked.Header.Get("Authorization") == "Bearer secret"
		}},
		{"brave", braveAnswer, []Result{goDev}, func(e *engine) bool {
			q := e.asked.URL.Query()
			return e.asked.URL.Path == "/res/v1/web/search" && q.Get("q") == "go & co" && q.Get("count") == "5" && e.asked.Header.Get("X-Subscription-Token") == "secret"
		}},
		{"brave", strings.Replace(braveAnswer, `"type":"search",`, "", 1), []Result{goDev}, func(*engine) bool { return true }}, // as proxies of it answer
		{"tavily", tavilyAnswer, []Result{goDev}, func(e *engine) bool {
			return e.asked.Method == http.MethodPost && e.asked.URL.Path == "/search" && e.body["query"] == "go & co" &&
				e.body["max_results"] == 5.0 && e.asked.Header.Get("Authorization") == "Bearer secret"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := serve(t, http.StatusOK, c.answer)
			got, err := open(t, c.name+":"+srv.URL, "secret").Search(context.Background(), "go & co", 5)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("found %+v (%v), want %+v", got, err, c.want)
			}
			if !c.check(srv) {
				t.Errorf("was asked %s %s with %v and %v", srv.asked.Method, srv.asked.URL, srv.asked.Header, srv.body)
			}
		})
	}
}

func TestNothingFound(t *testing.T) {
	for name, answer := range map[string]string{"searxng": `{"results":[]}`, "brave": `{"type":"search","query":{}}`, "tavily": `{"results":[]}`} {
		srv := serve(t, http.StatusOK, answer)
		got, err := open(t, name+":"+srv.URL, "k").Search(context.Background(), "q", 5)
		if err != nil || got == nil || len(got) != 0 {
			t.Errorf("%s: %v (%v), want an empty list", name, got, err)
		}
	}
}

// Whatever goes wrong is one of our errors, says how to mend it, and does not
// give the key away.
func TestFailures(t *testing.T) {
	const key = "tvly-very-secret"
	for _, c := range []struct {
		name   string
		status int
		answer string
		code   ibid.Code
		hint   string
	}{
		{"searxng", 403, "<html>", ibid.CodeLLM, "formats: [html, json]"},
		{"searxng", 200, "<html>a page</html>", ibid.CodeLLM, "right address"},
		{"searxng", 200, `{"error":"none"}`, ibid.CodeLLM, "right address"},
		{"brave", 422, `{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"` + key + `"}}`, ibid.CodeLLM, "web_search_key"},
		{"brave", 429, `{}`, ibid.CodeLLMUnavailable, "allowance"},
		{"tavily", 401, `{"detail":{"error":"Unauthorized: ` + key + `"}}`, ibid.CodeLLM, "web_search_key"},
		{"tavily", 432, `{}`, ibid.CodeLLMUnavailable, "allowance"},
		{"tavily", 502, `bad gateway`, ibid.CodeLLMUnavailable, ""},
		{"tavily", 302, ``, ibid.CodeLLM, "elsewhere"},
	} {
		srv := serve(t, c.status, c.answer)
		_, err := open(t, c.name+":"+srv.URL, key).Search(context.Background(), "q", 5)
		var ours *ibid.Error
		if !errors.As(err, &ours) || ours.Code != c.code || !strings.Contains(ours.Hint, c.hint) || strings.Contains(err.Error(), key) {
			t.Errorf("%s %d: error is %v, want %s with %q and without the key", c.name, c.status, err, c.code, c.hint)
		}
	}
}

func TestUnreachable(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	if _, err := open(t, "searxng:"+srv.URL, "").Search(context.Background(), "q", 5); ibid.CodeOf(err) != ibid.CodeLLMUnavailable {
		t.Errorf("error of a server that is down: %v", err)
	}
	gone := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	}))
	defer slow.Close()
	defer close(gone)
	e, err := Open(Config{Spec: "searxng:" + slow.URL, Timeout: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Search(context.Background(), "q", 5); ibid.CodeOf(err) != ibid.CodeTimeout {
		t.Errorf("error of a server that is silent: %v", err)
	}
}

func TestOpen(t *testing.T) {
	t.Setenv("BRAVE_API_KEY", "")
	for _, spec := range []string{"", "google", "searxng", "searxng:ftp://x", "searxng:http://a:b@x", "searxng:nothing"} {
		if _, err := Open(Config{Spec: spec}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("%q: %v", spec, err)
		}
	}
	if _, err := Open(Config{Spec: "brave:http://example.org", Key: "k"}); err == nil {
		t.Error("a key would be sent over http")
	}
	if _, err := open(t, "brave", "").Search(context.Background(), "q", 1); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("without a key: %v", err)
	}
	t.Setenv("BRAVE_API_KEY", "from-env")
	if e := open(t, "brave", ""); e.key != "from-env" {
		t.Error("the key of the environment is not used")
	}
}
