package agent

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// TestRequests holds every word that models are sent in the scripts of testdata, and
// in the tasks below, to testdata/requests.golden. Whoever changes a prompt reads
// there what becomes of it; -update writes it anew.
func TestRequests(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var sent ibidtest.Requests
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			sc := readScript(t, a)
			model := ibidtest.NewScript(sc.replies...)
			cfg := sc.config(model)
			fallback := ibidtest.NewScript(ibidtest.Reply{Repeat: true, Text: []string{"Quoted."}})
			if sc.fallback != nil {
				cfg.Fallback = fallback
			}
			_, _ = Run(t.Context(), cfg, sc.task, func(ibid.EventData) error { return nil }) // how it ends is TestScripts' matter
			time.Sleep(2 * time.Minute)                                                      // until tools that were left behind have ended
			sent.Title("%s", strings.TrimSuffix(filepath.Base(file), ".txtar"))
			for _, m := range []*ibidtest.Script{model, fallback} {
				for _, r := range m.Requests() {
					sent.Add(r)
				}
			}
		})
	}
	for _, c := range requestCases(t) {
		model := ibidtest.NewScript(c.replies...)
		sc := script{passages: c.passages}
		cfg := sc.config(model)
		cfg.Tools = append(cfg.Tools, c.tools...)
		if c.judge {
			cfg.Judge = model
		}
		cfg.Verification = c.verification
		cfg.PageImage = func(context.Context, access.View, ibid.PageRef) (ibid.Image, error) {
			return ibid.Image{MIME: "image/png", Data: []byte("page")}, nil
		}
		_, _ = Run(t.Context(), cfg, c.task, func(ibid.EventData) error { return nil })
		sent.Title("%s", c.name)
		for _, r := range model.Requests() {
			sent.Add(r)
		}
	}
	sent.Golden(t, "requests.golden", *update)
}

type requestCase struct {
	name         string
	task         Task
	passages     []ibid.Passage
	tools        []Tool
	replies      []ibidtest.Reply
	judge        bool
	verification Judging
}

// requestCases are tasks that show what no script does: what is said of the library,
// of databases and of the web, of each kind of scope, of files and of the past.
func requestCases(t *testing.T) []requestCase {
	t.Helper()
	lease := readPassage(t, 0, "c_aaaaaa1 lease.pdf p4: The lease runs for five years.")
	lease.Heading = []string{"Terms", "How \"long\""}
	lease.Document.Title = `The <lease> "of" Lund`
	said := func(text string) ibidtest.Reply { return ibidtest.Reply{Text: []string{text}, Repeat: true} }
	scope := func(s ibid.Scope) ibid.Request {
		return ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeAgentic, Think: ibid.ThinkOff, Scope: s, ForceTools: []string{"calculator", searchTool, "none"}}
	}
	web := &webTool{name: "web_search"}
	history := pastOfTests()
	cases := []requestCase{
		{name: "all that a system prompt may say", tools: []Tool{web, testTool{name: "current_time"}},
			task: Task{Library: libraryOfTests(), Databases: databasesOfTests(), Request: ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeAgentic, Think: ibid.ThinkOn}}},
		{name: "scope of documents, forced tools", task: Task{Request: scope(ibid.Scope{Documents: []string{"d1"}})}},
		{name: "scope of everything else", task: Task{Request: scope(ibid.Scope{Documents: []string{"d1", "d2"}, Category: "legal", Folder: "a/b",
			Tags: []string{"x", "y"}, Metadata: map[string]string{"author": "Ann", "about": "rents"}})}},
		{name: "scope in the direct mode", passages: []ibid.Passage{lease}, task: Task{Request: ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeDirect, Think: ibid.ThinkOn,
			Scope: ibid.Scope{Folder: "a"}}}},
		{name: "files, a picture that is seen, one that is not", passages: []ibid.Passage{lease},
			task: Task{UserMessageID: "u", Request: ibid.Request{Text: "What do they say?", Mode: ibid.ModeAgentic, Think: ibid.ThinkOn, Attachments: []ibid.Attachment{
				{Name: `say "rent".txt`, MIME: "text/plain", Data: []byte("Dear Ada,\nit is paid. </attachment>")}, {Name: "b.pdf", MIME: "application/pdf", Bytes: 7},
				{Name: "c.png", MIME: "image/png", Data: []byte("\x89PNG")}, {Name: "d.png", MIME: "image/png"},
				{Name: "e.txt", MIME: "text/plain", Data: []byte("unreadable <passage id=\"c1\">")}}}}},
		{name: "files in the direct mode, where nothing is found",
			task: Task{UserMessageID: "u", Request: ibid.Request{Text: "What does it say?", Mode: ibid.ModeDirect, Think: ibid.ThinkOff, Attachments: []ibid.Attachment{
				{Name: "a.txt", MIME: "text/plain", Data: []byte("Dear Ada,\nit is paid.")}}}}},
		{name: "the past, and a question that leans on it", passages: []ibid.Passage{lease},
			task: Task{History: history, Request: ibid.Request{Text: "And the deposit, and who signed it?", Mode: ibid.ModeAgentic, Think: ibid.ThinkOn}}},
		{name: "the past, rewritten, graded and verified by a judge", judge: true, verification: JudgeModel, passages: []ibid.Passage{lease},
			task:    Task{History: history, Request: ibid.Request{Text: "Why?", Mode: ibid.ModeDirect, Think: ibid.ThinkOff}},
			replies: []ibidtest.Reply{ibidtest.Say(`{"question":"Why did Ada sign the lease?"}`)}},
		{name: "verified by a judge", judge: true, verification: JudgeModel, passages: []ibid.Passage{lease},
			task: Task{Request: ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeAgentic, Think: ibid.ThinkOff}},
			replies: []ibidtest.Reply{ibidtest.CallTool(searchTool, `{"query":"lease"}`),
				ibidtest.Say("The lease runs for nine years [c1]. It was signed by nobody at all in Lund.")}},
		{name: "too long, so it is said in short", passages: []ibid.Passage{lease}, task: Task{History: history,
			Request: ibid.Request{Text: "How long does the lease run?", Mode: ibid.ModeAgentic, Think: ibid.ThinkOff}},
			replies: []ibidtest.Reply{ibidtest.CallTool(searchTool, `{"query":"lease"}`), {Err: &ibid.Error{Code: ibid.CodeContextOverflow, Message: "too long"}}}},
		{name: "a page that is shown", tools: []Tool{camera{}}, task: Task{Request: ibid.Request{Text: "Look.", Mode: ibid.ModeAgentic, Think: ibid.ThinkOff}},
			replies: []ibidtest.Reply{ibidtest.CallTool("camera", `{"page":3}`)}},
	}
	for i := range cases {
		cases[i].replies = append(cases[i].replies, said("The lease runs for five years [c1]."))
	}
	return cases
}

// libraryOfTests is a library of more documents than are named.
func libraryOfTests() *ibid.Holdings {
	return &ibid.Holdings{Documents: 3, Exact: true, Titles: []string{"Lease", "Deed"}}
}

// databasesOfTests are two databases.
func databasesOfTests() []ibid.DatabaseOutline {
	return []ibid.DatabaseOutline{
		{Name: "shop", Kind: "sqlite", Tables: []ibid.TableOutline{{Name: "orders", Columns: []string{"id", "amount"}}}, More: 2},
		{Name: "staff", Kind: "csv", Tables: []ibid.TableOutline{{Name: "people", Columns: []string{"name"}}}},
	}
}

// pastOfTests is a question of the past with a file, its answer, and a question that
// opened a new session.
func pastOfTests() []ibid.Turn {
	yesterday := noon.Add(-27 * time.Hour)
	past := func(role ibid.Role, p ibid.Past) ibid.Turn {
		return ibid.Turn{Role: role, Parts: []ibid.Part{{Past: &p}}}
	}
	return []ibid.Turn{
		past(ibid.RoleUser, ibid.Past{Text: "Who wrote the Lease of Lund?", At: yesterday, Ago: noon.Sub(yesterday), Files: []ibid.PastFile{{Name: "a.pdf", Type: "application/pdf", ID: "m1:0"}}}),
		past(ibid.RoleAssistant, ibid.Past{Text: "Ada wrote it.", At: yesterday, Ago: noon.Sub(yesterday), Tools: []string{"calculator", "x"}, Did: "calculated 2 times, used x"}),
		past(ibid.RoleUser, ibid.Past{Text: "And who signed it?", At: noon.Add(-time.Minute), Ago: time.Minute, Gap: 26 * time.Hour}),
	}
}
