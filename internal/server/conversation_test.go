package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ibid"
	"ibid/internal/agent"
)

// memory is an agent that remembers what it was told of the past.
type memory struct {
	mu      sync.Mutex
	history map[string][]string // question → texts of the history it came with
}

func (m *memory) answer(_ context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var texts []string
	for _, turn := range task.History {
		texts = append(texts, turn.Text())
	}
	m.history[task.Request.Text] = texts
	return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "re: " + task.Request.Text})
}

func (m *memory) of(question string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.history[question], " | ")
}

// ask asks in a thread, waits for the answer and returns both ids.
func (h *house) ask(thread, text, edit string) (user, answer string) {
	h.t.Helper()
	body := fmt.Sprintf(`{"input_text":%q,"edit_message_id":%q}`, text, edit)
	status, accepted := h.call("POST", "/v1/threads/"+thread+"/user_message", body)
	if status != 202 {
		h.t.Fatalf("ask %q: %d %v", text, status, accepted)
	}
	h.frames(h.open("GET", "/v1/threads/"+thread+"/stream", ""), nil)
	return accepted["user_message_id"].(string), accepted["message_id"].(string)
}

// said returns the texts of the branch that a thread shows.
func (h *house) said(thread string) string {
	h.t.Helper()
	_, list := h.call("GET", "/v1/threads/"+thread+"/messages", "")
	var texts []string
	for _, m := range list["messages"].([]any) {
		texts = append(texts, m.(map[string]any)["text"].(string))
	}
	return strings.Join(texts, " | ")
}

// TestEditsAreBranches edits a question: the new branch forgets what the old
// one said, the old one is kept, can be shown again, and goes on from there.
func TestEditsAreBranches(t *testing.T) {
	m := &memory{history: map[string][]string{}}
	h := openHouse(t, m.answer)
	h.ask("t1", "one", "")
	second, oldHead := h.ask("t1", "two", "")
	if got := m.of("two"); got != "one | re: one" {
		t.Fatalf("history of two: %s", got)
	}
	h.ask("t1", "other two", second)
	if got := m.of("other two"); got != "one | re: one" {
		t.Fatalf("the edit still remembers: %s", got)
	}
	h.ask("t1", "three", "")
	if got := m.of("three"); got != "one | re: one | other two | re: other two" {
		t.Fatalf("history on the new branch: %s", got)
	}
	if got := h.said("t1"); got != "one | re: one | other two | re: other two | three | re: three" {
		t.Fatalf("shown: %s", got)
	}
	if status, _ := h.call("PATCH", "/v1/threads/t1", fmt.Sprintf(`{"head_id":%q}`, oldHead)); status != 200 {
		t.Fatalf("select a branch: %d", status)
	}
	if got := h.said("t1"); got != "one | re: one | two | re: two" {
		t.Fatalf("the old branch shows %s", got)
	}
	h.ask("t1", "after two", "")
	if got := m.of("after two"); got != "one | re: one | two | re: two" {
		t.Fatalf("history on the old branch: %s", got)
	}
	_, all := h.call("GET", "/v1/threads/t1/messages?all=true", "")
	if n := len(all["messages"].([]any)); n != 10 {
		t.Fatalf("%d messages on all branches", n)
	}
	if status, _ := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"x","edit_message_id":"nothing"}`); status != 404 {
		t.Errorf("an edit of nothing: %d", status)
	}
	if status, _ := h.call("POST", "/v1/threads/t1/user_message", fmt.Sprintf(`{"input_text":"x","edit_message_id":%q}`, oldHead)); status != 400 {
		t.Errorf("an edit of an answer: %d", status)
	}
}

func TestDeletedMessagesAreForgotten(t *testing.T) {
	m := &memory{history: map[string][]string{}}
	h := openHouse(t, m.answer)
	h.ask("t1", "one", "")
	second, _ := h.ask("t1", "two", "")
	if status, _ := h.call("DELETE", "/v1/messages/"+second, ""); status != 204 {
		t.Fatalf("delete: %d", status)
	}
	if got := h.said("t1"); got != "one | re: one" {
		t.Fatalf("shown: %s", got)
	}
	h.ask("t1", "three", "")
	if got := m.of("three"); got != "one | re: one" {
		t.Fatalf("history: %s", got)
	}
	if status, _ := h.call("DELETE", "/v1/threads/t1", ""); status != 204 {
		t.Fatalf("delete the thread: %d", status)
	}
	if status, _ := h.call("GET", "/v1/threads/t1", ""); status != 404 {
		t.Fatalf("the thread is still there: %d", status)
	}
}

// TestThreadsExistFromTheirFirstMessage holds that looking creates nothing.
func TestThreadsExistFromTheirFirstMessage(t *testing.T) {
	h := openHouse(t, fullAnswer)
	h.call("GET", "/v1/threads/t1", "")
	h.call("POST", "/v1/threads/t1/user_message", `{"input_text":""}`)
	if _, list := h.call("GET", "/v1/threads", ""); len(list["threads"].([]any)) != 0 {
		t.Fatalf("threads: %v", list)
	}
	for path, body := range map[string]string{
		"/rag": `{"question":"q","session_id":"s-rag"}`, "/chat/stream": `{"message":"q","conversation_id":"s-chat"}`,
		"/chat/batch": `{"message":"q","conversation_id":"s-batch"}`, "/api/query/stream": `{"query":"q","session_id":"s-query"}`,
		"/api/chat/stream": `{"message":"q","session_id":"s-tokens"}`,
	} {
		resp := h.open("POST", path, body)
		buf := make([]byte, 64<<10)
		for {
			if _, err := resp.Body.Read(buf); err != nil {
				break
			}
		}
		resp.Body.Close()
	}
	for _, id := range []string{"s-rag", "s-chat", "s-batch", "s-query", "s-tokens"} {
		if got := h.said(id); got != "q | Three months [c_1]." {
			t.Errorf("thread %s, started through its own protocol: %s", id, got)
		}
	}
}

func TestThreadTitles(t *testing.T) {
	h := openHouse(t, fullAnswer)
	h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"q"}`)
	for title, want := range map[string]int{"Mine": 200, "": 400, "two\\nlines": 400, strings.Repeat("x", 1001): 400} {
		if status, out := h.call("PATCH", "/v1/threads/t1", `{"title":"`+title+`"}`); status != want {
			t.Errorf("the title %.20q: %d %v", title, status, out)
		}
	}
}

// TestTwoScopedQuestionsAtOnce holds that each run is given its own scope.
func TestTwoScopedQuestionsAtOnce(t *testing.T) {
	both := make(chan struct{}, 2)
	release := make(chan struct{})
	h := openHouse(t, func(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		both <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "in " + task.Request.Scope.Category})
	})
	h.call("POST", "/v1/threads/a/user_message", `{"input_text":"q","scope":{"category":"red"}}`)
	h.call("POST", "/v1/threads/b/user_message", `{"input_text":"q","scope":{"category":"blue"}}`)
	<-both
	<-both
	close(release)
	for thread, want := range map[string]string{"a": "q | in red", "b": "q | in blue"} {
		h.frames(h.open("GET", "/v1/threads/"+thread+"/stream", ""), nil)
		if got := h.said(thread); got != want {
			t.Errorf("thread %s: %s", thread, got)
		}
	}
}

// TestConversationsAreReadInParts pages through a thread in each way there is.
func TestConversationsAreReadInParts(t *testing.T) {
	h := openHouse(t, (&memory{history: map[string][]string{}}).answer)
	_, first := h.ask("t1", "one", "")
	second, _ := h.ask("t1", "two", "")
	h.ask("t1", "other two", second)
	h.ask("t1", "three", "")
	h.ask("t2", "elsewhere", "")
	part := func(query string) (texts, next, newer string, list []any) {
		t.Helper()
		status, answer := h.call("GET", "/v1/threads/t1/messages?"+query, "")
		if status != 200 {
			t.Fatalf("%s: %d %v", query, status, answer)
		}
		list = answer["messages"].([]any)
		var all []string
		for _, m := range list {
			all = append(all, m.(map[string]any)["text"].(string))
		}
		next, _ = answer["next"].(string)
		newer, _ = answer["newer"].(string)
		return strings.Join(all, " | "), next, newer, list
	}
	texts, next, _, list := part("limit=4")
	if texts != "other two | re: other two | three | re: three" || next == "" {
		t.Fatalf("the newest four: %s, next %q", texts, next)
	}
	siblings, _ := list[0].(map[string]any)["siblings"].([]any)
	if len(siblings) != 2 || siblings[0] != second || siblings[1] != list[0].(map[string]any)["id"] || list[1].(map[string]any)["siblings"] != nil {
		t.Fatalf("siblings %v", siblings)
	}
	if texts, next, _, _ := part("limit=4&cursor=" + next); texts != "one | re: one" || next != "" {
		t.Fatalf("before them: %s, next %q", texts, next)
	}
	if texts, next, _, _ = part("all=true&limit=3"); texts != "re: other two | three | re: three" {
		t.Fatalf("of all branches: %s", texts)
	}
	if texts, _, _, _ = part("all=true&limit=3&cursor=" + next); texts != "two | re: two | other two" {
		t.Fatalf("of all branches, before: %s", texts)
	}
	_, _, newer, list := part("around=" + second + "&limit=1")
	if at := list[0].(map[string]any); at["id"] != second || newer == "" {
		t.Fatalf("around the first second question: %v, newer %q", at, newer)
	}
	if texts, _, newer, _ := part("cursor=" + newer); texts != "re: two" || newer != "" {
		t.Fatalf("after it: %s, newer %q", texts, newer)
	}
	if status, thread := h.call("PATCH", "/v1/threads/t1", fmt.Sprintf(`{"branch_id":%q}`, second)); status != 200 || h.said("t1") != "one | re: one | two | re: two" {
		t.Fatalf("%d %v shows %s", status, thread, h.said("t1"))
	}
	if h.call("PATCH", "/v1/threads/t1", fmt.Sprintf(`{"branch_id":%q}`, first)); h.said("t1") != "one | re: one | other two | re: other two | three | re: three" {
		t.Fatalf("the newest branch through the first answer: %s", h.said("t1"))
	}
	for _, bad := range []string{"limit=0", "limit=501", "limit=x", "cursor=x", "all=true&around=" + second, "all=true&cursor=" + next[:8]} {
		if status, answer := h.call("GET", "/v1/threads/t1/messages?"+bad, ""); status != 400 {
			t.Errorf("%s: %d %v", bad, status, answer)
		}
	}
	if status, _ := h.call("PATCH", "/v1/threads/t2", fmt.Sprintf(`{"branch_id":%q}`, second)); status != 404 {
		t.Errorf("another thread's branch: %d", status)
	}
	if status, _ := h.call("GET", "/v1/threads/t2/messages?around="+second, ""); status != 404 {
		t.Errorf("around another thread's message: %d", status)
	}
	_, answer := h.call("GET", "/v1/threads?limit=1&q=ONE", "")
	found := answer["threads"].([]any)
	if len(found) != 1 || found[0].(map[string]any)["id"] != "t1" || answer["next"] != nil {
		t.Errorf("found %v", answer)
	}
	_, answer = h.call("GET", "/v1/threads?limit=1", "")
	if next, _ := answer["next"].(string); next == "" {
		t.Errorf("no next of two threads: %v", answer)
	} else if _, rest := h.call("GET", "/v1/threads?limit=1&cursor="+next, ""); len(rest["threads"].([]any)) != 1 || rest["next"] != nil {
		t.Errorf("after it %v", rest)
	}
}
