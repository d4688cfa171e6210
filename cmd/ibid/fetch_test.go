package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	mux := http.NewServeMux()
	serve := func(path, kind, disposition, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			if disposition != "" {
				w.Header().Set("Content-Disposition", disposition)
			}
			fmt.Fprint(w, body)
		})
	}
	serve("/{$}", "text/html; charset=utf-8", "", "<p>home")
	serve("/doc/guide", "text/html", "", "<p>guide")
	serve("/paper", "application/pdf", `attachment; filename="../../etc/The paper.pdf"`, "%PDF-")
	serve("/notes.md", "text/plain", "", "# notes")
	serve("/plain", "text/plain", "", "plain")
	serve("/page.htm", "text/html", "", "<p>")
	serve("/big", "text/plain", "", strings.Repeat("x", 1001))
	mux.HandleFunc("GET /moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/doc/guide", http.StatusFound) })
	mux.HandleFunc("GET /round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	host, _, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")

	f := newFetcher(1000)
	for path, want := range map[string]string{
		"/": host + ".html", "/doc/guide": "guide.html", "/paper": "The paper.pdf", "/notes.md": "notes.md",
		"/plain": "plain.txt", "/page.htm": "page.htm", "/moved": "guide.html",
	} {
		p, err := f.fetch(context.Background(), srv.URL+path)
		if err != nil || p.name != want || len(p.body) == 0 {
			t.Errorf("%s is fetched as %q, %d bytes (%v), want %q", path, p.name, len(p.body), err, want)
		}
	}
	for path, want := range map[string]string{
		"/big": "larger than 1000 B", "/round": "more than 5 redirects", "/nowhere": "404", "/file": "only http and https",
	} {
		if _, err := f.fetch(context.Background(), srv.URL+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %q", path, err, want)
		}
	}
	for _, bad := range []string{"ftp://example.org/x", "file:///etc/passwd", "http://", "https://%zz"} {
		if _, err := f.fetch(context.Background(), bad); err == nil {
			t.Errorf("%s was fetched", bad)
		}
	}
}

func TestRedirectIntoTheLocalNetwork(t *testing.T) {
	request := func(at string) *http.Request {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		return (&http.Request{URL: u}).WithContext(context.Background())
	}
	public, private := request("https://93.184.216.34/"), request("http://10.0.0.5/")
	for _, target := range []string{"http://127.0.0.1:8080/", "http://[::1]/", "http://192.168.1.1/", "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/", "http://0.0.0.0/"} {
		if err := checkRedirect(request(target), []*http.Request{public}); err == nil {
			t.Errorf("a public page may redirect to %s", target)
		}
		if err := checkRedirect(request(target), []*http.Request{private}); err != nil {
			t.Errorf("a private page may not redirect to %s: %v", target, err)
		}
	}
	if err := checkRedirect(request("https://93.184.216.35/"), []*http.Request{public}); err != nil {
		t.Error(err)
	}
}
