package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/server"
)

// TestLinesAreKeptAlive holds that a stream of lines gives empty ones while its run
// has nothing to say, so that nobody on the way takes the connection for dead, and
// that what is said between them is whole.
func TestLinesAreKeptAlive(t *testing.T) {
	for name, open := range map[string]func(h *house, id string) *http.Response{
		"rag": func(h *house, id string) *http.Response { return h.open("GET", "/rag?message_id="+id, "") },
		"events": func(h *house, id string) *http.Response {
			return h.open("GET", "/v1/messages/"+id+"/events?follow=true", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			wait := make(chan struct{})
			release := sync.OnceFunc(func() { close(wait) })
			defer release()
			// A stream without empty lines ends the test as well.
			defer time.AfterFunc(10*time.Second, release).Stop()
			h := openHouse(t, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
				select {
				case <-wait:
				case <-ctx.Done():
					return agent.Outcome{}, ctx.Err()
				}
				return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "whole"})
			}, func(c *server.Config) { c.Heartbeat = time.Millisecond })
			_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"how long?"}`)
			resp := open(h, accepted["message_id"].(string))
			defer resp.Body.Close()
			empty, said := 0, ""
			for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
				line := lines.Text()
				if line == "" {
					if empty++; empty == 2 {
						release()
					}
					continue
				}
				if !json.Valid([]byte(line)) {
					t.Fatalf("line %q", line)
				}
				said += line
			}
			if empty < 2 || !strings.Contains(said, "whole") {
				t.Errorf("%d empty lines, and %s", empty, said)
			}
		})
	}
}
