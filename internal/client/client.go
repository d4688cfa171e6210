// Package client speaks the HTTP API of docs/api.md.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"ibid"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

// Endpoint is where a client finds the process that holds the data directory.
type Endpoint struct {
	URL   string // without a trailing slash
	Token string // "" when none is asked for
	Owner string // "" when unknown; see ServerInfo
}

// Client speaks the HTTP API of docs/api.md. When a connection fails it asks
// find for the endpoint again, so a command outlives the process it talked to:
// the next holder of the data directory goes on with the same runs.
type Client struct {
	http *http.Client
	find func(context.Context) (Endpoint, error)
	// pause waits before attempt number n (from 1) to reach the process again.
	pause func(ctx context.Context, n int) error

	mu sync.Mutex
	at Endpoint
}

// maxAttempts bounds how often one request, or one position of a log, is tried.
const maxAttempts = 4

// busyPause is the attempt of pause after which a busy server is asked again: about
// a second.
const busyPause = 4

func New(at Endpoint, find func(context.Context) (Endpoint, error)) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // always this machine
	transport.ExpectContinueTimeout = 2 * time.Second
	return &Client{http: &http.Client{Transport: transport}, find: find, pause: Backoff, at: at}
}

// Backoff waits 100 ms, 200 ms, 400 ms…
func Backoff(ctx context.Context, n int) error {
	select {
	case <-time.After(50 * time.Millisecond << min(n, 6)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) Endpoint() Endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Close frees idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is one call of the API. It can be sent several times.
type request struct {
	method string
	path   string
	query  url.Values
	kind   string // Content-Type
	// body returns the body from its beginning, and its length; nil for none.
	body func() (io.Reader, int64, error)
	// refused is a failure status whose answer is of the usual shape; 0 for none.
	refused int
	// owner: the request names paths of this machine, which only its owner may.
	owner bool
	// once: the request must not be repeated when it may have arrived, because
	// arriving twice would do something twice.
	once bool
}

// connectionError says that no answer came, which says nothing about whether
// the request arrived.
type connectionError struct{ err error }

func (e *connectionError) Error() string { return "the connection to ibid broke: " + e.err.Error() }

func (e *connectionError) Unwrap() error { return e.err }

// call sends a request and decodes the JSON answer into out, unless out is nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	resp, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("read answer to %s %s: %w", r.method, r.path, err)
	}
	return nil
}

// send sends a request until it is answered, and turns a failure status into
// an error. The caller closes the answer's body.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		resp, err := c.sendOnce(ctx, r)
		if err != nil && ibid.CodeOf(err) == ibid.CodeBusy && attempt < maxAttempts { // nothing was done
			if err := c.pause(ctx, busyPause+attempt); err != nil {
				return nil, err
			}
			continue
		}
		var broken *connectionError
		if err == nil || !errors.As(err, &broken) || ctx.Err() != nil {
			return resp, err
		}
		if r.once && !neverArrived(err) || attempt == maxAttempts {
			return nil, err
		}
		if err := c.reconnect(ctx, attempt); err != nil {
			return nil, err
		}
	}
}

func (c *Client) reconnect(ctx context.Context, attempt int) error {
	if err := c.pause(ctx, attempt); err != nil {
		return err
	}
	if c.find == nil {
		return nil
	}
	at, err := c.find(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
	return nil
}

func (c *Client) sendOnce(ctx context.Context, r request) (*http.Response, error) {
	at := c.Endpoint()
	target := at.URL + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	var size int64
	if r.body != nil {
		var err error
		if body, size, err = r.body(); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", r.kind)
		if size > 1<<20 {
			// A file that is refused for its size is refused before it is sent.
			req.Header.Set("Expect", "100-continue")
		}
	}
	if at.Token != "" {
		req.Header.Set("Authorization", "Bearer "+at.Token)
	}
	if r.owner {
		req.Header.Set("Ibid-Owner", at.Owner)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &connectionError{err}
	}
	if resp.StatusCode >= 400 && resp.StatusCode != r.refused {
		defer resp.Body.Close()
		err := readFailure(resp)
		if resp.StatusCode == http.StatusServiceUnavailable && r.method == http.MethodGet {
			err = &connectionError{err} // starting or stopping: worth another attempt
		}
		return nil, err
	}
	return resp, nil
}

// neverArrived reports whether a request failed before anything was sent.
func neverArrived(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// readFailure reads the error that a failed request is answered with.
func readFailure(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var answer api.Error
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Message == "" {
		text := say.OneLine(string(body), 200)
		return ibid.Errorf(ibid.CodeInternal, "%s %s answered %s: %s",
			resp.Request.Method, resp.Request.URL.Path, resp.Status, text)
	}
	return answer.Error.Err()
}

// Alive reports whether an ibid answers at an endpoint.
func Alive(ctx context.Context, at Endpoint) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c := New(at, nil)
	defer c.Close()
	var health api.Health
	resp, err := c.sendOnce(ctx, request{method: http.MethodGet, path: "/healthz"})
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(&health) == nil && health.Status == api.HealthOK
}

func get(path string) request { return request{method: http.MethodGet, path: path} }

func remove(path string) request { return request{method: http.MethodDelete, path: path} }

// post is a request with a JSON body; nil is an empty one. It must not arrive twice.
func post(path string, body any) request {
	return request{
		method: http.MethodPost, path: path, kind: "application/json", once: true,
		body: func() (io.Reader, int64, error) {
			if body == nil {
				return http.NoBody, 0, nil
			}
			text, err := json.Marshal(body)
			if err != nil {
				return nil, 0, fmt.Errorf("write the body of POST %s: %w", path, err)
			}
			return bytes.NewReader(text), int64(len(text)), nil
		},
	}
}

// answer sends a request and decodes what is answered.
func answer[T any](ctx context.Context, c *Client, r request) (T, error) {
	var out T
	err := c.call(ctx, r, &out)
	return out, err
}
