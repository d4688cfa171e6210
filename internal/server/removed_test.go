package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// upload sends a form of parts, each a name and a content; the names of files are
// "file:NAME".
func (h *house) upload(parts ...string) (int, map[string]any) {
	h.t.Helper()
	var form strings.Builder
	for i := 0; i < len(parts); i += 2 {
		name, file, ok := strings.Cut(parts[i], ":")
		fmt.Fprintf(&form, "--b\r\nContent-Disposition: form-data; name=%q", name)
		if ok {
			fmt.Fprintf(&form, "; filename=%q", file)
		}
		form.WriteString("\r\n\r\n" + parts[i+1] + "\r\n")
	}
	return h.call("POST", "/v1/documents", form.String()+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b")
}

// removed lists what can be taken back, as "kind id".
func (h *house) removed() string {
	h.t.Helper()
	status, out := h.call("GET", "/v1/removed", "")
	if status != http.StatusOK {
		h.t.Fatalf("list what was removed: %d %v", status, out)
	}
	var all []string
	for _, r := range out["removed"].([]any) {
		one := r.(map[string]any)
		all = append(all, fmt.Sprint(one["kind"], " ", one["id"]))
		at, err1 := time.Parse(time.RFC3339, one["removed_at"].(string))
		until, err2 := time.Parse(time.RFC3339, one["until"].(string))
		if err1 != nil || err2 != nil || until.Sub(at) != 7*24*time.Hour || one["name"] == "" {
			h.t.Errorf("listed %v", one)
		}
	}
	return strings.Join(all, ", ")
}

func TestARemovedDocumentIsRestored(t *testing.T) {
	h := openHouse(t, fullAnswer)
	before := h.add("a.txt", `{"source":"/x/a.txt","folder":"work","tags":["red"],"title":"The lease"}`)
	id := before["id"].(string)
	_, text := h.call("GET", "/v1/documents/"+id+"/text", "")
	_, found := h.call("GET", "/v1/search?q=notice", "")
	if status, _ := h.call("DELETE", "/v1/documents/"+id, ""); status != http.StatusNoContent {
		t.Fatalf("removed: %d", status)
	}
	if got := h.removed(); got != "document "+id {
		t.Errorf("removed is %s", got)
	}
	for range 2 { // the second time there is nothing to do
		status, d := h.call("POST", "/v1/documents/"+id+"/restore", "")
		if status != http.StatusOK || fmt.Sprint(d) != fmt.Sprint(before) {
			t.Errorf("restored as %d %v, was %v", status, d, before)
		}
	}
	if got := h.removed(); got != "" {
		t.Errorf("still removed is %s", got)
	}
	if _, now := h.call("GET", "/v1/documents/"+id+"/text", ""); fmt.Sprint(now) != fmt.Sprint(text) {
		t.Errorf("its text is %v", now)
	}
	_, now := h.call("GET", "/v1/search?q=notice", "")
	if fmt.Sprint(now["passages"].([]any)[0].(map[string]any)["chunk_id"]) != fmt.Sprint(found["passages"].([]any)[0].(map[string]any)["chunk_id"]) {
		t.Errorf("a search finds %v", now["passages"])
	}

	h.call("DELETE", "/v1/documents/"+id, "")
	other := h.add("a.txt", `{"source":"/x/a.txt"}`)["id"].(string)
	status, out := h.call("POST", "/v1/documents/"+id+"/restore", "")
	if said := fmt.Sprint(out["error"]); status != http.StatusConflict || !strings.Contains(said, other) || !strings.Contains(said, "CONFLICT") {
		t.Errorf("where another is: %d %v", status, out)
	}
	if status, _ := h.call("POST", "/v1/documents/none/restore", ""); status != http.StatusNotFound {
		t.Errorf("what never was: %d", status)
	}
	for _, bad := range []string{"limit=0", "limit=501", "cursor=x"} {
		if status, _ := h.call("GET", "/v1/removed?"+bad, ""); status != http.StatusBadRequest {
			t.Errorf("%s gave %d", bad, status)
		}
	}
}

func TestARemovedThreadIsRestored(t *testing.T) {
	h := openHouse(t, fullAnswer)
	h.ask("t1", "How long is the notice period?", "")
	h.ask("t2", "How long is the notice period?", "")
	_, before := h.call("GET", "/v1/threads/t1/messages?all=true", "")
	messages := before["messages"].([]any)
	if len(messages) != 2 {
		t.Fatalf("messages %v", messages)
	}
	answer := messages[1].(map[string]any)["id"].(string)
	if status, _ := h.call("DELETE", "/v1/threads/t1", ""); status != http.StatusNoContent {
		t.Fatalf("removed: %d", status)
	}
	if got := h.removed(); got != "thread t1" {
		t.Errorf("removed is %s", got)
	}
	for _, path := range []string{"/v1/threads/t1", "/v1/threads/t1/messages", "/v1/messages/" + answer, "/v1/messages/" + answer + "/events"} {
		if status, out := h.call("GET", path, ""); status != http.StatusNotFound {
			t.Errorf("%s gave %d %v", path, status, out)
		}
	}
	if _, list := h.call("GET", "/v1/threads", ""); len(list["threads"].([]any)) != 1 {
		t.Errorf("listed %v", list)
	}
	if status, _ := h.call("DELETE", "/v1/threads/t1", ""); status != http.StatusNotFound {
		t.Errorf("removed twice: %d", status)
	}
	status, out := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"And then?"}`)
	if status != http.StatusConflict || !strings.Contains(fmt.Sprint(out["error"]), "removed") {
		t.Errorf("a question to it: %d %v", status, out)
	}
	status, thread := h.call("POST", "/v1/threads/t1/restore", "")
	if status != http.StatusOK || thread["id"] != "t1" || thread["head_id"] != answer {
		t.Errorf("restored %d %v", status, thread)
	}
	if _, after := h.call("GET", "/v1/threads/t1/messages?all=true", ""); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("its messages are %v, were %v", after, before)
	}
	if status, _ := h.call("POST", "/v1/threads/none/restore", ""); status != http.StatusNotFound {
		t.Errorf("what never was: %d", status)
	}
}

func TestFilesOfOneName(t *testing.T) {
	h := openHouse(t, fullAnswer)
	// said is what became of a file: its name, whether it was there, and beside what.
	said := func(status int, out map[string]any) string {
		t.Helper()
		var all []string
		for _, d := range out["documents"].([]any) {
			one := d.(map[string]any)
			h.ready(one["id"].(string))
			all = append(all, fmt.Sprint(one["name"], " ", one["unchanged"], " ", one["same_name"] != nil))
		}
		for _, e := range out["errors"].([]any) {
			one := e.(map[string]any)
			all = append(all, fmt.Sprint(one["name"], " ", one["code"], " ", one["same_name"] != nil))
		}
		return fmt.Sprint(status, ": ", strings.Join(all, ", "))
	}
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"file:a.txt", "The walrus sleeps."}, "202: a.txt <nil> false"},
		{[]string{"file:a.txt", "The giraffe eats."}, "202: a (2).txt <nil> true"},
		{[]string{"file:a.txt", "The giraffe eats."}, "202: a (2).txt true false"},
		{[]string{"on_same_name", "refuse", "file:a.txt", "The pelican.", "file:b.txt", "The octopus."}, "202: b.txt <nil> false, a.txt CONFLICT true"},
		{[]string{"on_same_name", "refuse", "file:a.txt", "The pelican."}, "422: a.txt CONFLICT true"},
		// a meta of its own counts more than the field
		{[]string{"on_same_name", "refuse", "meta", `{"on_same_name":"new_version"}`, "file:a.txt", "The pelican.", "file:a.txt", "The lizard."},
			"202: a.txt <nil> false, a.txt CONFLICT true"},
		{[]string{"meta", `{"folder":"work"}`, "file:a.txt", "The lizard."}, "202: a.txt <nil> false"},
		{[]string{"meta", `{"source":"/x/a.txt","on_same_name":"refuse"}`, "file:a.txt", "The lizard."}, "202: a.txt <nil> false"},
	} {
		if got := said(h.upload(c.parts...)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.parts, got, c.want)
		}
	}
	for _, parts := range [][]string{{"on_same_name", "both", "file:a.txt", "x"}, {"meta", `{"on_same_name":"both"}`, "file:a.txt", "x"}} {
		if status, out := h.upload(parts...); status != http.StatusBadRequest {
			t.Errorf("%q: %d %v", parts, status, out)
		}
	}
}
