package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

func TestStreamParameters(t *testing.T) {
	h := openHouse(t, fullAnswer)
	_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"q"}`)
	id := accepted["message_id"].(string)
	h.frames(h.open("GET", "/v1/threads/t1/stream", ""), nil)
	for path, want := range map[string]int{
		"/v1/threads/t1/stream?last_message_id=" + id:                      400,
		"/v1/threads/t1/stream?last_entry_id=3":                            400,
		"/v1/threads/t1/stream?last_message_id=" + id + "&last_entry_id=x": 400,
		"/v1/threads/none/stream":                                          404,
		"/v1/threads/t1/stream?last_message_id=none&last_entry_id=1":       404,
		"/v1/messages/" + id + "/events?after=-1":                          400,
		"/v1/messages/none":                                                404,
		"/v1/messages/none/events":                                         404,
		"/rag":                                                             400,
		"/rag?message_id=none":                                             404,
		"/v1/search":                                                       400,
		"/v1/search?q=x&limit=0":                                           400,
		"/v1/documents/none":                                               404,
		"/v1/documents/none/file":                                          404,
		"/v1/documents/none/file?version=..%2f..%2fetc%2fpasswd":           404,
		"/v1/nothing":                                                      404,
	} {
		if status, body := h.rawStatus("GET", path); status != want {
			t.Errorf("GET %s gave %d %s, want %d", path, status, body, want)
		}
	}
	ended := h.frames(h.open("GET", "/v1/threads/t1/stream?last_message_id="+id+"&last_entry_id=2", ""), nil)
	if names(ended) != "message_not_streaming" {
		t.Errorf("resume after the end gave %s", names(ended))
	}
}

// TestConflictTellsWhereToAttach asks twice and follows the 409 to the live run.
func TestConflictTellsWhereToAttach(t *testing.T) {
	release := make(chan struct{})
	h := openHouse(t, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.AnswerStarted{Model: "m"})
		select {
		case <-release:
		case <-ctx.Done():
		}
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "done"})
	})
	_, first := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`)
	status, out := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"b"}`)
	if status != 409 || out["message_id"] != first["message_id"] || out["last_entry_id"] == "" ||
		out["error"].(map[string]any)["code"] != "CONFLICT" {
		t.Fatalf("%d %v", status, out)
	}
	resp := h.open("GET", fmt.Sprintf("/v1/threads/t1/stream?last_message_id=%v&last_entry_id=%v", out["message_id"], out["last_entry_id"]), "")
	close(release)
	frames := h.frames(resp, nil)
	if got := names(frames); !strings.HasSuffix(got, "text_delta text_end step:memory message_end done") {
		t.Fatalf("attached and saw %s", got)
	}
}

// TestCutReadersMissNothing cuts readers of one running answer at random frames
// and lets them resume; what they fold together must equal what an uncut reader
// folds.
func TestCutReadersMissNothing(t *testing.T) {
	const deltas = 300
	start := make(chan struct{})
	begin := sync.OnceFunc(func() { close(start) })
	h := openHouse(t, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		<-start
		_ = emit(ibid.QueryAnalyzed{Query: "q", Complexity: "simple"})
		for i := range deltas {
			var d ibid.EventData = ibid.AnswerDelta{Text: fmt.Sprintf("w%d ", i)}
			switch {
			case i < deltas/3:
				d = ibid.ReasoningDelta{Text: fmt.Sprintf("r%d ", i)}
			case i == deltas/3:
				d = ibid.ToolStarted{CallID: "a", Tool: "calculator", Input: []byte(`{}`)}
			case i == deltas/3+1:
				d = ibid.ToolFinished{CallID: "a", Tool: "calculator", OK: true}
			case i == deltas/2:
				d = ibid.AnswerRetracted{Reason: "tried again"}
			}
			if err := emit(d); err != nil {
				return agent.Outcome{}, err
			}
			if i%7 == 0 {
				time.Sleep(time.Millisecond) // lets readers keep up with some, not all
			}
		}
		return agent.Outcome{}, nil
	})
	_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`)
	id := accepted["message_id"].(string)
	var group sync.WaitGroup
	stories := make([]string, 60)
	cuts := make([]int, len(stories))
	for i := range stories {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			var all []frame
			path, last := "/v1/threads/t1/stream", ""
			for {
				cut := 1 + rng.IntN(6)
				if i == 0 {
					cut = 1 << 30 // the uncut reader
				}
				var header []string
				if last != "" {
					header = []string{"Last-Event-ID", last}
				}
				resp := h.open("GET", path, "", header...)
				if i == 1 {
					begin() // with one reader at least, who is cut before the end
				}
				got := h.frames(resp, func(got []frame) bool { return len(got) >= cut })
				if len(got) > 0 && got[0].event == "message_not_streaming" {
					break // the rest is in the log
				}
				all = append(all, got...)
				if len(all) > 0 {
					last = all[len(all)-1].id
					path = "/v1/threads/t1/stream?last_message_id=" + id + "&last_entry_id=" + last
				}
				if n := len(all); n > 0 && all[n-1].event == "done" {
					break
				}
				cuts[i]++
			}
			stories[i] = story(t, h, id, all, last)
		})
	}
	group.Wait()
	total := 0
	for i, s := range stories {
		total += cuts[i]
		if s != stories[0] {
			t.Errorf("reader %d (cut %d times) saw another story; it ends\n…%s\nthe uncut one's\n…%s", i, cuts[i],
				lastOf(s), lastOf(stories[0]))
		}
	}
	t.Logf("%d readers, %d cuts", len(stories), total)
	if total == 0 {
		t.Fatal("nothing was cut")
	}
}

func lastOf(s string) string { return s[max(0, len(s)-2000):] }

// story folds frames into what a page would show. What a reader had not seen
// when the run ended it takes from the log, as a client does.
func story(t *testing.T, h *house, runID string, frames []frame, last string) string {
	var b strings.Builder
	text := ""
	for _, f := range frames {
		switch f.event {
		case "text_delta":
			text += f.data["text"].(string)
		case "text_retracted":
			text = ""
			b.WriteString("|retracted|")
		case "reasoning_delta":
			b.WriteString(f.data["text"].(string))
		case "step":
			fmt.Fprintf(&b, "|%v %v|", f.data["kind"], f.data["call_id"])
		}
	}
	after, _ := strconv.ParseInt(last, 10, 64)
	rest, err := h.db.Events(context.Background(), access.For(ibid.Owner), runID, after, 10_000)
	if err != nil {
		t.Error(err)
	}
	for _, e := range rest {
		switch d := e.Data.(type) {
		case ibid.AnswerDelta:
			text += d.Text
		case ibid.AnswerRetracted:
			text = ""
			b.WriteString("|retracted|")
		case ibid.ReasoningDelta:
			b.WriteString(d.Text)
		case ibid.ToolStarted:
			fmt.Fprintf(&b, "|tool_call %v|", d.CallID)
		case ibid.ToolFinished:
			fmt.Fprintf(&b, "|tool_result %v|", d.CallID)
		case ibid.QueryAnalyzed:
			b.WriteString("|analysis <nil>|")
		case ibid.MemoryMeasured:
			b.WriteString("|memory <nil>|")
		}
	}
	return b.String() + "\n" + text
}

func TestRAGKeepsItsOrder(t *testing.T) {
	h := openHouse(t, fullAnswer)
	resp := h.open("POST", "/rag", `{"query":"how long?","session_id":"s1"}`)
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	var types []string
	for line := range bytes.Lines(raw) {
		var l struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		if n := len(types); n == 0 || types[n-1] != l.Type {
			types = append(types, l.Type)
		}
	}
	if got := strings.Join(types, " "); got != "thinking metadata text memory" {
		t.Fatalf("lines: %s", got)
	}
	status, m := h.call("GET", "/api/messages/"+resp.Header.Get("X-Message-Id"), "")
	if status != 200 || m["content"] != "Three months [c_1]." {
		t.Fatalf("%d %v", status, m)
	}
}

func TestAReaderThatLeavesDoesNotEndTheRun(t *testing.T) {
	release := make(chan struct{})
	h := openHouse(t, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		_ = emit(ibid.AnswerStarted{Model: "m"})
		select {
		case <-release:
		case <-ctx.Done():
			return agent.Outcome{}, ctx.Err()
		}
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "whole"})
	})
	resp := h.open("POST", "/rag", `{"question":"a"}`)
	id := resp.Header.Get("X-Message-Id")
	resp.Body.Close()
	close(release)
	again := h.open("GET", "/rag?message_id="+id, "")
	defer again.Body.Close()
	raw, _ := io.ReadAll(again.Body)
	if !strings.Contains(string(raw), `{"type":"text","data":"whole"}`) {
		t.Fatalf("watched again: %s", raw)
	}
}
