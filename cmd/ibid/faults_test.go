package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/say"
)

// TestEveryFaultEndsInASavedMessage lets a model server fail in every way that
// was seen from real ones. What a retry mends ends in an answer; the rest ends
// in a saved message of the right kind, and the thread goes on.
func TestEveryFaultEndsInASavedMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	model := ibidtest.OllamaServer(t)
	_, url := h.serve("--model", "ollama:test@"+model.URL)

	fault := func(f ibidtest.Fault, at int) ibidtest.Reply {
		r := ibidtest.Say("The warranty lasts two years from the day of delivery and not a day longer than that, as the terms of sale say in plain words.")
		r.Fault, r.FaultAt = f, at
		return r
	}
	status := func(code int, body, retryAfter string) ibidtest.Reply {
		return ibidtest.Reply{Fault: ibidtest.FaultStatus, Status: code, Body: body, RetryAfter: retryAfter}
	}
	good := ibidtest.Say("Two years.")
	again := func(r ibidtest.Reply) []ibidtest.Reply { return []ibidtest.Reply{r, good} }
	always := func(r ibidtest.Reply) []ibidtest.Reply { return []ibidtest.Reply{r, r, r, r, r, r} }
	overflow := `{"error":"{\"error\":{\"code\":400,\"message\":\"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":9000,\"n_ctx\":4096}}"}`

	for _, c := range []struct {
		name    string
		replies []ibidtest.Reply
		status  ibid.Status
		code    ibid.Code
	}{
		{"a server error once", again(status(500, "", "")), ibid.StatusCompleted, ""},
		{"too many requests once", again(status(429, "", "1")), ibid.StatusCompleted, ""},
		{"cut before the first word", again(fault(ibidtest.FaultCut, 0)), ibid.StatusCompleted, ""},
		{"cut in mid-answer", again(fault(ibidtest.FaultCut, 20)), ibid.StatusCompleted, ""},
		{"a polite end without its marker", again(fault(ibidtest.FaultQuietEnd, 20)), ibid.StatusCompleted, ""},
		{"garbage", again(fault(ibidtest.FaultGarbage, 20)), ibid.StatusCompleted, ""},
		{"half a value", again(fault(ibidtest.FaultHalfJSON, 20)), ibid.StatusCompleted, ""},
		{"an error inside a 200", again(fault(ibidtest.FaultErrorInside, 20)), ibid.StatusCompleted, ""},
		{"server errors for good", always(status(500, "", "")), ibid.StatusFailed, ibid.CodeLLMUnavailable},
		{"a prompt that is too long", always(status(400, overflow, "")), ibid.StatusFailed, ibid.CodeContextOverflow},
		{"a model that is not there", always(status(404, `{"error":"model 'test' not found"}`, "")), ibid.StatusFailed, ibid.CodeLLM},
	} {
		t.Run(c.name, func(t *testing.T) {
			model.Script.Drop() // what the last case left over
			model.Script.Add(c.replies...)
			m := askAndWait(t, url, `{"message":"how long?","think":"off"}`)
			if m.Status != c.status || c.status == ibid.StatusFailed && (m.Error == nil || m.Error.Code != c.code) {
				t.Fatalf("ended as %s, error %+v, text %q", m.Status, m.Error, m.Text)
			}
			if c.status == ibid.StatusCompleted && m.Text != "Two years." {
				t.Fatalf("answered %q", m.Text)
			}
			if m.Text == "" {
				t.Fatal("the saved message is empty")
			}
		})
	}
}

// askAndWait asks in a thread of its own by POST /chat/stream, reads to the end
// and returns the saved message.
func askAndWait(t *testing.T, url, body string) ibid.Message {
	t.Helper()
	resp, err := http.Post(url+"/chat/stream", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), `data: {"type":"done"`) {
			break
		}
	}
	var m ibid.Message
	getInto(t, url+"/v1/messages/"+resp.Header.Get("X-Message-Id"), &m)
	return m
}

// TestHangingModelsRunIntoTheTimeLimit lets the model stand still before and in
// mid-answer. The question's own time limit ends the run; what there was is kept.
func TestHangingModelsRunIntoTheTimeLimit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	long := strings.Repeat("word ", 80)
	stall := ibidtest.Say(long)
	stall.Fault, stall.FaultAt = ibidtest.FaultStall, 70
	wedge := ibidtest.Reply{Fault: ibidtest.FaultWedge}
	plan := ibidtest.Plan("I will look.")
	plan.Repeat = true
	for name, reply := range map[string]ibidtest.Reply{"in mid-answer": stall, "before it": wedge} {
		t.Run(name, func(t *testing.T) {
			model := ibidtest.OllamaServer(t)
			_, url := h.serveApart("--model", "ollama:test@"+model.URL)
			ibidtest.Patiently(t, 1500*time.Millisecond, func(limit time.Duration) error {
				model.Script.Drop()
				model.Script.Add(plan, reply)
				body := fmt.Sprintf(`{"query":"how long?","timeout_ms":%d}`, limit.Milliseconds())
				resp, err := http.Post(url+"/api/query/stream", "application/json", strings.NewReader(body))
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				var events []string
				for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
					if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok && (len(events) == 0 || events[len(events)-1] != name) {
						events = append(events, name)
					}
				}
				var m ibid.Message
				getInto(t, url+"/v1/messages/"+resp.Header.Get("X-Message-Id"), &m)
				got := strings.Join(events, " ")
				if !strings.HasSuffix(got, "error sources done") || m.Status != ibid.StatusFailed || m.Error == nil || m.Error.Code != ibid.CodeTimeout {
					return fmt.Errorf("events %s; saved as %s, %+v", got, m.Status, m.Error)
				}
				if name == "in mid-answer" && !strings.HasPrefix(m.Text, "word word") {
					return fmt.Errorf("what there was is lost: %q", m.Text)
				}
				return nil
			})
		})
	}
}

// serveApart serves a data directory of its own.
func (h house) serveApart(args ...string) (*process, string) {
	h.t.Helper()
	h.data = h.t.TempDir()
	return h.serve(args...)
}

// TestStopEndsTheModelsWork stops an endless answer and asks the model server
// what it made for us after that: nothing.
func TestStopEndsTheModelsWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	endless := ibidtest.Reply{Text: []string{"on ", "and "}, Endless: true, Pace: 5 * time.Millisecond, Repeat: true}
	model := ibidtest.OllamaServer(t, endless)
	_, url := h.serve("--model", "ollama:test@"+model.URL)
	for i := range 10 {
		thread := fmt.Sprintf("t%d", i)
		resp, err := http.Post(url+"/v1/threads/"+thread+"/user_message", "application/json", strings.NewReader(`{"input_text":"go on","think":"off"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		before := model.Stats().Sent
		model.Await(t, "some words", func(s ibidtest.ServerStats) bool { return s.Sent > before+80 })
		resp, err = http.Post(url+"/v1/threads/"+thread+"/stop", "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		atReply := model.Stats()
		var out struct {
			MessageID   string      `json:"message_id"`
			Status      ibid.Status `json:"status"`
			StoppedInMS *int64      `json:"stopped_in_ms"`
		}
		err = json.NewDecoder(resp.Body).Decode(&out)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || out.Status != ibid.StatusStopped || out.StoppedInMS == nil {
			t.Fatalf("stop: %d %+v, %v", resp.StatusCode, out, err)
		}
		var m ibid.Message
		getInto(t, url+"/v1/messages/"+out.MessageID, &m)
		if m.Status != ibid.StatusStopped || !strings.HasPrefix(m.Text, "on and ") {
			t.Fatalf("saved %s %q", m.Status, m.Text)
		}
		model.Await(t, "the client leave", func(s ibidtest.ServerStats) bool { return s.Disconnects == i+1 && s.Open == 0 })
		after := model.Stats()
		// The model server may not have been told yet that its connection is closed.
		if more := after.Sent + after.AfterDisconnect - atReply.Sent - atReply.AfterDisconnect; more > 20 {
			t.Errorf("%d pieces were made after the reply to stop", more)
		}
	}
}

// TestDiskFullInMidAnswer fills the disk while an answer is written. The run
// ends as a saved message that says so, and the thread goes on once there is
// room again.
func TestDiskFullInMidAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := os.Mkdir(h.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", h.data).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %s", say.OneLine(string(out), 100))
	}
	defer exec.Command("umount", h.data).Run()
	h.must("add", h.file("terms.md", warrantyText))
	model := ibidtest.OllamaServer(t, ibidtest.Reply{Text: []string{strings.Repeat("on and ", 100)}, Endless: true, Pace: time.Millisecond})
	server, url := h.serve("--model", "ollama:test@"+model.URL)
	resp, err := http.Post(url+"/chat/stream", "application/json", strings.NewReader(`{"message":"go on","conversation_id":"t1","think":"off"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	model.Await(t, "some words", func(s ibidtest.ServerStats) bool { return s.Sent > 50 })
	filler := filepath.Join(h.data, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = f.Write(block)
	}
	f.Close()
	id := resp.Header.Get("X-Message-Id")
	var last string
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil || strings.HasPrefix(line, `data: {"type":"done"`) {
			last = line
			break
		}
	}
	if !strings.HasPrefix(last, `data: {"type":"done"`) {
		t.Errorf("the reader was not told of the end: %.200s", last)
	}
	var m ibid.Message
	getInto(t, url+"/v1/messages/"+id, &m)
	if m.Status != ibid.StatusFailed || m.Error == nil || m.Error.Code != ibid.CodeDiskFull || !strings.HasPrefix(m.Text, "on and ") {
		t.Fatalf("saved as %s, %+v, %d bytes", m.Status, m.Error, len(m.Text))
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	model.Script.Add(ibidtest.Say("Two years."))
	if again := askAndWait(t, url, `{"message":"how long?","conversation_id":"t1","think":"off"}`); again.Text != "Two years." {
		t.Errorf("the thread did not go on: %+v", again)
	}
	server.cmd.Process.Kill()
	server.end()
}
