package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// Who chooses another embedder goes on searching with the old one until every
// chunk is embedded anew, and is told how far that has come.
func TestSwitchTheEmbedder(t *testing.T) {
	t.Parallel()
	model := ibidtest.OllamaServer(t)
	target, err := url.Parse(model.URL)
	if err != nil {
		t.Fatal(err)
	}
	leave := make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/api/embed") {
			body, _ := io.ReadAll(r.Body) // so that a client that goes is noticed
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
			select {
			case <-leave:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()

	h := newHouse(t)
	words := strings.Fields("walrus giraffe pelican octopus beaver falcon lizard salmon badger ferret otter heron")
	for i, w := range words {
		h.file(w+".md", fmt.Sprintf("The %s lives near the %s and eats what the %s leaves.", w, words[(i+1)%len(words)], words[(i+5)%len(words)]))
	}
	first, base := h.serve("--embedder", "lsa", "--add", "docs")
	awaitEmbedder := func(base, what string, ok func(api.EmbedderStatus) bool) api.EmbedderStatus {
		t.Helper()
		for deadline := time.Now().Add(hang); ; time.Sleep(10 * time.Millisecond) {
			var status api.Status
			getInto(t, base+"/v1/status", &status)
			if ok(status.Embedder) {
				return status.Embedder
			}
			if time.Now().After(deadline) {
				t.Fatalf("never: %s; the embedder is %+v", what, status.Embedder)
			}
		}
	}
	builtIn := awaitEmbedder(base, "the built-in one is fitted", func(e api.EmbedderStatus) bool { return e.Serving != "" && e.Chunks == 12 && e.Embedded == 12 })
	first.cmd.Process.Signal(os.Interrupt)
	first.end()

	_, base = h.serve("--embedder", "ollama:test@"+server.URL)
	at := awaitEmbedder(base, "the built-in one serves", func(e api.EmbedderStatus) bool { return e.Serving != "" })
	if at.Serving != builtIn.Serving || at.Embedder != "ollama/test" || at.Embedded != 0 || at.Chunks != 12 {
		t.Errorf("the embedder is %+v", at)
	}
	if out := h.must("search", "--mode", "vector", "walrus"); !strings.Contains(out, "of 12 chunks, mode vector") {
		t.Errorf("search said:\n%s", out)
	}
	if out := h.must("doctor"); !strings.Contains(out, "0 of 12 chunks embedded by ollama/test; search uses the built-in one until then") {
		t.Errorf("doctor said:\n%s", out)
	}
	close(leave)
	awaitEmbedder(base, "the new one serves", func(e api.EmbedderStatus) bool {
		return e.Serving == "ollama/test" && e.Embedded == 12 && e.Error == ""
	})
	if out := h.must("search", "--mode", "vector", "walrus"); !strings.Contains(out, "of 12 chunks, mode vector") {
		t.Errorf("search said:\n%s", out)
	}
	if out := h.must("doctor"); !strings.Contains(out, "ollama/test answers with") {
		t.Errorf("doctor said:\n%s", out)
	}
}
