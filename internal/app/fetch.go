package app

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/fetch"
)

// fetchTime bounds how long a page that the user has named may take.
const fetchTime = 2 * time.Minute

// FetchTyped gets a page that the user has typed on the command line. Who types
// the name of a host in the local network means it, so that host is allowed for
// this fetch, and no other: neither does a public page lead into the network, nor
// does one local host lead to the next.
func FetchTyped(ctx context.Context, cfg config.Config, rawURL string) (fetch.Page, error) {
	allow := config.HostList(cfg.WebHosts)
	if u, err := url.Parse(rawURL); err == nil && fetch.IsLocal(ctx, u.Hostname()) {
		allow = append(allow, u.Hostname())
	}
	f, err := newFetcher(cfg, allow, true)
	if err != nil {
		return fetch.Page{}, err
	}
	return f.Get(ctx, rawURL)
}

// documentFetcher gets pages that are to become documents, whatever they are
// allowed to weigh as files.
type documentFetcher struct{ *fetch.Fetcher }

func newFetcher(cfg config.Config, allow []string, anyPort bool) (documentFetcher, error) {
	f, err := fetch.New(fetch.Config{MaxBytes: int64(cfg.Limits.FileMB) << 20, Timeout: fetchTime, Allow: allow, AnyPort: anyPort,
		UserAgent: "ibid/" + cfg.Version, Proxy: http.ProxyFromEnvironment, Endings: formats(cfg).Endings()})
	return documentFetcher{f}, err
}

// Get fetches a page, and says how what cannot be fetched could be.
func (f documentFetcher) Get(ctx context.Context, rawURL string) (fetch.Page, error) {
	page, err := f.Fetcher.Get(ctx, rawURL)
	var known *ibid.Error
	switch {
	case !errors.As(err, &known):
	case strings.HasPrefix(known.Message, "the page is larger"):
		known.Hint = "raise limits.file_mb to take it in"
	case known.Code == ibid.CodeForbidden:
		known.Hint = "name the host in web_hosts to allow it"
	}
	return page, err
}
