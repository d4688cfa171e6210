package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid"
	"ibid/internal/fetch"
)

// fetchTime bounds how long a page that the user has named may take.
const fetchTime = 2 * time.Minute

// fetchTyped gets a page that the user has typed on the command line. Who types
// the name of a host in the local network means it, so that host is allowed for
// this fetch, and no other: neither does a public page lead into the network, nor
// does one local host lead to the next.
func fetchTyped(ctx context.Context, cfg Config, rawURL string) (fetch.Page, error) {
	allow := hostList(cfg.WebHosts)
	if u, err := url.Parse(rawURL); err == nil && fetch.IsLocal(ctx, u.Hostname()) {
		allow = append(allow, u.Hostname())
	}
	f, err := fetch.New(fetch.Config{MaxBytes: int64(cfg.Limits.FileMB) << 20, Timeout: fetchTime, Allow: allow, AnyPort: true,
		UserAgent: "ibid/" + versionText(), Proxy: http.ProxyFromEnvironment})
	if err != nil {
		return fetch.Page{}, err
	}
	page, err := f.Get(ctx, rawURL)
	var known *ibid.Error
	if errors.As(err, &known) && strings.HasPrefix(known.Message, "the page is larger") {
		known.Hint = "raise limits.file_mb to take it in"
	}
	return page, err
}

// hostList reads web_hosts.
func hostList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
