package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"ibid"
)

// A client must keep up. A body has to arrive at leastProgress bytes in each
// ReadTimeout, so that one that is sent slowly comes in whole and one that has
// stopped, or is dribbled byte by byte, is cut. An answer has to be taken within
// WriteTimeout for each piece of it. And so many requests are held at once at
// most: those that are being read, answered or streamed.

// leastProgress is some 500 bytes a second with the usual ReadTimeout.
const leastProgress = 16 << 10

// errStalled says that a request stopped arriving.
var errStalled = errors.New("the request stopped arriving")

// busyRetry is after how long, in milliseconds, whoever found too many requests held
// is to come back.
const busyRetry = 2000

// pace holds clients to their deadlines, and bounds how many there are.
func (s *Server) pace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		// The connection still has the deadline of the answer before this one.
		_ = control.SetWriteDeadline(time.Time{}) // an http.ResponseWriter of a test may have none
		w = &pacedWriter{w, control, s.cfg.WriteTimeout}
		if r.Body != nil && r.Body != http.NoBody {
			body := &pacedBody{ReadCloser: r.Body, control: control, timeout: s.cfg.ReadTimeout}
			body.deadline() // also for a body that is not read: the server skips it
			r.Body = body
		}
		if s.held.Add(1) > int64(s.cfg.MaxRequests) && r.URL.Path != "/healthz" {
			defer s.held.Add(-1)
			s.fail(w, r, &ibid.Error{Code: ibid.CodeBusy, Message: fmt.Sprintf("%d requests are open already", s.cfg.MaxRequests),
				Hint: "close some, or raise limits.connections", Retryable: true, RetryAfter: busyRetry})
			return
		}
		defer s.held.Add(-1)
		next.ServeHTTP(w, r)
	})
}

// pacedBody is a request's body whose sender must get on.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	timeout time.Duration
	waited  time.Duration // in reads, since so much had come last
	got     int           // bytes, since then
}

func (b *pacedBody) deadline() { _ = b.control.SetReadDeadline(time.Now().Add(b.timeout - b.waited)) }

// Read waits for no longer than the sender has left. What the server does between
// two reads is not the sender's time.
func (b *pacedBody) Read(p []byte) (int, error) {
	b.deadline()
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.waited += time.Since(began)
	if b.got += n; b.got >= leastProgress {
		b.waited, b.got = 0, 0
	}
	switch {
	case errors.Is(err, io.EOF):
		// From here on the server reads only to see whether the client is there.
		_ = b.control.SetReadDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = &ibid.Error{Code: ibid.CodeTimeout, Message: fmt.Sprintf("%v: less than %d KB came in %v", errStalled, leastProgress>>10, b.timeout),
			Hint: "send it again", Err: errStalled, Retryable: true}
	}
	return n, err
}

// pacedWriter drops a client that does not take what it is sent.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (w *pacedWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.timeout))
	return w.ResponseWriter.Write(p)
}

// Unwrap lets an http.ResponseController reach the connection.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
