package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// guard is the transport under every adapter. It keeps three promises that
// net/http leaves to its caller: a server that does not begin to answer, or
// stops in the middle, ends in a stalledError; a body larger than limit ends in
// errTooLarge; and once the body is closed before its end, the connection is
// closed too, so that the server stops working for us before we return.
//
// It speaks HTTP/1.1 only: there a connection carries one answer, and closing
// it is a message no server can miss.
type guard struct {
	base   http.RoundTripper
	header time.Duration // until the headers of the answer
	idle   time.Duration // between two reads of the body
	limit  int64         // bytes of a body
}

// drainTime is how long Close waits for the end of a body that has told all it
// had to tell, so that its connection can be used again.
const drainTime = 100 * time.Millisecond

// stalledError says that the other side was silent for too long.
type stalledError struct {
	after time.Duration
	begun bool // it had begun to answer
}

func (e *stalledError) Error() string {
	if e.begun {
		return fmt.Sprintf("nothing more came for %v", e.after)
	}
	return fmt.Sprintf("no answer within %v", e.after)
}

var errTooLarge = errors.New("the answer is too large")

func newGuard(cfg Config) *guard {
	base := cfg.Transport
	if base == nil {
		var http1 http.Protocols
		http1.SetHTTP1(true)
		base = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
			Protocols:           &http1,
		}
	}
	return &guard{base: base, header: cfg.HeaderTimeout, idle: cfg.IdleTimeout, limit: cfg.MaxResponseBytes}
}

// newClient returns a client over a guard.
func newClient(cfg Config) *http.Client { return &http.Client{Transport: newGuard(cfg)} }

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	var conn lastConn
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { conn.set(info.Conn) },
	})
	timer := time.AfterFunc(g.header, func() { cancel(&stalledError{after: g.header}) })
	resp, err := g.base.RoundTrip(req.WithContext(traced))
	if err != nil {
		timer.Stop()
		conn.close()
		defer cancel(nil)
		return nil, stalledOr(ctx, err)
	}
	timer.Stop()
	body := &guardedBody{ReadCloser: resp.Body, idle: g.idle, ctx: ctx, cancel: cancel, conn: &conn, left: g.limit}
	body.watch()
	resp.Body = body
	return resp, nil
}

// stalledOr returns the stalledError that ended ctx, else err.
func stalledOr(ctx context.Context, err error) error {
	var stalled *stalledError
	if errors.As(context.Cause(ctx), &stalled) {
		return stalled
	}
	return err
}

// lastConn is the connection that a request ended up on.
type lastConn struct {
	mu sync.Mutex
	c  net.Conn
}

func (l *lastConn) set(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.c = c
}

func (l *lastConn) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.c != nil {
		l.c.Close()
	}
}

// guardedBody watches over the reading of one answer.
type guardedBody struct {
	io.ReadCloser
	idle   time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	conn   *lastConn
	left   int64
	ended  bool
}

func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	if err != nil {
		b.timer.Stop()
		b.ended = b.ended || err == io.EOF
		if err != io.EOF {
			err = stalledOr(b.ctx, err)
		}
		return n, err
	}
	if n > 0 && b.timer.Stop() {
		b.watch()
	}
	return n, nil
}

// watch gives the other side until idle has passed to send something more.
func (b *guardedBody) watch() {
	b.timer = time.AfterFunc(b.idle, func() { b.cancel(&stalledError{after: b.idle, begun: true}) })
}

// Close closes the connection as well, unless the body was read to its end or
// ends within a moment.
func (b *guardedBody) Close() error {
	b.timer.Stop()
	if !b.ended && b.ctx.Err() == nil && b.left > 0 {
		drain := time.AfterFunc(drainTime, func() { b.cancel(nil) })
		_, err := io.CopyN(io.Discard, b.ReadCloser, 4096)
		b.ended = err == io.EOF
		drain.Stop()
	}
	err := b.ReadCloser.Close()
	if !b.ended {
		b.conn.close()
	}
	b.cancel(nil)
	return err
}
