package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/database"
	"ibid/internal/server"
)

// nobodys are the routes that show and change nothing that belongs to anyone. They are
// for whoever runs the program.
var nobodys = []string{"GET /healthz", "GET /readyz", "GET /v1/status", "GET /v1/tools", "GET /v1/formats", "GET /v1/doctor", "POST /v1/doctor/repair",
	"GET /v1/inventory", "GET /v1/settings", "POST /v1/settings/{key}/test", "POST /v1/backup", "POST /v1/mend", "POST /v1/scrub",
	"GET /v1/watches", "POST /v1/watches", "DELETE /v1/watches/{id}"}

// trespass is a request for what is anna's, by others. It answers 404 where hides is
// empty, else without those words.
type trespass struct {
	route string
	path  string // with DOC, VERSION, RUN and QUESTION for the ids of what is anna's
	body  string
	hides string
}

// trespasses name every route, in the order in which they do no harm to each other when
// one of them succeeds.
var trespasses = []trespass{
	{"GET /v1/threads", "/v1/threads", "", "how long"},
	{"GET /v1/threads/{id}", "/v1/threads/t1", "", ""},
	{"GET /v1/threads/{id}/stream", "/v1/threads/t1/stream?last_message_id=RUN&last_entry_id=0", "", ""},
	{"GET /v1/threads/{id}/stream", "/v1/threads/t1/stream", "", ""},
	{"GET /v1/threads/{id}/messages", "/v1/threads/t1/messages", "", ""},
	{"GET /v1/threads/{id}/messages", "/v1/threads/t1/messages?all=true", "", ""},
	{"GET /v1/messages/{id}", "/v1/messages/RUN", "", ""},
	{"GET /v1/messages/{id}/files/{n}", "/v1/messages/QUESTION/files/0", "", ""},
	{"GET /v1/messages/{id}/files/{n}/text", "/v1/messages/QUESTION/files/0/text", "", ""},
	{"GET /v1/messages/{id}/events", "/v1/messages/RUN/events", "", ""},
	{"GET /v1/messages/{id}/events", "/v1/messages/RUN/events?follow=true", "", ""},
	{"GET /rag", "/rag?message_id=RUN", "", ""},
	{"GET /chat/stream", "/chat/stream?message_id=RUN", "", ""},
	{"GET /api/messages/{id}", "/api/messages/RUN", "", ""},
	{"GET /api/query/stream", "/api/query/stream?message_id=RUN", "", ""},
	{"GET /api/chat/stream", "/api/chat/stream?message_id=RUN", "", ""},
	{"PATCH /v1/threads/{id}", "/v1/threads/t1", `{"title":"how long, again?"}`, ""},
	{"PATCH /v1/threads/{id}", "/v1/threads/t1", `{"head_id":"QUESTION"}`, ""},
	{"PATCH /v1/threads/{id}", "/v1/threads/t1", `{"branch_id":"RUN"}`, ""},
	{"POST /v1/threads/{id}/stop", "/v1/threads/endless/stop", "", ""},
	// Questions in a thread of hers: each is answered at once.
	{"POST /v1/threads/{id}/user_message", "/v1/threads/t8/user_message", `{"input_text":"and mine?"}`, ""},
	{"POST /rag", "/rag", `{"question":"and mine?","session_id":"t2"}`, ""},
	{"POST /chat/stream", "/chat/stream", `{"message":"and mine?","conversation_id":"t3"}`, ""},
	{"POST /chat/batch", "/chat/batch", `{"message":"and mine?","conversation_id":"t4"}`, ""},
	{"POST /api/query/stream", "/api/query/stream", `{"query":"and mine?","session_id":"t5"}`, ""},
	{"POST /api/chat/stream", "/api/chat/stream", `{"message":"and mine?","session_id":"t6"}`, ""},
	{"GET /api/chat/stream", "/api/chat/stream?message=mine&session_id=t7", "", ""},
	{"DELETE /v1/threads/{id}", "/v1/threads/t1", "", ""},
	{"GET /v1/removed", "/v1/removed", "", "how long"},
	{"POST /v1/threads/{id}/restore", "/v1/threads/t1/restore", "", ""},
	{"DELETE /v1/messages/{id}", "/v1/messages/RUN", "", ""},

	{"GET /v1/documents", "/v1/documents", "", "hers.txt"},
	{"GET /v1/documents", "/v1/documents?below=/hers", "", "hers.txt"},
	{"GET /v1/documents/{id}", "/v1/documents/DOC", "", ""},
	{"GET /v1/documents/{id}/events", "/v1/documents/DOC/events", "", ""},
	{"GET /v1/documents/events", "/v1/documents/events", "", "endless.txt"},
	{"GET /v1/documents/{id}/file", "/v1/documents/DOC/file?version=VERSION", "", ""},
	{"GET /v1/documents/{id}/text", "/v1/documents/DOC/text", "", ""},
	{"GET /v1/documents/{id}/pages/{page}/image", "/v1/documents/DOC/pages/1/image?width=100", "", ""},
	{"GET /v1/folders", "/v1/folders", "", "hers"},
	{"GET /v1/folders", "/v1/folders?in=hers", "", `"total":2`},
	{"GET /v1/folders", "/v1/folders?in=&q=HER", "", "hers"},
	{"GET /v1/categories", "/v1/categories", "", "letters of hers"},
	{"GET /v1/tags", "/v1/tags?q=HE", "", "hers"},
	{"GET /v1/search", "/v1/search?q=notice+period", "", "hers.txt"},
	{"PATCH /v1/documents/{id}", "/v1/documents/DOC", `{"category":"taken"}`, ""},
	{"POST /v1/documents/unchanged", "/v1/documents/unchanged", `{"files":[{"name":"hers.txt","source":"/hers/hers.txt","folder":"hers","tags":["hers"],"hash":"VERSION","bytes":4}]}`, "DOC"},
	{"POST /v1/documents/{id}/cancel", "/v1/documents/DOC/cancel", "", ""},
	{"POST /v1/documents/{id}/retry", "/v1/documents/DOC/retry", "", ""},
	{"POST /v1/documents", "/v1/documents", hersForm, "DOC"},
	{"DELETE /v1/documents/{id}", "/v1/documents/DOC", "", ""},
	{"POST /v1/documents/{id}/restore", "/v1/documents/DOC/restore", "", ""},

	{"GET /v1/databases", "/v1/databases", "", "sales"},
	{"POST /v1/databases", "/v1/databases", `{"name":"mine","source":"x"}`, "added by anna"},
	{"GET /v1/databases/{id}", "/v1/databases/db_1", "", ""},
	{"POST /v1/databases/{id}/test", "/v1/databases/db_1/test", "", ""},
	{"POST /v1/databases/{id}/query", "/v1/databases/db_1/query", `{"sql":"SELECT 1"}`, ""},
	{"POST /v1/databases/{id}/restore", "/v1/databases/db_1/restore", "", ""},
	{"DELETE /v1/databases/{id}", "/v1/databases/db_1", "", ""},
}

const hersForm = "--b\r\nContent-Disposition: form-data; name=\"meta\"\r\n\r\n{\"source\":\"/hers/hers.txt\",\"folder\":\"hers\",\"category\":\"letters of hers\",\"tags\":[\"hers\"]}\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"hers.txt\"\r\n\r\nhers\r\n--b--\r\n"

// TestWhoAsksSeesHisOwn holds that every route looks through the view of whoever asks,
// that what isn't seen isn't there, and that the test would notice each route that
// forgets who asks.
func TestWhoAsksSeesHisOwn(t *testing.T) {
	v := openVisited(t)
	asked := map[string]bool{}
	for _, x := range trespasses {
		asked[x.route] = true
		before := v.annas(x)
		if code, body, wrong := v.try(x, "ben"); wrong {
			t.Errorf("%s %s for ben: %d %s", x.route, x.path, code, body)
		}
		if after := v.annas(x); after != before {
			t.Errorf("%s %s by ben changed what is anna's:\n%s\n%s", x.route, x.path, before, after)
		}
		if code, body, wrong := v.try(x, ""); wrong && code < 400 { // who is nobody can't even ask
			t.Errorf("%s %s for nobody: %d %s", x.route, x.path, code, body)
		}
		v.forgets.Store(x.route)
		if code, body, wrong := v.try(x, "ben"); !wrong {
			t.Errorf("%s %s takes whoever asks for anna, and nobody notices: %d %s", x.route, x.path, code, body)
		}
		v.forgets.Store("")
	}
	source, err := os.ReadFile("server.go")
	if err != nil {
		t.Fatal(err)
	}
	routes := regexp.MustCompile(`HandleFunc\("([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(routes) < len(nobodys) {
		t.Errorf("only %d routes in server.go", len(routes))
	}
	for _, r := range routes {
		if route := r[1]; asked[route] == slices.Contains(nobodys, route) {
			t.Errorf("%s is to stand in trespasses or in nobodys, whichever it is", route)
		}
	}
}

// Whoever has a thread of his own gets nothing of anna's through it.
func TestNobodyReachesThroughHisOwn(t *testing.T) {
	v := openVisited(t)
	v.ask("ben", "his", `{"input_text":"and mine?"}`)
	for _, x := range []trespass{
		{"POST /v1/threads/{id}/user_message", "/v1/threads/his/user_message", `{"input_text":"q","scope":{"documents":["DOC"]}}`, ""},
		{"POST /v1/threads/{id}/user_message", "/v1/threads/his/user_message", `{"input_text":"q","scope":{"databases":["db_1"]}}`, ""},
		{"POST /v1/threads/{id}/user_message", "/v1/threads/his/user_message", `{"input_text":"q","edit_message_id":"QUESTION"}`, ""},
		{"GET /v1/threads/{id}/stream", "/v1/threads/his/stream?last_message_id=RUN&last_entry_id=0", "", ""},
		{"GET /v1/threads/{id}/messages", "/v1/threads/his/messages?around=RUN", "", ""},
		{"PATCH /v1/threads/{id}", "/v1/threads/his", `{"head_id":"RUN"}`, ""},
		{"PATCH /v1/threads/{id}", "/v1/threads/his", `{"branch_id":"RUN"}`, ""},
		{"GET /v1/search", "/v1/search?q=notice+period&document=DOC", "", "hers.txt"},
	} {
		if code, body, wrong := v.try(x, "ben"); wrong {
			t.Errorf("%s %s: %d %s", x.route, x.path, code, body)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if looked := fmt.Sprint(v.looked); strings.Count(looked, "ben") != 1 || strings.Count(looked, "anna") != len(v.looked)-1 {
		t.Errorf("the answers looked as %s", looked)
	}
}

// visited is a house with a thread, a document and a database that are anna's. Whoever
// asks says so in a header.
type visited struct {
	*house
	forgets atomic.Value // the route that takes everybody for anna, like a handler that forgets its view
	ids     *strings.Replacer
	mu      sync.Mutex
	looked  []string // through whose view each answer looked
}

func openVisited(t *testing.T) *visited {
	t.Helper()
	v, begun := &visited{}, make(chan struct{})
	v.forgets.Store("")
	v.house = openHouse(t, func(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		v.mu.Lock()
		v.looked = append(v.looked, task.View.String())
		v.mu.Unlock()
		if task.Request.Text == "endless" {
			close(begun)
			<-ctx.Done()
			return agent.Outcome{}, ctx.Err()
		}
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "three months"})
	}, func(c *server.Config) {
		c.Principal = func(r *http.Request) ibid.Principal {
			if r.Pattern == v.forgets.Load() {
				return "anna"
			}
			return ibid.Principal(r.Header.Get("Who"))
		}
		c.FileText = func(context.Context, access.View, ibid.File) (ibid.Extract, error) {
			return ibid.Extract{Text: "hers"}, nil
		}
		c.Originals, c.Databases = annasPages{c.Originals}, annasDatabases{}
	})
	status, added := v.call("POST", "/v1/documents", hersForm, "Content-Type", "multipart/form-data; boundary=b", "Who", "anna")
	docs, _ := added["documents"].([]any)
	if status/100 != 2 || len(docs) != 1 {
		t.Fatalf("anna's file: %d %v", status, added)
	}
	id := docs[0].(map[string]any)["id"].(string)
	v.frames(v.open("GET", "/v1/documents/"+id+"/events", "", "Who", "anna"), nil) // until it is ready
	_, d := v.call("GET", "/v1/documents/"+id, "", "Who", "anna")
	v.call("POST", "/v1/documents", strings.ReplaceAll(hersForm, "hers.txt", "endless.txt"), "Content-Type", "multipart/form-data; boundary=b", "Who", "anna")

	run, question := v.ask("anna", "t1", `{"input_text":"how long?","attachments":[{"name":"note.txt","mime":"text/plain","data":"aGVycw=="}]}`)
	for n := 2; n <= 8; n++ {
		v.ask("anna", fmt.Sprintf("t%d", n), `{"input_text":"how long?"}`)
	}
	if code, out := v.call("POST", "/v1/threads/endless/user_message", `{"input_text":"endless"}`, "Who", "anna"); code != 202 {
		t.Fatalf("anna's endless question: %d %v", code, out)
	}
	<-begun
	v.ids = strings.NewReplacer("DOC", id, "VERSION", d["version"].(string), "RUN", run, "QUESTION", question)
	return v
}

// ask asks and waits for the end of the answer.
func (v *visited) ask(who, thread, body string) (run, question string) {
	v.t.Helper()
	code, out := v.call("POST", "/v1/threads/"+thread+"/user_message", body, "Who", who)
	if code != 202 {
		v.t.Fatalf("%s asks: %d %v", who, code, out)
	}
	v.frames(v.open("GET", "/v1/threads/"+thread+"/stream", "", "Who", who), nil)
	return out["message_id"].(string), out["user_message_id"].(string)
}

// try asks for what is anna's, and reports whether the answer is wrong for somebody else.
func (v *visited) try(x trespass, who string) (code int, body string, wrong bool) {
	v.t.Helper()
	method, _, _ := strings.Cut(x.route, " ")
	header := []string{"Who", who}
	if strings.HasPrefix(x.body, "--b") {
		header = append(header, "Content-Type", "multipart/form-data; boundary=b")
	}
	resp := v.open(method, v.ids.Replace(x.path), v.ids.Replace(x.body), header...)
	defer resp.Body.Close()
	if x.hides == "" {
		head, err := io.ReadAll(io.LimitReader(resp.Body, 300)) // of a stream the beginning
		if err != nil {
			v.t.Fatal(err)
		}
		return resp.StatusCode, string(head), resp.StatusCode != 404
	}
	hides, piece := v.ids.Replace(x.hides), make([]byte, 4096)
	for {
		n, err := resp.Body.Read(piece)
		body += string(piece[:n])
		if strings.Contains(body, hides) {
			return resp.StatusCode, body, true
		}
		if err == io.EOF {
			return resp.StatusCode, body, false
		}
		if err != nil {
			v.t.Fatal(err)
		}
	}
}

// annas returns what anna sees of what a request might change; "" for one that reads.
func (v *visited) annas(x trespass) string {
	v.t.Helper()
	if strings.HasPrefix(x.route, "GET ") {
		return ""
	}
	var all strings.Builder
	for _, path := range []string{"/v1/threads/t1", "/v1/threads/t1/messages", "/v1/threads/endless/messages", "/v1/documents/DOC", "/v1/removed"} {
		resp := v.open("GET", v.ids.Replace(path), "", "Who", "anna")
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			v.t.Fatal(err)
		}
		fmt.Fprintf(&all, "%d %s", resp.StatusCode, body)
	}
	return all.String()
}

// annasPages has a picture of a page of what is anna's.
type annasPages struct{ server.Originals }

func (annasPages) PageImage(_ context.Context, view access.View, _, _ string, _, _ int) ([]byte, error) {
	return []byte("page"), annasOnly(view)
}

// annasDatabases has one database, which is anna's.
type annasDatabases struct{}

func annasOnly(view access.View) error {
	if !view.Sees("anna") {
		return ibid.Errorf(ibid.CodeNotFound, "it is anna's")
	}
	return nil
}

func (annasDatabases) List(_ context.Context, view access.View, _ ibid.Page) ([]ibid.Database, string, error) {
	if annasOnly(view) != nil {
		return nil, "", nil
	}
	return []ibid.Database{{ID: "db_1", Name: "sales"}}, "", nil
}

func (annasDatabases) Database(_ context.Context, view access.View, id string) (ibid.Database, error) {
	return ibid.Database{ID: id}, annasOnly(view)
}

func (annasDatabases) Add(_ context.Context, view access.View, a database.Addition) (ibid.Database, error) {
	return ibid.Database{ID: "db_2", Name: fmt.Sprintf("%s, added by %s", a.Name, view.Principal())}, nil
}

func (d annasDatabases) Remove(ctx context.Context, view access.View, id string) (ibid.Database, error) {
	return d.Database(ctx, view, id)
}

func (d annasDatabases) Restore(ctx context.Context, view access.View, id string) (ibid.Database, error) {
	return d.Database(ctx, view, id)
}

func (d annasDatabases) Test(ctx context.Context, view access.View, id string) (ibid.Database, error) {
	return d.Database(ctx, view, id)
}

func (annasDatabases) Query(_ context.Context, view access.View, _, _ string) (ibid.Table, error) {
	return ibid.Table{}, annasOnly(view)
}
