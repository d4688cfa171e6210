package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// inProcess is the whole program within the test, on a data directory of its own.
type inProcess struct {
	t   *testing.T
	app *App
	url string
}

func openInProcess(t *testing.T, change func(*config.Config)) *inProcess {
	t.Helper()
	dir := t.TempDir()
	cfg := config.Default(ibidtest.Environment("HOME", dir))
	cfg.Data, cfg.LogLevel = dir, "error"
	change(&cfg)
	return reopenInProcess(t, cfg)
}

func reopenInProcess(t *testing.T, cfg config.Config) *inProcess {
	t.Helper()
	opened, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(opened.Handler())
	t.Cleanup(func() {
		srv.Close()
		if err := opened.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := opened.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &inProcess{t: t, app: opened.(*App), url: srv.URL}
}

// call makes a request and decodes the answer into out, unless that is nil.
func (p *inProcess) call(method, path string, body, out any) (status int, text string) {
	p.t.Helper()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, p.url+path, content)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if out != nil && resp.StatusCode < 300 {
		if err := json.Unmarshal(raw, out); err != nil {
			p.t.Fatalf("%s %s answers %s: %v", method, path, raw, err)
		}
	}
	return resp.StatusCode, string(raw)
}

// ask asks a question and returns the answer once it is complete.
func (p *inProcess) ask(thread string, body map[string]any) ibid.Message {
	p.t.Helper()
	var accepted struct {
		MessageID string `json:"message_id"`
	}
	if status, text := p.call("POST", "/v1/threads/"+thread+"/user_message", body, &accepted); status != http.StatusAccepted {
		p.t.Fatalf("the question was answered %d %s", status, text)
	}
	p.call("GET", "/v1/messages/"+accepted.MessageID+"/events?follow=true", nil, nil)
	var m ibid.Message
	p.call("GET", "/v1/messages/"+accepted.MessageID, nil, &m)
	return m
}

// testWeb is a SearXNG and the page that it finds, both on this machine.
func testWeb(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"query": r.URL.Query().Get("q"), "results": []map[string]string{
			{"title": "Lighthouses", "url": srv.URL + "/lighthouse?a=1&b=2", "content": "All about them"}}})
	})
	mux.HandleFunc("GET /lighthouse", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<html><head><title>The lighthouse</title><script>alert(1)</script></head><body><h1>The lighthouse of Skerry</h1>
<p>It stands on a rock.</p><p>The lighthouse of Skerry was built in 1844 by Alan Stevenson.</p></body></html>`)
	})
	return srv
}

func TestAnswerFromTheWeb(t *testing.T) {
	t.Parallel()
	srv := testWeb(t)
	p := openInProcess(t, func(c *config.Config) { c.WebSearch, c.WebHosts = "searxng:"+srv.URL, "127.0.0.1" })
	m := p.ask("t1", map[string]any{"input_text": "When was the lighthouse of Skerry built?", "force_tools": []string{"web_search"}})
	if m.Status != ibid.StatusCompleted || !strings.Contains(m.Text, "1844") || len(m.Citations) == 0 {
		t.Fatalf("the answer is %s %q, %d citations, steps %+v", m.Status, m.Text, len(m.Citations), m.Steps)
	}
	page := srv.URL + "/lighthouse?a=1&b=2"
	if c := m.Citations[0]; c.Kind != ibid.SourceWeb || c.URL != page || c.Title != "The lighthouse" || strings.Contains(c.Text, "alert") {
		t.Errorf("cited is %+v", c)
	}
	if len(m.Sources) != 1 || m.Sources[0].URL != page {
		t.Errorf("sources are %v", m.Sources)
	}
	var found struct {
		Checks []api.Check `json:"checks"`
	}
	p.call("GET", "/v1/doctor", nil, &found)
	if !strings.Contains(fmt.Sprint(found), "searxng answers") {
		t.Errorf("doctor says %v", found)
	}
}

// A local page is not read unless web_hosts names its host, and nothing of the
// web can be demanded where it is not set up.
func TestTheWebIsOffAndTheNetworkClosed(t *testing.T) {
	t.Parallel()
	srv := testWeb(t)
	p := openInProcess(t, func(c *config.Config) { c.WebSearch = "searxng:" + srv.URL })
	m := p.ask("t1", map[string]any{"input_text": "When was the lighthouse of Skerry built?", "force_tools": []string{"web_search"}})
	if strings.Contains(m.Text, "1844") || !strings.Contains(fmt.Sprint(m.Steps), "127.0.0.1 is this machine") && !strings.Contains(fmt.Sprint(m.Steps), "ports 80 and 443") {
		t.Errorf("a page of this machine was read: %q, %+v", m.Text, m.Steps)
	}
	off := openInProcess(t, func(*config.Config) {})
	for name, want := range map[string]string{"web_search": "set web_search", "no_such_tool": "no tool"} {
		status, text := off.call("POST", "/v1/threads/t/user_message", map[string]any{"input_text": "q", "force_tools": []string{name}}, nil)
		if status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("forcing %s answers %d %s", name, status, text)
		}
	}
}

// A language model is offered the tools of the web, and may follow only addresses
// that were found.
func TestModelReadsTheWeb(t *testing.T) {
	t.Parallel()
	srv := testWeb(t)
	page := srv.URL + "/lighthouse?a=1&b=2"
	p := openInProcess(t, func(c *config.Config) { c.WebSearch, c.WebHosts = "searxng:"+srv.URL, "127.0.0.1" })
	call := func(name string, args map[string]string) ibidtest.Reply {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return ibidtest.Reply{When: func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }, Calls: []ibid.ToolCall{{Name: name, Arguments: raw}}}
	}
	answer := call("", nil)
	answer.Calls, answer.Text = nil, ibidtest.Say("In 1844 [c1].").Text
	p.app.choices[0].model = ibidtest.NewScript(call("web_search", map[string]string{"query": "Skerry"}),
		call("fetch_url", map[string]string{"url": srv.URL + "/lighthouse?a=secret"}), call("fetch_url", map[string]string{"url": page}), answer)
	m := p.ask("t1", map[string]any{"input_text": "When was the lighthouse of Skerry built?", "think": "off"})
	if len(m.Steps) != 3 || m.Steps[1].OK || !m.Steps[2].OK || !strings.HasPrefix(m.Text, "In 1844 [c_") {
		t.Errorf("answered %q after %+v", m.Text, m.Steps)
	}
}

func TestDoctorAsksTheReranker(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"results":[{"index":0,"relevance_score":0.5}]}`)
	}))
	defer srv.Close()
	p := openInProcess(t, func(c *config.Config) { c.Rerank = "judge@" + srv.URL })
	if ch := p.app.checkReranker(t.Context()); ch.Level != api.LevelOK || !strings.Contains(ch.Message, "rerank/judge answers") {
		t.Errorf("doctor says %+v", ch)
	}
	status = http.StatusServiceUnavailable
	if ch := p.app.checkReranker(t.Context()); ch.Level != api.LevelFail || ch.Hint == "" {
		t.Errorf("of a server that is away doctor says %+v", ch)
	}
}

func TestFetchIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FetchTyped(ctx, config.Config{}, "http://127.0.0.1:1/"); err == nil {
		t.Error("a fetch goes on after its context has ended")
	}
}
