package server

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPageIsPacked(t *testing.T) {
	script := strings.Repeat("export const answer = 42;\n", 1000)
	s := New(Config{Page: fstest.MapFS{
		"index.html":      {Data: []byte("<!doctype html>")},
		"assets/app.js":   {Data: []byte(script)},
		"assets/cmap.bin": {Data: []byte(strings.Repeat("x", 10_000))},
	}})
	get := func(path, accept, ranged string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", accept)
		if ranged != "" {
			r.Header.Set("Range", ranged)
		}
		w := httptest.NewRecorder()
		s.page().ServeHTTP(w, r)
		return w
	}
	w := get("/assets/app.js", "br, gzip;q=0.8", "")
	z, err := gzip.NewReader(w.Body)
	if err != nil || w.Header().Get("Content-Encoding") != "gzip" || !strings.Contains(w.Header().Get("Content-Type"), "javascript") {
		t.Fatalf("%v with %v", err, w.Header())
	}
	if body, err := io.ReadAll(z); err != nil || string(body) != script {
		t.Errorf("%v, %d bytes instead of %d", err, len(body), len(script))
	}
	if w.Header().Get("Vary") != "Accept-Encoding" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("headers %v", w.Header())
	}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"not wanted": get("/assets/app.js", "br", ""),
		"refused":    get("/assets/app.js", "gzip;q=0", ""),
		"a part":     get("/assets/app.js", "gzip", "bytes=0-9"),
		"no text":    get("/assets/cmap.bin", "gzip", ""),
		"small":      get("/", "gzip", ""),
	} {
		if w.Header().Get("Content-Encoding") != "" || w.Code >= 300 || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
}

// A page of another site that has its name point here gets nothing of ours.
func TestThePageIsForOurOwnNames(t *testing.T) {
	site := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}
	for _, tt := range []struct {
		token, host string
		want        int
	}{
		{"", "evil.example", 403}, {"", "127.0.0.1.evil.example:8080", 403}, {"", "", 403},
		{"", "127.0.0.1:8080", 200}, {"", "[::1]:8080", 200}, {"", "LOCALHOST", 200}, {"secret", "ibid.example", 200},
	} {
		r := httptest.NewRequest(http.MethodGet, "/t/1", nil)
		r.Host = tt.host
		w := httptest.NewRecorder()
		New(Config{Page: site, Token: tt.token}).Handler().ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("host %q, token %q: %d", tt.host, tt.token, w.Code)
		}
	}
}
