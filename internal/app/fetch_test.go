package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid/internal/app/config"
)

// The command fetches from the local network what the user has typed, and
// follows nobody into it.
func TestFetchTyped(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /doc/guide", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>guide")
	})
	mux.HandleFunc("GET /big", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 1<<20+1)) })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	mux.HandleFunc("GET /next-door", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(srv.URL, "127.0.0.1", "127.0.0.2", 1)+"/doc/guide", http.StatusFound)
	})

	var cfg config.Config
	cfg.Limits.FileMB = 1
	p, err := FetchTyped(context.Background(), cfg, srv.URL+"/doc/guide")
	if err != nil || p.Name != "guide.html" || string(p.Body) != "<p>guide" {
		t.Errorf("a page on this machine is fetched as %q (%v)", p.Name, err)
	}
	for path, want := range map[string]string{"/big": "limits.file_mb", "/next-door": "its own network", "/nowhere": "404"} {
		if _, err := FetchTyped(context.Background(), cfg, srv.URL+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %q", path, err, want)
		}
	}
}
