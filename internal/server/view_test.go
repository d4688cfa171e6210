package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/server"
)

// TestWhoAsksSeesHisOwn holds that routes look through the view of whoever asks, and
// that what isn't seen isn't there.
func TestWhoAsksSeesHisOwn(t *testing.T) {
	var looked []string
	answer := func(_ context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		looked = append(looked, task.View.String())
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "three months"})
	}
	h := openHouse(t, answer, func(c *server.Config) {
		c.Principal = func(r *http.Request) ibid.Principal { return ibid.Principal(r.Header.Get("Who")) }
	})
	form := "--b\r\nContent-Disposition: form-data; name=\"meta\"\r\n\r\n{\"folder\":\"hers\",\"tags\":[\"hers\"]}\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"hers.txt\"\r\n\r\nhers\r\n--b--\r\n"
	status, added := h.call("POST", "/v1/documents", form, "Content-Type", "multipart/form-data; boundary=b", "Who", "anna")
	docs, _ := added["documents"].([]any)
	if status/100 != 2 || len(docs) != 1 {
		t.Fatalf("anna's file: %d %v", status, added)
	}
	id := docs[0].(map[string]any)["id"].(string)
	for ready := false; !ready; {
		_, d := h.call("GET", "/v1/documents/"+id, "", "Who", "anna")
		ready = d["status"] == "ready"
	}
	_, d := h.call("GET", "/v1/documents/"+id, "", "Who", "anna")
	version := d["version"].(string)
	_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"how long?"}`, "Who", "anna")
	run, _ := accepted["message_id"].(string)
	h.frames(h.open("GET", "/v1/threads/t1/stream?last_message_id="+run+"&last_entry_id=0", "", "Who", "anna"), nil)

	for path, shows := range map[string]string{
		"/v1/documents":                 "hers.txt",
		"/v1/folders":                   "hers",
		"/v1/search?q=notice+period":    "hers.txt",
		"/v1/threads":                   "how long",
		"/v1/documents/" + id:           "hers.txt",
		"/v1/documents/" + id + "/text": "notice period",
		"/v1/documents/" + id + "/file?version=" + version: "hers",
		"/v1/threads/t1":                  "how long",
		"/v1/threads/t1/messages":         "three months",
		"/v1/messages/" + run:             "three months",
		"/v1/messages/" + run + "/events": "run.finished",
	} {
		said := func(who string) (int, string) {
			resp := h.open("GET", path, "", "Who", who)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(body)
		}
		if code, body := said("anna"); code != 200 || !strings.Contains(body, shows) {
			t.Errorf("%s for anna: %d %s", path, code, body)
		}
		for _, who := range []string{"ben", ""} {
			code, body := said(who)
			if strings.Contains(body, shows) || strings.Count(path, "/") > 2 && code != 404 {
				t.Errorf("%s for %q: %d %s", path, who, code, body)
			}
		}
	}
	for _, change := range [][2]string{{"DELETE", "/v1/documents/" + id}, {"DELETE", "/v1/threads/t1"}, {"DELETE", "/v1/messages/" + run}, {"POST", "/v1/documents/" + id + "/retry"}} {
		if code, body := h.call(change[0], change[1], "", "Who", "ben"); code != 404 {
			t.Errorf("ben: %v: %d %v", change, code, body)
		}
	}
	if code, body := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"and mine?"}`, "Who", "ben"); code != 404 {
		t.Errorf("ben asks in anna's thread: %d %v", code, body)
	}
	if fmt.Sprint(looked) != "[anna]" {
		t.Errorf("the answers looked as %v", looked)
	}
}
