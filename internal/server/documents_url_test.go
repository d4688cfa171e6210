package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid/internal/fetch"
	"ibid/internal/server"
)

// A document may be named by its URL; the server fetches it, but nothing of its
// own network that it was not told to.
func TestAddURL(t *testing.T) {
	text := "The notice period is three months."
	mux := http.NewServeMux()
	mux.HandleFunc("GET /doc/guide.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	web := httptest.NewServer(mux)
	defer web.Close()
	fetcher := func(allow ...string) func(*server.Config) {
		f, err := fetch.New(fetch.Config{Allow: allow})
		if err != nil {
			t.Fatal(err)
		}
		return func(c *server.Config) { c.Fetcher = f }
	}
	add := func(h *house, body string) (int, map[string]any) {
		return h.call("POST", "/v1/documents", body, "Content-Type", "application/json; charset=utf-8")
	}

	h := openHouse(t, fullAnswer, fetcher(strings.TrimPrefix(web.URL, "http://")))
	page := fmt.Sprintf(`{"url":%q,"category":"work","source":"/etc/passwd"}`, web.URL+"/doc/guide.txt")
	status, out := add(h, page)
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, out)
	}
	id := out["documents"].([]any)[0].(map[string]any)["id"].(string)
	if d := h.ready(id); d["name"] != "guide.txt" || d["source"] != web.URL+"/doc/guide.txt" || d["category"] != "work" {
		t.Errorf("document %v", d)
	}
	if _, out = add(h, page); out["documents"].([]any)[0].(map[string]any)["unchanged"] != true {
		t.Errorf("added again: %v", out)
	}
	text = "The notice period is four months."
	if _, out = add(h, page); out["documents"].([]any)[0].(map[string]any)["id"] != id {
		t.Errorf("added again after a change: %v", out)
	}
	h.ready(id)

	for body, want := range map[string]string{
		`{"url":"` + web.URL + `/nothing"}`: "404",
		`{"url":"file:///etc/passwd"}`:      "only http and https",
		`{"url":"http://10.0.0.1/"}`:        "its own network",
	} {
		status, out := add(h, body)
		if status != http.StatusUnprocessableEntity || !strings.Contains(fmt.Sprint(out["errors"]), want) {
			t.Errorf("%s: %d %v, want %q", body, status, out, want)
		}
	}
	for _, body := range []string{`{}`, `{"url":7}`, `[`, ``} {
		if status, out := add(h, body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", body, status, out)
		}
	}
	for _, cautious := range []*house{openHouse(t, fullAnswer, fetcher()), openHouse(t, fullAnswer)} {
		if status, out := add(cautious, page); status != http.StatusUnprocessableEntity || len(out["documents"].([]any)) != 0 {
			t.Errorf("%d %v", status, out)
		}
	}
}
