package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/client"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// fakeApp is an application that keeps documents in memory and answers every
// question with the same run.
type fakeApp struct {
	mu      sync.Mutex
	token   string
	docs    []ibid.Document
	asked   []api.Question
	lines   []string
	broken  bool   // the answer fails
	stuck   func() // called when somebody looks at the documents, which then stay in work
	stopped bool
}

func (a *fakeApp) Start(context.Context) error { return nil }

func (a *fakeApp) Work(context.Context, *client.Client) {}

func (a *fakeApp) Stop() error {
	a.stopped = true
	return nil
}

func (a *fakeApp) Handler() http.Handler {
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) { json.NewEncoder(w).Encode(v) }
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/documents", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+a.token {
			http.Error(w, `{"error":{"code":"UNAUTHORIZED","message":"no"}}`, http.StatusUnauthorized)
			return
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.stuck != nil {
			a.stuck()
		}
		for i := range a.docs { // each look finds everything done
			if a.docs[i].Status == ibid.DocumentQueued && a.stuck == nil {
				a.docs[i].Status, a.docs[i].Pages, a.docs[i].Chunks = ibid.DocumentReady, 2, 9
			}
		}
		v := r.URL.Query()
		found := []ibid.Document{}
		for _, d := range a.docs {
			if (!v.Has("document") || slices.Contains(v["document"], d.ID)) && (v.Get("source") == "" || v.Get("source") == d.Source) &&
				(v.Get("name") == "" || v.Get("name") == d.Name) && strings.HasPrefix(d.ID, v.Get("id")) && strings.Contains(d.Name+d.Title, v.Get("q")) {
				found = append(found, d)
			}
		}
		reply(w, map[string]any{"documents": found})
	})
	mux.HandleFunc("GET /v1/folders", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"folder": map[string]any{"folders": []any{map[string]any{"path": "x", "folders": []any{map[string]any{"path": "x/y"}}}, map[string]any{"path": "law"}}},
			"categories": []any{map[string]any{"name": "law", "documents": 1}}})
	})
	mux.HandleFunc("GET /v1/categories", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"categories": []any{map[string]any{"name": "law", "documents": 1}}})
	})
	mux.HandleFunc("GET /v1/tags", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"tags":[]}`) })
	mux.HandleFunc("GET /v1/threads", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"threads":[]}`) })
	mux.HandleFunc("POST /v1/documents", a.takeIn)
	mux.HandleFunc("GET /v1/documents/events", a.changes)
	mux.HandleFunc("DELETE /v1/documents/{id}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /v1/documents/{id}", func(w http.ResponseWriter, _ *http.Request) { reply(w, ibid.Document{}) })
	mux.HandleFunc("GET /v1/doctor", func(w http.ResponseWriter, _ *http.Request) {
		level := api.LevelOK
		if a.broken {
			level = api.LevelFail
		}
		reply(w, map[string]any{"checks": []api.Check{{Name: "model", OK: !a.broken, Level: level, Message: "reader", Hint: "mend it"}}})
	})
	mux.HandleFunc("GET /v1/search", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]any{"query": r.URL.Query().Get("q"), "mode": "mix", "passages": []ibid.Passage{{
			Score: 0.5, Document: ibid.Document{Title: "Terms"}, Quote: ibid.Quote{Text: "two years", Page: 3}, Match: ibid.Match{LexicalRank: 1, LexicalScore: 4},
		}}})
	})
	mux.HandleFunc("POST /v1/threads/{id}/user_message", func(w http.ResponseWriter, r *http.Request) {
		var q api.Question
		json.NewDecoder(r.Body).Decode(&q)
		a.asked = append(a.asked, q)
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, `{"message_id":"m1"}`)
	})
	mux.HandleFunc("GET /v1/messages/m1/events", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Join(a.lines, "")) })
	return mux
}

func (a *fakeApp) takeIn(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	taken, refused := []ibid.Document{}, []map[string]string{}
	for i, file := range r.MultipartForm.File["file"] {
		if strings.HasPrefix(file.Filename, "bad") {
			refused = append(refused, map[string]string{"name": file.Filename, "error": "not text: it holds NUL bytes"})
			continue
		}
		d := ibid.Document{ID: "id-" + file.Filename, Name: file.Filename, Status: ibid.DocumentQueued}
		if err := json.Unmarshal([]byte(r.MultipartForm.Value["meta"][i]), &d); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		taken = append(taken, d)
	}
	a.docs = append(a.docs, taken...)
	if len(taken) == 0 {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
	json.NewEncoder(w).Encode(map[string]any{"documents": taken, "errors": refused})
}

// changes tells that nothing is known of the past again and again, so that who
// waits for something asks for it.
func (a *fakeApp) changes(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, "event: behind\ndata: {}\n\n")
}

// runCLI runs a command over the fake application.
func runCLI(t *testing.T, fake *fakeApp, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	c := &cli{in: strings.NewReader(""), out: &o, err: &e, env: ibidtest.Environment("HOME", dir, "IBID_DATA", filepath.Join(dir, "data"))}
	c.open = func(_ context.Context, cfg config.Config) (app.Application, error) {
		if fake == nil {
			return nil, errors.New("the database is broken")
		}
		fake.token = cfg.Token
		return fake, nil
	}
	code = c.run(context.Background(), args)
	return code, o.String(), e.String()
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := ibidtest.WriteFile(t, filepath.Join(dir, "good.md"), "# good")
	bad := ibidtest.WriteFile(t, filepath.Join(dir, "bad.md"), "\x00")
	empty := ibidtest.WriteFile(t, filepath.Join(dir, "empty.md"), "")
	completed, failed := ibidtest.Lines(t, warrantyRun()), ibidtest.Lines(t, ibidtest.LogOf(
		ibid.RunFailed{Code: ibid.CodeLLM, Message: "the model is broken"},
		ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusFailed}}))
	library := []ibid.Document{{ID: "d1-long-id", Name: "a.pdf", Folder: "law/old", Chunks: 3, Source: "/x/a b.pdf", Status: ibid.DocumentReady}}
	tests := []struct {
		args      string
		App       *fakeApp
		code      int
		out, errs string // that must be printed
	}{
		{"", &fakeApp{}, exitOK, "Available Commands", ""},
		{"--version", &fakeApp{}, exitOK, "ibid ", ""},
		{"add --help", &fakeApp{}, exitOK, "ibid add ~/Documents/contracts", ""},
		{"sreach x", &fakeApp{}, exitUsage, "", `did you mean "search"?`},
		{"remove x", &fakeApp{}, exitUsage, "", `there is no command "remove"; it is "rm"`},
		{"version", &fakeApp{}, exitUsage, "", `it is "--version"`},
		{"extract-wroker", &fakeApp{}, exitUsage, "", `there is no command "extract-wroker"` + "\n"},
		{"add -notes.md", &fakeApp{}, exitUsage, "", "a name that begins with - goes behind --\n"},
		{"add", &fakeApp{}, exitUsage, "", "Run 'ibid add --help'"},
		{"help serach", &fakeApp{}, exitUsage, "", `did you mean "search"?`},
		{"help ls", &fakeApp{}, exitOK, "ibid ls --threads", ""},
		{"ls everything", &fakeApp{}, exitFailed, "", `there is no document "everything"`},
		{"ls a.pfd", &fakeApp{docs: library}, exitFailed, "", `did you mean "a.pdf"?`},
		{"ls *.pdf", &fakeApp{docs: library}, exitOK, "a.pdf", ""},
		{"ls --folder lwa", &fakeApp{docs: library}, exitFailed, "", `did you mean "law"?`},
		{"ls --threads a.pdf", &fakeApp{}, exitUsage, "", "--threads lists all conversations"},
		{"licenses x", &fakeApp{}, exitUsage, "", `ibid licenses takes no argument, and was given "x"`},
		{"show", &fakeApp{}, exitUsage, "", "ibid show needs THREAD"},
		{"show nobody", &fakeApp{}, exitFailed, "", `there is no conversation "nobody"`},
		{"rm --thread nobody", &fakeApp{}, exitFailed, "", `there is no conversation "nobody"`},
		{"rm", &fakeApp{}, exitUsage, "", "ibid rm needs ID|NAME|GLOB…"},
		{"search --limit few x", &fakeApp{}, exitUsage, "", "invalid argument \"few\" for \"--limit\" flag: a whole number is wanted\n"},
		{"search --folder lwa x", &fakeApp{docs: library}, exitFailed, "", `did you mean "law"?`},
		{"ask --tag nobody x", &fakeApp{docs: library}, exitFailed, "", `no document has the tag "nobody"`},
		{"ask --thread nobody x", &fakeApp{}, exitFailed, "", "`ibid ls --threads` lists them"},
		{"ask --attach /nowhere x", &fakeApp{}, exitFailed, "", "attach /nowhere: no such file or directory\n"},
		{"ask --attach / x", &fakeApp{}, exitFailed, "", "attach /: a folder is not a file to read\n"},
		{"ask --attach /dev/null x", &fakeApp{}, exitFailed, "", "attach /dev/null: a device is not a file to read\n"},
		{"ask --attach " + empty + " x", &fakeApp{}, exitFailed, "", "the file is empty\n"},
		{"database add /nowhere.csv", &fakeApp{}, exitFailed, "", "/nowhere.csv: no such file or directory\n"},
		{"database add mysql://u:p@h/x", &fakeApp{}, exitFailed, "", "there is no way to read mysql:// databases"},
		{"eval retrieval --sample -1 x", &fakeApp{}, exitUsage, "", "invalid argument \"-1\" for \"--sample\" flag: a whole number, 0 or more, is wanted\n"},
		{"eval answers --sample -1 x", &fakeApp{}, exitUsage, "", "invalid argument \"-1\" for \"--sample\" flag: a whole number, 0 or more, is wanted\n"},
		{"add --colour x", &fakeApp{}, exitUsage, "", "unknown flag: --colour"},
		{"search --mode fast x", &fakeApp{}, exitUsage, "", "--mode is one of"},
		{"ask --think maybe x", &fakeApp{}, exitUsage, "", "--think is on, off or auto"},
		{"ask", &fakeApp{}, exitUsage, "", "what is the question?"},
		{"ls --model chatty", &fakeApp{}, exitFailed, "", `model "chatty"`},
		{"add " + good, &fakeApp{}, exitOK, "good.md: 2 pages, 9 chunks", ""},
		{"add --no-wait " + good, &fakeApp{}, exitOK, "good.md: sent", "1 document sent; processing goes on"},
		{"add " + good + " " + bad + " /nowhere", &fakeApp{}, exitFailed, "bad.md: not text: it holds NUL bytes", "2 of 3 documents could not be added"},
		{"add --json " + good, &fakeApp{}, exitOK, `"outcome":"2 pages, 9 chunks"`, ""},
		{"ls", &fakeApp{docs: library}, exitOK, "a.pdf", ""},
		{"ls --json", &fakeApp{}, exitOK, "[]", ""},
		{"ls --threads", &fakeApp{}, exitOK, "", "no conversations yet"},
		{"rm a.pdf", &fakeApp{docs: library}, exitOK, "removed law/old/a.pdf (3 chunks)", "to undo: ibid undo d1-long-id"},
		{"rm a.pfd", &fakeApp{docs: library}, exitFailed, "", `did you mean "a.pdf"?`},
		{"search two years", &fakeApp{}, exitOK, "Terms, page 3", ""},
		{"search --json two years", &fakeApp{}, exitOK, `"query":"two years"`, ""},
		{"ask how long", &fakeApp{lines: completed}, exitOK, "It lasts two years – [1][2]", "→ search_knowledge_base: warranty period"},
		{"ask --json how long", &fakeApp{lines: completed}, exitOK, `"type":"run.finished"`, ""},
		{"ask how long", &fakeApp{lines: failed}, exitFailed, "", "✗ the model is broken"},
		{"ask --document nothing.pdf x", &fakeApp{docs: library}, exitFailed, "", "there is no document"},
		{"doctor", &fakeApp{}, exitOK, "✓ model", ""},
		{"doctor", &fakeApp{broken: true}, exitFailed, "→ mend it", ""},
		{"doctor --json", &fakeApp{broken: true}, exitFailed, `"level": "fail"`, ""},
		{"doctor --model chatty", &fakeApp{}, exitFailed, `model "chatty"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			code, out, errs := runCLI(t, tt.App, t.TempDir(), strings.Fields(tt.args)...)
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(errs, tt.errs) {
				t.Errorf("exit code %d, want %d with %q and %q\nstdout:\n%s\nstderr:\n%s", code, tt.code, tt.out, tt.errs, out, errs)
			}
		})
	}
}

func TestWhenTheApplicationCannotOpen(t *testing.T) {
	t.Parallel()
	code, _, errs := runCLI(t, nil, t.TempDir(), "ls")
	if code != exitFailed || errs != "ibid: the database is broken\n" {
		t.Errorf("ls: exit code %d, %q", code, errs)
	}
	code, out, _ := runCLI(t, nil, t.TempDir(), "doctor")
	if code != exitFailed || !strings.Contains(out, "✗ start          the database is broken") {
		t.Errorf("doctor: exit code %d, %q", code, out)
	}
}

func TestAskSendsTheScope(t *testing.T) {
	t.Parallel()
	app := &fakeApp{
		lines: ibidtest.Lines(t, warrantyRun()),
		docs:  []ibid.Document{{ID: "d1", Name: "a.pdf", Category: "law", Folder: "x/y"}, {ID: "d2", Name: "b.pdf"}, {ID: "d3", Name: "c.md"}},
	}
	code, _, errs := runCLI(t, app, t.TempDir(), "ask", "--document", "*.pdf", "--category", "law", "--folder", "/x/", "--think", "off", "how", "long?")
	if code != exitOK || len(app.asked) != 1 {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	got, err := json.Marshal(app.asked[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"input_text":"how long?","scope":{"documents":["d1","d2"],"category":"law","folder":"x"},"think":"off"}`; string(got) != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

// The first session becomes the holder and announces itself, a second one
// finds it, and when the first ends, the second goes on by becoming the holder.
func TestSessionsShareOneHolder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	cfg := config.Config{Data: t.TempDir()}
	open := func(fake *fakeApp) app.OpenFunc {
		return func(_ context.Context, cfg config.Config) (app.Application, error) {
			fake.token = cfg.Token
			return fake, nil
		}
	}
	firstApp, secondApp := &fakeApp{}, &fakeApp{docs: []ibid.Document{{ID: "second"}}}
	first, err := app.Connect(ctx, cfg, "add", open(firstApp), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	second, err := app.Connect(ctx, cfg, "ls", open(secondApp), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Alone() || second.Alone() || second.Endpoint() != first.Endpoint() {
		t.Fatalf("the first is at %v, the second at %v", first.Endpoint(), second.Endpoint())
	}
	if _, err := second.DocumentsWhere(ctx, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil || !firstApp.stopped {
		t.Fatalf("close: %v, stopped %v", err, firstApp.stopped)
	}
	docs, err := second.DocumentsWhere(ctx, nil, nil, 0)
	if err != nil || len(docs) != 1 || docs[0].ID != "second" || !second.Alone() {
		t.Errorf("after the holder has gone: %v, %v", docs, err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, datadir.ServerName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("server.json was left behind: %v", err)
	}
}

func TestDoctorAsksTheRunningServerBesideABrokenConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := app.Connect(context.Background(), config.Config{Data: filepath.Join(dir, "data")}, "serve",
		func(context.Context, config.Config) (app.Application, error) { return &fakeApp{}, nil }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ibidtest.WriteFile(t, filepath.Join(dir, "data", "ibid.toml"), "modle = 1")
	code, out, _ := runCLI(t, nil, dir, "doctor")
	if code != exitFailed || !strings.Contains(out, `did you mean "model"?`) || !strings.Contains(out, "✓ model") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// Ctrl-C ends the waiting; the work goes on, and that is said.
func TestInterruptedAdd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fake := &fakeApp{stuck: cancel}
	var o, e bytes.Buffer
	c := &cli{in: strings.NewReader(""), out: &o, err: &e, env: ibidtest.Environment("HOME", dir, "IBID_DATA", filepath.Join(dir, "data"))}
	c.open = func(_ context.Context, cfg config.Config) (app.Application, error) {
		fake.token = cfg.Token
		return fake, nil
	}
	code := c.run(ctx, []string{"add", ibidtest.WriteFile(t, filepath.Join(dir, "a.md"), "# a"), ibidtest.WriteFile(t, filepath.Join(dir, "b.md"), "# b")})
	if code == exitOK || len(fake.docs) != 2 || !strings.Contains(e.String(), "not done yet: 2 documents; processing goes on") {
		t.Fatalf("exit code %d, %d documents\n%s", code, len(fake.docs), e.String())
	}
}

func TestStageText(t *testing.T) {
	t.Parallel()
	d := ibid.Document{Name: "lease.pdf", Stage: "extract", Pages: 12, PagesDone: 3, ETA: 8.2}
	if got := stageText(d); got != "lease.pdf: extract, page 3 of 12, 8 s left" {
		t.Errorf("it said %q", got)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	if out := h.must("cancel", "terms.md"); out != "docs/terms.md is not being added\n" && out != "terms.md is not being added\n" {
		t.Errorf("cancel said %q", out)
	}
	if code, _, errs := h.run("cancel", "nothing.md"); code != exitFailed || !strings.Contains(errs, "nothing.md") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
