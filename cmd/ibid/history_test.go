package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

// TestHistorySurvivesARestart asks, kills the server, asks again in the same
// thread, and looks at what the model was given.
func TestHistorySurvivesARestart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	reply := ibidtest.Say("Two years.")
	reply.Repeat = true
	model := ibidtest.OllamaServer(t, reply)
	flags := []string{"--model", "ollama:test@" + model.URL}
	for i, question := range []string{"how long is the warranty?", "and in months?"} {
		server, url := h.serve(flags...)
		resp, err := http.Post(url+"/chat/batch", "application/json",
			strings.NewReader(fmt.Sprintf(`{"message":%q,"conversation_id":"c1","think":"off"}`, question)))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		server.cmd.Process.Kill()
		server.end()
		requests := model.Requests()
		last := string(requests[len(requests)-1].Body)
		if remembers := strings.Contains(last, "how long is the warranty?") && strings.Contains(last, `relative_time`); i == 1 && !remembers {
			t.Errorf("the second question came without the first: %s", last)
		}
	}
}
