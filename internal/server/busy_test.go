package server_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/run"
	"ibid/internal/server"
	"ibid/internal/store/sqlite"
)

// Where so many questions wait that one more is refused, every protocol says so
// before its stream begins, and nothing is saved of the question.
func TestTooManyQuestionsAreRefused(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	began := make(chan struct{}, 10)
	answer := func(ctx context.Context, _ agent.Task, _ func(ibid.EventData) error) (agent.Outcome, error) {
		began <- struct{}{}
		select {
		case <-hold:
		case <-ctx.Done():
		}
		return agent.Outcome{}, ctx.Err()
	}
	h := openHouse(t, answer, func(cfg *server.Config) {
		db := cfg.Threads.(*sqlite.DB)
		self, err := db.Join()
		if err != nil {
			t.Fatal(err)
		}
		runner := run.New(run.Config{Store: db, Leases: db, Threads: db, Answer: answer, Owner: self.Owner(), MaxRuns: 1, MaxQueued: 2, Now: time.Now, NewID: cfg.NewID})
		runner.Open()
		t.Cleanup(func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			runner.Close(ctx)
		})
		cfg.Runner.Close(t.Context()) // else it would take runs as well
		cfg.Runner = runner
	})
	for i := range 3 { // one is answered, two wait
		if status, body := h.call("POST", fmt.Sprintf("/v1/threads/t%d/user_message", i), `{"input_text":"q"}`); status != http.StatusAccepted {
			t.Fatalf("question %d: %d %v", i, status, body)
		}
		if i == 0 {
			<-began
		}
	}
	for path, body := range map[string]string{
		"/v1/threads/more/user_message": `{"input_text":"q"}`,
		"/rag":                          `{"question":"q","session_id":"more"}`,
		"/chat/stream":                  `{"message":"q","conversation_id":"more"}`,
		"/chat/batch":                   `{"message":"q","conversation_id":"more"}`,
		"/api/query/stream":             `{"query":"q","session_id":"more"}`,
		"/api/chat/stream":              `{"message":"q","session_id":"more"}`,
	} {
		resp := h.open("POST", path, body)
		after := resp.Header.Get("Retry-After")
		resp.Body.Close()
		if resp.StatusCode != http.StatusTooManyRequests || after == "" || after == "0" {
			t.Errorf("%s answered %d, Retry-After %q", path, resp.StatusCode, after)
		}
		_, failure := h.call("POST", path, body)
		if code := failure["error"].(map[string]any)["code"]; code != string(ibid.CodeBusy) {
			t.Errorf("%s said %v", path, failure)
		}
	}
	if status, body := h.call("GET", "/v1/threads/more", ""); status != http.StatusNotFound {
		t.Errorf("something was saved of a refused question: %d %v", status, body)
	}
	// An older thread stays as it was, too.
	if _, body := h.call("GET", "/v1/threads/t2/messages?all=true", ""); len(body["messages"].([]any)) != 2 {
		t.Errorf("messages %v", body)
	}
}
