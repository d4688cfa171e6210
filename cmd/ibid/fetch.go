package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// fetcher gets pages of the web that the user has named. It is careful with
// what comes back: only http and https, a few redirects, a bounded size and
// time, and a public page cannot send us on to this machine or its network.
type fetcher struct {
	http     *http.Client
	maxBytes int64
}

const (
	fetchTime      = 2 * time.Minute
	fetchRedirects = 5
)

func newFetcher(maxBytes int64) *fetcher {
	return &fetcher{
		http:     &http.Client{Timeout: fetchTime, CheckRedirect: checkRedirect},
		maxBytes: maxBytes,
	}
}

// page is what a URL holds.
type page struct {
	name string // a file name whose ending tells the format
	body []byte
}

func (f *fetcher) fetch(ctx context.Context, rawURL string) (page, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return page{}, fmt.Errorf("this is no URL: %w", err)
	}
	if err := checkScheme(u); err != nil {
		return page{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return page{}, fmt.Errorf("fetch: %w", err)
	}
	req.Header.Set("User-Agent", "ibid/"+versionText())
	req.Header.Set("Accept", "text/html, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.5")
	resp, err := f.http.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the URL stands before it already
		}
		return page{}, fmt.Errorf("fetch: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return page{}, fmt.Errorf("fetch: the server answered %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, f.maxBytes+1))
	if err != nil {
		return page{}, fmt.Errorf("fetch: %w", err)
	}
	if int64(len(body)) > f.maxBytes {
		return page{}, fmt.Errorf("fetch: larger than %s; raise limits.file_mb to take it in", byteSize(f.maxBytes))
	}
	return page{name: pageName(resp), body: body}, nil
}

func checkScheme(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("only http and https can be fetched")
	}
	return nil
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > fetchRedirects {
		return fmt.Errorf("more than %d redirects", fetchRedirects)
	}
	if err := checkScheme(req.URL); err != nil {
		return err
	}
	ctx := req.Context()
	if isPrivate(ctx, req.URL.Hostname()) && !isPrivate(ctx, via[0].URL.Hostname()) {
		return fmt.Errorf("a public page redirects into the local network (%s), which is not followed", req.URL.Host)
	}
	return nil
}

// isPrivate reports whether a host is this machine or one of its own network.
func isPrivate(ctx context.Context, host string) bool {
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return false // then fetching it fails too
	}
	for _, a := range addrs {
		a = a.Unmap()
		if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() {
			return true
		}
	}
	return false
}

// pageName makes up a file name from what the server says, else from the URL.
// An ending that tells the format is added where there is none.
func pageName(resp *http.Response) string {
	name := path.Base(resp.Request.URL.Path)
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil && params["filename"] != "" {
		name = path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	}
	if name == "" || name == "." || name == "/" {
		name = resp.Request.URL.Hostname()
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	endings := map[string][]string{
		"text/html":             {".html", ".htm", ".xhtml"},
		"application/xhtml+xml": {".xhtml", ".html"},
		"application/pdf":       {".pdf"},
		"text/markdown":         {".md", ".markdown"},
	}
	if wanted, ok := endings[kind]; ok {
		for _, ending := range wanted {
			if strings.EqualFold(path.Ext(name), ending) {
				return name
			}
		}
		return name + wanted[0]
	}
	if path.Ext(name) == "" && kind == "text/plain" {
		return name + ".txt"
	}
	return name
}
