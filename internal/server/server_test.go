package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	dirblob "ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/engine/local"
	"ibid/internal/ingest"
	"ibid/internal/run"
	"ibid/internal/search"
	"ibid/internal/server"
	"ibid/internal/server/api"
	"ibid/internal/store/sqlite"
)

// house is the server over a real database and index; only the agent and the
// file reader are scripted.
type house struct {
	t   *testing.T
	url string
	db  *sqlite.DB
	cfg server.Config
}

type answerFunc = func(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error)

// plainFiles reads every file as one paragraph of text.
type plainFiles struct{}

func (plainFiles) Extract(_ context.Context, o ingest.Original, _ func(page, pages int)) (ibid.Extract, error) {
	return ibid.Extract{Title: o.Name, Format: "text", Text: "The notice period is three months.",
		Blocks: []ibid.Block{{Kind: ibid.BlockParagraph, Start: 0, End: 34}}}, nil
}

func (plainFiles) PageImage(context.Context, string, int, int) ([]byte, error) {
	return nil, ibid.Errorf(ibid.CodeNotFound, "no pages")
}

type passages struct{ *sqlite.DB }

func (p passages) Documents(ctx context.Context, view access.View, ids []string) ([]ibid.Document, error) {
	return p.DocumentsByID(ctx, view, ids)
}

func openHouse(t *testing.T, answer answerFunc, change ...func(*server.Config)) *house {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	self, err := db.Join()
	if err != nil {
		t.Fatal(err)
	}
	var ids atomic.Int64
	newID := func() string { return fmt.Sprintf("id-%06d", ids.Add(1)) }
	x := local.NewKept(local.KeptConfig{Path: filepath.Join(dir, "index.snapshot"), Library: db})
	searcher := search.New(search.Config{Engine: x, Store: passages{db}})
	originals, err := dirblob.Open(disk.OS{}, filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	pipeline, err := ingest.New(ingest.Config{Dir: dir, Owner: self.Owner(), Notifier: self, Leases: db, Blobs: originals, Store: db, Library: db, Sweeper: db, Divider: db, Graph: db, Embeddings: db, Engine: x,
		Extractor: plainFiles{}, SetEmbedder: searcher.SetEmbedder, Now: time.Now, NewID: newID})
	if err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	runner := run.New(run.Config{Store: db, Leases: db, Threads: db, Answer: answer, Owner: self.Owner(), Notifier: self, Now: time.Now, NewID: newID})
	runner.Open()
	cfg := server.Config{Runner: runner, Threads: db, Messages: db, Branches: db, Library: db, Pipeline: pipeline, Originals: pipeline, Searcher: searcher,
		Status: func(context.Context) api.Status { return api.Status{} }, Doctor: func(context.Context) []api.Check { return nil },
		Repair: pipeline.Rebuild, Ready: db.Check, Now: time.Now, NewID: newID}
	for _, c := range change {
		c(&cfg)
	}
	ts := httptest.NewServer(server.New(cfg).Handler())
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		runner.Close(ctx)
		ts.CloseClientConnections()
		ts.Close()
		pipeline.Stop()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &house{t: t, url: ts.URL, db: db, cfg: cfg}
}

// call sends a request and decodes the JSON of its answer.
func (h *house) call(method, path, body string, header ...string) (int, map[string]any) {
	h.t.Helper()
	resp := h.open(method, path, body, header...)
	defer resp.Body.Close()
	var out map[string]any
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out); err != nil {
			h.t.Fatalf("%s %s answered %q", method, path, raw)
		}
	}
	return resp.StatusCode, out
}

func (h *house) open(method, path, body string, header ...string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp
}

// frame is one server-sent event as a client sees it.
type frame struct {
	id, event string
	data      map[string]any
}

// frames reads server-sent events until the stream ends or stop says so.
func (h *house) frames(resp *http.Response, stop func(n int) bool) []frame {
	h.t.Helper()
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		raw, _ := io.ReadAll(resp.Body)
		h.t.Fatalf("not a stream but %s: %s", kind, raw)
	}
	var all []frame
	var f frame
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "":
			if f.data != nil {
				all = append(all, f)
				if stop != nil && stop(len(all)) {
					return all
				}
			}
			f = frame{}
		case strings.HasPrefix(line, "id: "):
			f.id = line[4:]
		case strings.HasPrefix(line, "event: "):
			f.event = line[7:]
		case strings.HasPrefix(line, "data: "):
			if err := json.Unmarshal([]byte(line[6:]), &f.data); err != nil {
				h.t.Fatalf("frame %q: %v", line, err)
			}
		}
	}
	return all
}

func names(frames []frame) string {
	var out []string
	for _, f := range frames {
		name := f.event
		if kind, ok := f.data["kind"].(string); ok {
			name += ":" + kind
		}
		if n := len(out); n > 0 && out[n-1] == name {
			continue
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// fullAnswer emits one event of everything that the first protocols show.
func fullAnswer(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
	for _, d := range []ibid.EventData{
		ibid.QueryAnalyzed{Query: "q", Complexity: "simple", Mode: ibid.ModeAgentic, SubQueries: []string{}},
		ibid.ReasoningDelta{Text: "I will "}, ibid.ReasoningDelta{Text: "search."},
		ibid.ToolStarted{CallID: "a", Tool: "search_knowledge_base", Input: []byte(`{"query":"notice"}`), Detail: "notice", Iteration: 1},
		ibid.ToolFinished{CallID: "a", Tool: "search_knowledge_base", OK: true, Summary: "1 passage", Output: "…",
			Retrieval: &ibid.Retrieval{ChunksFound: 1, TopScore: 0.9, Levels: map[string]int{"L2": 1}}},
		ibid.CitationAdded{Citation: ibid.Citation{N: 1, ChunkID: "c_1", DocumentID: "d", Path: []string{}, Pages: []int{3}, Quote: "three months", Level: "L2"}},
		ibid.AnswerStarted{Model: "m", ContextChunks: 1, ContextTokens: 10},
		ibid.AnswerDelta{Text: "Three "}, ibid.AnswerDelta{Text: "months [c_1]."},
	} {
		if err := emit(d); err != nil {
			return agent.Outcome{}, err
		}
	}
	return agent.Outcome{Iterations: 2, ToolsUsed: []string{"search_knowledge_base"}, SourcesCount: 1}, nil
}

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

func (h *house) rawStatus(method, path string) (int, string) {
	resp := h.open(method, path, "")
	defer resp.Body.Close()
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	return resp.StatusCode, string(raw)
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
				got := h.frames(resp, func(n int) bool { return n >= cut })
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
