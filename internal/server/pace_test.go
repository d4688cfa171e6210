package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/ibidtest"
	"ibid/internal/server"
)

// raw sends the beginning of a request and returns its connection.
func (h *house) raw(text string) net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		h.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		h.t.Fatal(err)
	}
	return conn
}

// begun is the header of a request of so many bytes.
func begun(method, path, kind string, size int) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", method, path, kind, size)
}

const formHead = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"

// A request that stops arriving is ended, whatever it asks for and however many
// there are, and whoever still listens is told why.
func TestHalfSentRequestsAreEnded(t *testing.T) {
	h := openHouse(t, nil, func(cfg *server.Config) { cfg.ReadTimeout = 300 * time.Millisecond })
	form := "multipart/form-data; boundary=x"
	for name, c := range map[string]struct {
		sent   string
		status int // 0: whatever
	}{
		"a question":                      {begun("POST", "/v1/threads/t/user_message", "application/json", 1000) + `{"input_text":`, 408},
		"a question in a form":            {begun("POST", "/v1/threads/t/user_message", form, 1000) + "--x\r\n", 408},
		"an upload":                       {begun("POST", "/v1/documents", form, 1<<20) + formHead + "some text", 408},
		"a URL":                           {begun("POST", "/v1/documents", "application/json", 1000), 408},
		"a route that reads no body":      {begun("POST", "/v1/documents/none/retry", "application/json", 1000), 404},
		"a route that there is not":       {begun("POST", "/v1/none", "application/json", 1000) + "{", 404},
		"a body of pieces without an end": {"POST /rag HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"que\r\n", 408},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 {
				conn := h.raw(c.sent)
				answers := bufio.NewReader(conn)
				resp, err := http.ReadResponse(answers, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				if resp.StatusCode != c.status || c.status == 408 && !strings.Contains(string(body), "stopped arriving") {
					t.Errorf("answered %d %s", resp.StatusCode, body)
				}
				if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 { // until it is closed
					t.Errorf("then %q, %v", rest, err)
				}
			}
		})
	}
}

// A body that comes byte by byte is ended too; one that comes slowly is taken.
func TestSlowBodies(t *testing.T) {
	ibidtest.Patiently(t, 200*time.Millisecond, func(timeout time.Duration) error {
		h := openHouse(t, nil, func(cfg *server.Config) { cfg.ReadTimeout = timeout })
		piece, pieces := strings.Repeat("Some words of a text. ", 1000), 12 // 22 kB in each twelfth of three timeouts
		tail := "\r\n--x--\r\n"
		conn := h.raw(begun("POST", "/v1/documents", "multipart/form-data; boundary=x", len(formHead)+pieces*len(piece)+len(tail)) + formHead)
		for range pieces {
			<-time.After(timeout / 4)
			if _, err := io.WriteString(conn, piece); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(conn, tail); err != nil {
			return err
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusAccepted {
			return fmt.Errorf("a slow upload was answered %+v, %v", resp, err)
		}

		dribbled := h.raw(begun("POST", "/v1/documents", "multipart/form-data; boundary=x", 1<<20) + formHead)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			io.Copy(io.Discard, dribbled)
		}()
		for {
			select {
			case <-ended:
				return nil
			case <-time.After(timeout / 10):
				_, _ = io.WriteString(dribbled, "x")
			}
		}
	})
}

// The time that a request may take to arrive is not that of its answer.
func TestALongAnswerIsNotCut(t *testing.T) {
	const timeout = 50 * time.Millisecond
	answer := func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		select {
		case <-time.After(5 * timeout):
		case <-ctx.Done():
		}
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "late"})
	}
	h := openHouse(t, answer, func(cfg *server.Config) { cfg.ReadTimeout, cfg.WriteTimeout = timeout, 20*timeout })
	resp := h.open("POST", "/chat/batch", `{"message":"q"}`)
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "late") {
		t.Errorf("answered %d %s, %v", resp.StatusCode, body, err)
	}
}

// Only so many requests are held. A client that takes nothing of its answer does
// not hold its place.
func TestHeldRequestsAreBounded(t *testing.T) {
	h := openHouse(t, nil, func(cfg *server.Config) { cfg.MaxRequests, cfg.WriteTimeout = 3, 200*time.Millisecond })
	var streams []*http.Response
	for range 3 {
		streams = append(streams, h.open("GET", "/v1/documents/events?follow=true", ""))
	}
	resp := h.open("GET", "/v1/documents", "")
	resp.Body.Close()
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Fatalf("one more: %d %v", resp.StatusCode, resp.Header)
	}
	if status, _ := h.call("GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("the health of a busy server: %d", status)
	}
	for _, s := range streams {
		s.Body.Close()
	}
	eventually(t, "there is room again", func() bool {
		resp := h.open("GET", "/v1/documents", "")
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})

	// More than any buffer of a connection holds.
	_, added := h.call("POST", "/v1/documents", formHead+strings.Repeat("A line that nobody reads.\n", 1<<20)+"\r\n--x--\r\n", "Content-Type", "multipart/form-data; boundary=x")
	large := added["documents"].([]any)[0].(map[string]any)["id"].(string)
	eventually(t, "it is read", func() bool {
		_, d := h.call("GET", "/v1/documents/"+large, "")
		return d["status"] == "ready"
	})
	var unread []net.Conn
	for range 3 {
		unread = append(unread, h.raw("GET /v1/documents/"+large+"/file HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
	}
	// Longer than they may take none of it, by a clock that they do not share.
	begun := time.Now()
	eventually(t, "they are dropped", func() bool {
		resp := h.open("GET", "/v1/documents", "")
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK && time.Since(begun) > time.Second
	})
	for _, conn := range unread {
		if n, _ := io.Copy(io.Discard, conn); n >= 26<<20 {
			t.Errorf("one was sent all of it: %d bytes", n)
		}
	}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); {
		if time.Now().After(deadline) {
			t.Fatal("it never came to this: " + what)
		}
		<-time.After(5 * time.Millisecond)
	}
}
