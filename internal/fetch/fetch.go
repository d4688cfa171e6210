// Package fetch gets pages of the web for people and models who name them. What
// is named may be hostile, and so may be what comes back: nothing but http and
// https is spoken, no address of this machine or of its network is reached (which
// is decided on the address that is dialled, so that a name may resolve to
// whatever it likes, whenever it likes), redirects are few and looked at one by
// one, and size and time are bounded. Nothing is kept between two fetches: no
// cookies, no connections.
//
//	Get ─▶ check URL ─▶ resolve ─▶ dial, address checked ─▶ redirect? ─▶ read, bounded
//	           ▲                                                │
//	           └────────────────────────────────────────────────┘
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid"
)

// Config says what may be fetched. Zero values take the defaults named beside
// them.
type Config struct {
	MaxBytes int64         // of a body, unpacked; 20 MiB
	Timeout  time.Duration // of a whole fetch, redirects included; 30 s
	// Allow lists what may be fetched though it is in the local network or not on
	// port 80 or 443: "wiki.lan", "wiki.lan:8080", "10.1.2.3", "10.1.0.0/16". An
	// entry without a port allows all ports.
	Allow     []string
	AnyPort   bool   // of public hosts
	UserAgent string // "ibid"
	// Endings are what names of files end with, by media type; the first is the usual one.
	// A name that has none of those of its media type gets it, so that it tells the format.
	Endings map[string][]string
	// Proxy is asked for the proxy of a request, as in http.Transport; nil: none.
	// A proxy connects for us, so behind one the addresses of names that this
	// machine cannot resolve are the proxy's to judge.
	Proxy func(*http.Request) (*url.URL, error)
}

// maxRedirects is how often a page may send us on.
const maxRedirects = 5

// Page is what a URL holds.
type Page struct {
	URL  string // where it was found in the end
	Name string // a file name whose ending tells the format
	MIME string // as the server says, unless the bytes plainly say otherwise
	Body []byte
}

// Fetcher gets pages. It is safe for concurrent use.
type Fetcher struct {
	cfg     Config
	allowed allowList
	client  *http.Client
	// resolver finds addresses; nil is the machine's own
	resolver *net.Resolver
}

// New returns a Fetcher. It fails where an entry of Allow cannot be read.
func New(cfg Config) (*Fetcher, error) {
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = 20 << 20
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "ibid"
	}
	allowed, err := readAllowList(cfg.Allow)
	if err != nil {
		return nil, err
	}
	f := &Fetcher{cfg: cfg, allowed: allowed}
	f.client = &http.Client{Transport: f.transport(), CheckRedirect: f.checkRedirect}
	return f, nil
}

// Get fetches a page. Its errors are *ibid.Error: one sentence for whoever named
// the URL.
func (f *Fetcher) Get(ctx context.Context, rawURL string) (Page, error) {
	u, err := url.Parse(strings.TrimSpace(rawURL))
	if err != nil {
		return Page{}, refuse("this is no URL that can be read")
	}
	if err := f.check(u); err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, refuse("this is no URL that can be fetched")
	}
	req.Header.Set("User-Agent", f.cfg.UserAgent)
	req.Header.Set("Accept", "text/html, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.5")
	resp, err := f.client.Do(req)
	if err != nil {
		return Page{}, f.reason(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Page{}, &ibid.Error{Code: ibid.CodeNotFound, Message: "the server answered " + line(resp.Status),
			Retryable: resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests}
	}
	if packed := resp.Header.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") {
		return Page{}, refuse("the page is packed in a way that was not asked for (" + line(packed) + ")")
	}
	// net/http has unpacked gzip by now, so this bounds what a small page may
	// grow to.
	body, err := io.ReadAll(io.LimitReader(resp.Body, f.cfg.MaxBytes+1))
	if err != nil {
		return Page{}, f.reason(ctx, err)
	}
	if int64(len(body)) > f.cfg.MaxBytes {
		return Page{}, refuse(fmt.Sprintf("the page is larger than %s", size(f.cfg.MaxBytes)))
	}
	kind := contentType(resp.Header.Get("Content-Type"), body)
	return Page{URL: resp.Request.URL.String(), Name: fileName(resp, kind, f.cfg.Endings), MIME: kind, Body: body}, nil
}

// check looks at what a URL says, before any name is resolved.
func (f *Fetcher) check(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || host == "":
		return refuse("only http and https can be fetched")
	case u.User != nil:
		return refuse("a URL with a user name or password in it is not fetched")
	case port != "" && port != "80" && port != "443" && !f.cfg.AnyPort && !f.allowed.host(host, port):
		return refuse("only ports 80 and 443 are fetched, not " + line(port))
	}
	if isLocalName(host) && !f.allowed.host(host, portOf(u)) {
		return refusePrivate(host)
	}
	return nil
}

func (f *Fetcher) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return refuse(fmt.Sprintf("more than %d redirects", maxRedirects))
	}
	req.Header.Del("Referer")
	return f.check(req.URL)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// reason makes one of our errors of whatever went wrong on the way.
func (f *Fetcher) reason(ctx context.Context, err error) error {
	var ours *ibid.Error
	var netErr net.Error
	var unknown *net.DNSError
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &ibid.Error{Code: ibid.CodeTimeout, Message: fmt.Sprintf("the page did not come within %v", f.cfg.Timeout), Retryable: true}
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &unknown):
		return &ibid.Error{Code: ibid.CodeNotFound, Message: "there is no host " + line(unknown.Name), Retryable: unknown.IsTemporary}
	case errors.As(err, &netErr) && netErr.Timeout():
		return &ibid.Error{Code: ibid.CodeTimeout, Message: "the server does not answer", Retryable: true}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // who asked knows the URL
	}
	return &ibid.Error{Code: ibid.CodeNotFound, Message: "the page could not be fetched: " + line(err.Error()), Retryable: true}
}

func refuse(message string) *ibid.Error {
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: message}
}

func refusePrivate(host string) *ibid.Error {
	return &ibid.Error{Code: ibid.CodeForbidden, Message: line(host) + " is this machine or one of its own network, which is not fetched"}
}

// line makes what a server said fit to be shown.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return ' '
		}
		return r
	}, s)
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return strings.TrimSpace(s)
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
