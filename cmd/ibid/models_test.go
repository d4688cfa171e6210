package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

func TestQuestionsChooseTheirModel(t *testing.T) {
	h := newHouse(t)
	first := ibidtest.OllamaServer(t, ibidtest.Reply{Text: []string{"from the first"}, Repeat: true})
	first.Models[0].Name = "one"
	second := ibidtest.OllamaServer(t, ibidtest.Reply{Text: []string{"from the second"}, Repeat: true})
	second.Models[0].Name = "two"
	t.Setenv("IBID_MODELS", "ollama:two@"+second.URL)
	_, url := h.serve("--model", "ollama:one@"+first.URL)

	var status api.Status
	getInto(t, url+"/v1/status", &status)
	if got := strings.Join(status.Models, " "); got != "ollama/one ollama/two reader" {
		t.Fatalf("models to choose from: %s", got)
	}
	for name, want := range map[string]string{"": "ollama/one", "ollama/two": "ollama/two", "reader": "reader"} {
		code, body := postJSON(t, url+"/v1/threads/t-"+strings.ReplaceAll(name, "/", "-")+"/user_message",
			map[string]any{"input_text": "Hello there!", "think": "off", "model": name})
		if code != http.StatusAccepted {
			t.Fatalf("asking %q: %d %s", name, code, body)
		}
		var accepted struct {
			MessageID string `json:"message_id"`
		}
		if err := json.Unmarshal(body, &accepted); err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get(url + "/v1/messages/" + accepted.MessageID + "/events?follow=true")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body) // until the run has ended
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		var m ibid.Message
		getInto(t, url+"/v1/messages/"+accepted.MessageID, &m)
		if m.Status != ibid.StatusCompleted || m.Model != want {
			t.Errorf("%q was answered by %s: %s, %s", name, m.Model, m.Status, m.Text)
		}
	}
	code, body := postJSON(t, url+"/v1/threads/t/user_message", map[string]any{"input_text": "Hello", "model": "gpt-99"})
	if code != http.StatusBadRequest || !strings.Contains(string(body), "gpt-99") || !strings.Contains(string(body), "ollama/two") {
		t.Errorf("a model that is none: %d %s", code, body)
	}
}

func postJSON(t *testing.T, url string, v any) (int, []byte) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}
