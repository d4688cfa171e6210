package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// idleReaders is how many readers wait on one process for its next event.
const idleReaders = 5000

// measureReaders opens thousands of streams on one answer that pauses, and sees
// what each of them costs the process.
func measureReaders(ctx context.Context, o options, s *server, m *modelServer, t *table) error {
	m.answer(1000, time.Second)
	defer m.answer(10, 0)
	const thread = "bench-readers"
	body := strings.NewReader(`{"input_text":"wait","think":"off"}`)
	if err := s.do(ctx, http.MethodPost, "/v1/threads/"+thread+"/user_message", "application/json", body, nil); err != nil {
		return err
	}
	u, err := url.Parse(s.url)
	if err != nil {
		return err
	}
	before := s.resident()
	conns := make([]net.Conn, 0, idleReaders)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range idleReaders {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			return fmt.Errorf("open reader %d: %w", len(conns)+1, err)
		}
		conns = append(conns, c)
		fmt.Fprintf(c, "GET /v1/threads/%s/stream HTTP/1.1\r\nHost: %s\r\n\r\n", thread, u.Host)
	}
	head := make([]byte, 12)
	for _, c := range conns {
		if err := c.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, head); err != nil {
			return fmt.Errorf("a reader of %d was not served: %w", idleReaders, err)
		}
		if !strings.HasSuffix(string(head), " 200") {
			return fmt.Errorf("a reader of %d was refused: %s", idleReaders, head)
		}
	}
	time.Sleep(2 * time.Second) // let each of them wait
	each := float64(s.resident()-before) / idleReaders / 1024
	t.add(fmt.Sprintf("memory per idle reader (%d of them)", idleReaders), fmt.Sprintf("%.1f KiB", each), 1)
	return s.do(ctx, http.MethodPost, "/v1/threads/"+thread+"/stop", "application/json", nil, nil)
}
