package server_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/server"
)

func TestThreadFromQuestionToAnswer(t *testing.T) {
	h := openHouse(t, fullAnswer)
	status, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"how long?"}`)
	if status != 202 || accepted["workflow_id"] != "agent-t1" || accepted["message_id"] == "" || accepted["user_message_id"] == "" {
		t.Fatalf("%d %v", status, accepted)
	}
	frames := h.frames(h.open("GET", "/v1/threads/t1/stream", ""), nil)
	const want = "message_start step:analysis reasoning_start reasoning_delta reasoning_end step:tool_call step:tool_result " +
		"citations text_start text_delta text_end step:memory message_end done"
	if got := names(frames); got != want {
		t.Fatalf("frames\n%s, want\n%s", got, want)
	}
	for i, f := range frames {
		if f.id == "" || f.data["message_id"] != accepted["message_id"] || f.data["type"] != f.event {
			t.Errorf("frame %d: %+v", i, f)
		}
	}
	// Watched to the end: whoever comes now is sent to the message.
	again := h.frames(h.open("GET", "/v1/threads/t1/stream", ""), nil)
	if names(again) != "message_not_streaming" || again[0].data["message_id"] != accepted["message_id"] {
		t.Fatalf("a stream after the end: %+v", again)
	}
	status, m := h.call("GET", "/v1/messages/"+accepted["message_id"].(string), "")
	if status != 200 || m["text"] != "Three months [c_1]." || m["status"] != "completed" || m["reasoning"] != "I will search." {
		t.Fatalf("%d %v", status, m)
	}
	_, list := h.call("GET", "/v1/threads/t1/messages", "")
	if n := len(list["messages"].([]any)); n != 2 {
		t.Fatalf("%d messages", n)
	}
	_, threads := h.call("GET", "/v1/threads", "")
	if title := threads["threads"].([]any)[0].(map[string]any)["title"]; title != "how long?" {
		t.Fatalf("title %v", title)
	}
}

func TestBadQuestions(t *testing.T) {
	h := openHouse(t, fullAnswer)
	for body, want := range map[string]string{
		``:                                     "no body",
		`{`:                                    "not the JSON",
		`{"input_text":"  "}`:                  "empty",
		`{"input_text":"a","mode":"fast"}`:     "mode must be",
		`{"input_text":"a","think":"maybe"}`:   "think must be",
		`{"input_text":5}`:                     "expected: input_text must be text, not number",
		`{"scope":{"tags":"a"}}`:               "scope.tags must be a list, not string",
		`[]`:                                   "it must be an object, not array",
		`{"input_text":"a"}{"input_text":"b"}`: "more than one",
	} {
		status, out := h.call("POST", "/v1/threads/t1/user_message", body)
		detail, _ := out["error"].(map[string]any)
		if message, _ := detail["message"].(string); status != 400 || !strings.Contains(message, want) {
			t.Errorf("%s gave %d %v", body, status, out)
		}
	}
	status, _ := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a","scope":{"documents":["none"]}}`)
	if status != 404 {
		t.Errorf("an unknown document in the scope gave %d", status)
	}
	status, _ = h.call("POST", "/v1/threads/a%20b/user_message", `{"input_text":"a"}`)
	if status != 400 {
		t.Errorf("a thread id with a blank gave %d", status)
	}
}

// TestStopIsAnswered stops a run and expects its partial answer.
func TestStopIsAnswered(t *testing.T) {
	said := make(chan struct{})
	h := openHouse(t, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.AnswerDelta{Text: "half "})
		close(said)
		<-ctx.Done()
		return agent.Outcome{}, ctx.Err()
	})
	if status, _ := h.call("POST", "/v1/threads/t1/stop", ""); status != 404 {
		t.Fatalf("stop of nothing gave %d", status)
	}
	_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`)
	<-said
	status, out := h.call("POST", "/v1/threads/t1/stop", "")
	if status != 200 || out["message_id"] != accepted["message_id"] || out["status"] != "stopped" || out["stopped_in_ms"] == nil {
		t.Fatalf("%d %v", status, out)
	}
	_, m := h.call("GET", "/v1/messages/"+accepted["message_id"].(string), "")
	if m["status"] != "stopped" || m["text"] != "half " {
		t.Fatalf("message %v", m)
	}
}

func TestOtherSitesAndStrangersAreRefused(t *testing.T) {
	h := openHouse(t, fullAnswer)
	for name, header := range map[string][]string{
		"another origin":    {"Origin", "https://evil.example"},
		"another site":      {"Sec-Fetch-Site", "cross-site"},
		"a rebound name":    {"Host", "evil.example"},
		"a sibling of ours": {"Sec-Fetch-Site", "same-site"},
	} {
		if status, _ := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`, header...); status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _ := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`, "Origin", h.url); status != 202 {
		t.Errorf("our own origin: %d", status)
	}
	locked := openHouse(t, fullAnswer, func(c *server.Config) { c.Token = "secret" })
	for header, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer secret": 200, "bearer secret": 200, "Basic secret": 401, "secret": 401} {
		if status, _ := locked.call("GET", "/v1/threads", "", "Authorization", header); status != want {
			t.Errorf("token %q: %d", header, status)
		}
	}
	if status, _ := locked.call("GET", "/healthz", ""); status != 200 {
		t.Error("healthz needs a token")
	}
}

func TestDocumentsComeInAndGo(t *testing.T) {
	h := openHouse(t, fullAnswer)
	body := "--b\r\nContent-Disposition: form-data; name=\"meta\"\r\n\r\n{\"source\":\"/x/contract.txt\",\"category\":\"work\"}\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../contract.txt\"\r\n\r\nThe notice period is three months.\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"empty.txt\"\r\n\r\n\r\n--b--\r\n"
	status, out := h.call("POST", "/v1/documents", body, "Content-Type", "multipart/form-data; boundary=b")
	if status != 202 || len(out["documents"].([]any)) != 1 || len(out["errors"].([]any)) != 1 {
		t.Fatalf("%d %v", status, out)
	}
	d := out["documents"].([]any)[0].(map[string]any)
	if d["name"] != "contract.txt" || d["category"] != "work" {
		t.Fatalf("document %v", d)
	}
	id := d["id"].(string)
	for d["status"] != "ready" {
		if d["status"] == "failed" {
			t.Fatalf("document %v", d)
		}
		time.Sleep(5 * time.Millisecond)
		_, d = h.call("GET", "/v1/documents/"+id, "")
	}
	_, found := h.call("GET", "/v1/search?q=notice+period&category=work", "")
	if n := len(found["passages"].([]any)); n != 1 {
		t.Fatalf("found %v", found)
	}
	if _, found := h.call("GET", "/v1/search?q=notice+period&category=other", ""); len(found["passages"].([]any)) != 0 {
		t.Fatalf("found outside the scope: %v", found)
	}
	resp := h.open("GET", "/v1/documents/"+id+"/file", "")
	raw, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(raw) != "The notice period is three months." || !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("file %q, %v", raw, resp.Header)
	}
	_, again := h.call("POST", "/v1/documents", body, "Content-Type", "multipart/form-data; boundary=b")
	if d := again["documents"].([]any)[0].(map[string]any); d["id"] != id || d["unchanged"] != true {
		t.Fatalf("added again: %v", d)
	}
	if status, _ := h.call("DELETE", "/v1/documents/"+id, ""); status != 204 {
		t.Fatalf("delete gave %d", status)
	}
	if _, found := h.call("GET", "/v1/search?q=notice+period", ""); len(found["passages"].([]any)) != 0 {
		t.Fatalf("found after it was removed: %v", found)
	}
	if status, _ := h.call("GET", "/v1/documents/"+id, ""); status != 404 {
		t.Fatalf("a removed document gave %d", status)
	}
}
