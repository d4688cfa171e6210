package app

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// served is an HTTP server as the program runs it, on a port of its own.
func served(t *testing.T, handler http.Handler, most int, change func(*http.Server)) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web, ln := newHTTPServer(t.Context(), handler, ln, most)
	change(web)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		web.Serve(ln)
	}()
	t.Cleanup(func() {
		web.Close()
		<-ended
	})
	return ln.Addr().String()
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// However many requests never come to the end of their header, they are closed, and
// nobody else waits for long.
func TestHalfSentHeadersAreClosed(t *testing.T) {
	t.Parallel()
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	addr := served(t, hello, 10, func(web *http.Server) {
		if web.ReadHeaderTimeout <= 0 || web.ReadHeaderTimeout > time.Minute || web.IdleTimeout <= 0 || web.MaxHeaderBytes <= 0 {
			t.Errorf("the server is not bounded: %+v", web)
		}
		web.ReadHeaderTimeout = 200 * time.Millisecond
	})
	var half []net.Conn
	for range 400 { // more than may be open at once
		conn := dial(t, addr)
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
		half = append(half, conn)
	}
	conn := dial(t, addr)
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("behind them: %+v, %v", resp, err)
	}
	for i, conn := range half {
		if _, err := io.Copy(io.Discard, conn); err != nil {
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Fatalf("half a request is open still (%d): %v", i, err)
			}
		}
	}
}

// Where too many connections are open, one that is idle makes room; without one,
// the next waits for one to end.
func TestConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	addr := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			<-hold
		}
		io.WriteString(w, "hello")
	}), 2-spareConnections, func(*http.Server) {})
	ask := func(path string) *bufio.Reader {
		conn := dial(t, addr)
		io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		return bufio.NewReader(conn)
	}
	read := func(what string, r *bufio.Reader) {
		t.Helper()
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "hello" {
			t.Fatalf("%s: %q, %v", what, body, err)
		}
	}
	idle := ask("/")
	read("the first", idle)
	held := ask("/hold")
	later := ask("/") // takes the place of the first, which is idle
	read("the third", later)
	if _, err := idle.ReadByte(); err == nil {
		t.Error("the idle one is still open")
	}
	held2, waits := ask("/hold"), ask("/")
	close(hold)
	read("one that was held", held)
	read("another one", held2)
	read("one that waited", waits)
}
