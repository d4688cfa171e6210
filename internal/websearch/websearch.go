// Package websearch asks a search engine of the web: SearXNG, Brave or Tavily. It
// is told where by a spec:
//
//	searxng:http://127.0.0.1:8888   a SearXNG that serves format=json
//	brave                           Brave Search; the key is Config.Key or $BRAVE_API_KEY
//	tavily                          Tavily; the key is Config.Key or $TAVILY_API_KEY
//
// "brave:URL" and "tavily:URL" ask another address that speaks the same protocol.
// What comes back was written by strangers: it is cleaned of markup and bounded,
// and is data to whoever reads it. Keys are sent to the engine alone and stand in
// no error.
package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"ibid"
	"ibid/internal/text"
)

// Config says which engine to ask.
type Config struct {
	Spec      string
	Key       string
	Timeout   time.Duration     // of one search; 15 s
	Transport http.RoundTripper // http.DefaultTransport when nil
}

// Result is a page that was found.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// Engine searches the web. It is safe for concurrent use.
type Engine struct {
	name    string
	base    *url.URL
	key     string
	timeout time.Duration
	client  *http.Client
}

// Bounds of what an engine may answer.
const (
	maxAnswer  = 4 << 20 // bytes
	maxTitle   = 300
	maxSnippet = 1000
	maxURL     = 2000
)

// MaxResults is the most that one search returns.
const MaxResults = 20

// engines are the addresses of those that have one of their own, and where their
// keys may stand.
var engines = map[string]struct{ base, key string }{
	"searxng": {"", ""},
	"brave":   {"https://api.search.brave.com", "BRAVE_API_KEY"},
	"tavily":  {"https://api.tavily.com", "TAVILY_API_KEY"},
}

// Open reads a spec. It calls nobody.
func Open(cfg Config) (*Engine, error) {
	name, at, _ := strings.Cut(strings.TrimSpace(cfg.Spec), ":")
	known, ok := engines[name]
	if !ok {
		return nil, bad(fmt.Sprintf("there is no web search %q", name), "use searxng:http://HOST:PORT, brave or tavily")
	}
	if at == "" {
		at = known.base
	}
	base, err := url.Parse(at)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil {
		return nil, bad(fmt.Sprintf("%s needs the address of a server", name), "write it like "+name+":http://127.0.0.1:8888")
	}
	e := &Engine{name: name, base: base, key: cfg.Key, timeout: cfg.Timeout}
	if e.key == "" && known.key != "" {
		e.key = os.Getenv(known.key)
	}
	if e.key != "" && base.Scheme == "http" && !loopback(base.Hostname()) {
		return nil, bad("a key is not sent over http", "use https for "+name)
	}
	if e.timeout <= 0 {
		e.timeout = 15 * time.Second
	}
	// A redirect would carry the key to whoever it names.
	e.client = &http.Client{Transport: cfg.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return e, nil
}

func bad(message, hint string) *ibid.Error {
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: message, Hint: hint}
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Name is the engine's.
func (e *Engine) Name() string { return e.name }

// Search returns the pages that an engine thinks fit a query, at most limit.
// Errors are *ibid.Error, or ctx's.
func (e *Engine) Search(ctx context.Context, query string, limit int) ([]Result, error) {
	limit = min(max(limit, 1), MaxResults)
	if e.key == "" && engines[e.name].key != "" {
		return nil, bad(e.name+" needs a key", "set web_search_key, or "+engines[e.name].key+" in the environment")
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	req, err := e.request(ctx, query, limit)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", e.name, err)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, e.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, e.unreachable(ctx, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, e.refused(resp, body)
	}
	found, err := e.decode(body)
	if err != nil {
		return nil, &ibid.Error{Code: ibid.CodeLLM, Message: e.name + " did not answer in its own format", Hint: "is " + e.base.Host + " the right address?"}
	}
	return tidy(found, limit), nil
}

// request writes a query in the engine's format.
func (e *Engine) request(ctx context.Context, query string, limit int) (*http.Request, error) {
	switch e.name {
	case "brave":
		// https://api-dashboard.search.brave.com/app/documentation/web-search
		u := e.base.JoinPath("/res/v1/web/search")
		u.RawQuery = url.Values{"q": {text.Clip(query, 400)}, "count": {strconv.Itoa(limit)}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err == nil {
			req.Header.Set("Accept", "application/json")
			req.Header.Set("X-Subscription-Token", e.key)
		}
		return req, err
	case "tavily":
		// https://docs.tavily.com/documentation/api-reference/endpoint/search
		body, err := json.Marshal(map[string]any{"query": text.Clip(query, 400), "max_results": limit, "search_depth": "basic"})
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.base.JoinPath("/search").String(), bytes.NewReader(body))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+e.key)
		}
		return req, err
	default:
		// https://docs.searxng.org/dev/search_api.html
		u := e.base.JoinPath("/search")
		u.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err == nil {
			req.Header.Set("Accept", "application/json")
			if e.key != "" {
				req.Header.Set("Authorization", "Bearer "+e.key) // of a proxy before it
			}
		}
		return req, err
	}
}

// decode reads an answer in the engine's format.
func (e *Engine) decode(body []byte) ([]Result, error) {
	type page struct {
		Title       string `json:"title"`
		URL         string `json:"url"`
		Content     string `json:"content"`     // SearXNG and Tavily
		Description string `json:"description"` // Brave
	}
	var answer struct {
		Results *[]page `json:"results"`
		Type    string  `json:"type"` // Brave: "search"; without results there is no web
		Web     *struct {
			Results []page `json:"results"`
		} `json:"web"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	var pages []page
	switch {
	case answer.Results != nil:
		pages = *answer.Results
	case e.name == "brave" && answer.Web != nil:
		pages = answer.Web.Results
	case e.name != "brave" || answer.Type != "search":
		return nil, errors.New("no results")
	}
	found := make([]Result, 0, len(pages))
	for _, p := range pages {
		found = append(found, Result{Title: p.Title, URL: p.URL, Snippet: p.Content + p.Description})
	}
	return found, nil
}

// tidy drops what is no page of the web and what stands there twice, and cleans
// the words.
func tidy(found []Result, limit int) []Result {
	kept := []Result{}
	seen := map[string]bool{}
	for _, r := range found {
		u, err := url.Parse(strings.TrimSpace(r.URL))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(r.URL) > maxURL || seen[u.String()] {
			continue
		}
		seen[u.String()] = true
		r = Result{Title: text.Clip(words(r.Title), maxTitle), URL: u.String(), Snippet: text.Clip(words(r.Snippet), maxSnippet)}
		if r.Title == "" {
			r.Title = u.Host
		}
		if kept = append(kept, r); len(kept) == limit {
			break
		}
	}
	return kept
}

// words takes the markup out of a snippet: engines mark the words of the query.
func words(s string) string {
	z := html.NewTokenizer(strings.NewReader(text.Clip(s, 8*maxSnippet)))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(strings.Map(visible, b.String())), " ")
		case html.TextToken:
			b.WriteString(html.UnescapeString(string(z.Raw())))
		}
	}
}

func visible(r rune) rune {
	if r < ' ' || r == 0x7f || r == utf8.RuneError {
		return ' '
	}
	return r
}

func (e *Engine) unreachable(ctx context.Context, err error) error {
	var netErr net.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return &ibid.Error{Code: ibid.CodeTimeout, Message: e.name + " did not answer in time", Retryable: true}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &ibid.Error{Code: ibid.CodeLLMUnavailable, Message: e.name + " cannot be reached at " + e.base.Host, Retryable: true,
		Hint: "check web_search and the network"}
}

// refused says what an engine said instead of an answer. Its own words are left
// out: some repeat the key.
func (e *Engine) refused(resp *http.Response, body []byte) error {
	err := &ibid.Error{Code: ibid.CodeLLM, Message: fmt.Sprintf("%s answered %d %s", e.name, resp.StatusCode, http.StatusText(resp.StatusCode))}
	switch s := resp.StatusCode; {
	case s == http.StatusForbidden && e.name == "searxng":
		err.Hint = `let it answer in JSON: settings.yml, search: formats: [html, json]`
	case s == http.StatusUnauthorized || s == http.StatusForbidden || s == http.StatusUnprocessableEntity && bytes.Contains(body, []byte("TOKEN")):
		err.Hint = "check the key in web_search_key"
	case s == http.StatusTooManyRequests || s == 432 || s == 433: // 432 and 433: Tavily's plan is used up
		err.Code, err.Hint = ibid.CodeLLMUnavailable, "the allowance is used up for now"
		err.Retryable = s == http.StatusTooManyRequests
		if n, bad := strconv.Atoi(resp.Header.Get("Retry-After")); bad == nil && n > 0 {
			err.RetryAfter = int64(n) * 1000
		}
	case s >= 500:
		err.Code, err.Retryable = ibid.CodeLLMUnavailable, true
	case s/100 == 3:
		err.Hint = "it sends us elsewhere; use the address that it names"
	}
	return err
}
