package app

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// What a connection may cost before a request has come in whole. The server itself
// holds bodies and answers to deadlines of their own (internal/server/pace.go).
const (
	headerTime = 10 * time.Second // for a request's header
	idleTime   = 2 * time.Minute  // between two requests
	headerSize = 64 << 10         // bytes
	// spareConnections may be open beside those whose requests are held: to be told
	// that there are too many of those, and idle.
	spareConnections = 100
)

// newHTTPServer returns what answers on a listener, which it wraps: serve on the one
// that is returned. base ends the requests that are held; most bounds them.
func newHTTPServer(base context.Context, handler http.Handler, ln net.Listener, most int) (*http.Server, net.Listener) {
	open := &connections{Listener: ln, most: most + spareConnections, idle: map[net.Conn]time.Time{}}
	open.room = sync.NewCond(&open.mu)
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerSize,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         open.note,
		ErrorLog:          log.New(io.Discard, "", 0),
	}, open
}

// connections is a listener that has only so many connections open. Where there
// are more, the one that has been idle the longest is closed, else whoever comes
// waits for one to end.
type connections struct {
	net.Listener
	most int

	mu     sync.Mutex
	room   *sync.Cond // a connection has ended or become idle, or the listener is closed
	open   int
	idle   map[net.Conn]time.Time // since when
	closed bool
}

// Accept waits until there is room for one more connection.
func (c *connections) Accept() (net.Conn, error) {
	c.mu.Lock()
	for c.open >= c.most && !c.closed {
		if longest := c.longestIdle(); longest != nil {
			delete(c.idle, longest)
			c.mu.Unlock()
			_ = longest.Close() // which makes room
			c.mu.Lock()
			continue
		}
		c.room.Wait()
	}
	c.open++
	c.mu.Unlock()
	conn, err := c.Listener.Accept()
	if err != nil {
		c.ended()
		return nil, err
	}
	return &connection{Conn: conn, ended: sync.OnceFunc(c.ended)}, nil
}

// Close also ends an Accept that waits for room.
func (c *connections) Close() error {
	c.mu.Lock()
	c.closed = true
	c.room.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

func (c *connections) longestIdle() net.Conn {
	var longest net.Conn
	for conn, since := range c.idle {
		if longest == nil || since.Before(c.idle[longest]) {
			longest = conn
		}
	}
	return longest
}

func (c *connections) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.room.Signal()
}

// note is told by the HTTP server what its connections do.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateIdle {
		delete(c.idle, conn)
		return
	}
	c.idle[conn] = time.Now()
	c.room.Signal()
}

// connection tells when it is closed.
type connection struct {
	net.Conn
	ended func()
}

func (c *connection) Close() error {
	defer c.ended()
	return c.Conn.Close()
}
