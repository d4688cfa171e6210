package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
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

// plainFiles reads every file as one paragraph of text, but endless.txt without an end.
type plainFiles struct{}

func (plainFiles) Extract(ctx context.Context, o ingest.Original, _ func(page, pages int)) (ibid.Extract, error) {
	if o.Name == "endless.txt" {
		<-ctx.Done()
		return ibid.Extract{}, ctx.Err()
	}
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
func (h *house) frames(resp *http.Response, stop func(got []frame) bool) []frame {
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
				if stop != nil && stop(all) {
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

func (h *house) rawStatus(method, path string) (int, string) {
	resp := h.open(method, path, "")
	defer resp.Body.Close()
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	return resp.StatusCode, string(raw)
}
