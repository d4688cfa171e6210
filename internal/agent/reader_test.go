package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/reader"
)

// TestReaderInTheAgent holds what the built-in model does with what the agent gives
// it, in every way of asking, to testdata/reader.golden.
func TestReaderInTheAgent(t *testing.T) {
	var b strings.Builder
	for _, c := range readerCases(t) {
		fmt.Fprintf(&b, "== %s: %s ==\n", c.name, c.task.Request.Text)
		cfg := Config{Model: reader.New(), Fallback: reader.New(), Tools: readerTools(c.passages, c.tools), Limits: c.limits,
			Now: func() time.Time { return noon }, FilePassages: linesOf, Retry: Retry{Sleep: func(context.Context, time.Duration) error { return nil }}}
		if c.model != nil {
			cfg.Model = c.model
		}
		synctest.Test(t, func(t *testing.T) { // so that searches end in a certain order
			var log []ibid.EventData
			out, err := Run(t.Context(), cfg, c.task, func(d ibid.EventData) error {
				log = append(log, d)
				return nil
			})
			b.WriteString(writeEvents(log) + writeEnd(out, err))
		})
	}
	path := filepath.Join("testdata", "reader.golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("the reader's answers have changed (-want +got):\n%s", diff)
	}
}

type readerCase struct {
	name     string
	task     Task
	tools    string // those that are there beside the search
	passages []ibid.Passage
	limits   Limits
	model    ibid.Model // in the place of the reader, which then is the last resort
}

func readerCases(t *testing.T) []readerCase {
	t.Helper()
	passages := []ibid.Passage{
		readPassage(t, 0, "c_aaaaaa1 lease.pdf p4: The lease of the mill runs for five years. It may be ended by either party with a notice of three months."),
		readPassage(t, 1, "c_aaaaaa2 lease.pdf p5: The rent of the mill is 900 euros a month, due on the third working day."),
		readPassage(t, 2, "c_aaaaaa3 report.pdf p9: The revenue of 2023 was 7 million euros. The revenue of 2022 was 6 million euros."),
	}
	letter := ibid.Attachment{Name: "letter.txt", MIME: "text/plain", Data: []byte("Dear Ada,\nthe deposit for the mill is 2,700 euros and was paid in March.\nYours, Bob")}
	scan := ibid.Attachment{Name: "scan.pdf", MIME: "application/pdf", Bytes: 9}
	direct := func(text string) ibid.Request {
		return ibid.Request{Text: text, Mode: ibid.ModeDirect, Think: ibid.ThinkOff}
	}
	agentic := func(text string) ibid.Request {
		return ibid.Request{Text: text, Mode: ibid.ModeAgentic, Think: ibid.ThinkOn}
	}
	with := func(r ibid.Request, change func(*ibid.Request)) ibid.Request { change(&r); return r }
	attach := func(files ...ibid.Attachment) func(*ibid.Request) {
		return func(r *ibid.Request) { r.Attachments = files }
	}
	force := func(tools ...string) func(*ibid.Request) { return func(r *ibid.Request) { r.ForceTools = tools } }
	const data = "describe_database query_database"
	silent := func() ibid.Model {
		search := ibidtest.CallTool(searchTool, `{"query":"rent"}`)
		return ibidtest.NewScript(search, ibidtest.Reply{Repeat: true})
	}
	cases := []readerCase{
		{name: "direct", task: Task{Request: direct("How much is the rent of the mill?")}},
		{name: "direct, of the past", task: Task{History: readerPast(), Request: direct("And in 2023?")}},
		{name: "direct, found nothing", task: Task{Request: direct("Who painted Guernica?")}},
		{name: "direct, found but not answered", task: Task{Request: direct("Who painted the mill in Paris?")}},
		{name: "direct, two questions", task: Task{Request: direct("How much is the rent of the mill? What was the revenue in 2023?")}},
		{name: "direct, with a letter", task: Task{UserMessageID: "u", Request: with(direct("How high is the deposit for the mill?"), attach(letter))}},
		{name: "agentic", task: Task{Request: agentic("How much is the rent of the mill?")}},
		{name: "agentic, of the past", task: Task{History: readerPast(), Request: agentic("And in 2023?")}},
		{name: "agentic, unsure", task: Task{History: readerPast(), Request: agentic("Why?")}},
		{name: "small talk", task: Task{Request: agentic("Hello!")}},
		{name: "scope", task: Task{Request: with(agentic("How much is the rent of the mill?"), func(r *ibid.Request) { r.Scope.Folder = "a" })}},
		{name: "forced", task: Task{Request: with(agentic("How much is the rent of the mill?"), force("calculator", searchTool))}},
		{name: "forced, which it would not use", tools: "calculator", task: Task{Request: with(agentic("Hello!"), force("calculator"))}},
		{name: "a letter, as a whole", task: Task{UserMessageID: "u", Request: with(agentic("Summarise this letter."), attach(letter))}},
		{name: "a letter, in part", task: Task{UserMessageID: "u", Request: with(agentic("How high is the deposit for the mill?"), attach(letter))}},
		{name: "a letter that cannot be cited", task: Task{UserMessageID: "u", Request: with(agentic("How high is the deposit?"),
			attach(ibid.Attachment{Name: "x.txt", MIME: "text/plain", Data: []byte("This is unreadable. The deposit is 100 euros.")}))}},
		{name: "a file that has to be read", tools: "retrieve_file", task: Task{UserMessageID: "u", Request: with(agentic("What does the report say?"), attach(scan))}},
		{name: "a file of the past", tools: "retrieve_file", task: Task{History: readerPast(), Request: agentic("How high is the deposit for the mill in that file?")}},
		{name: "a document by its title", tools: "list_documents analyze_document compare_documents", task: Task{Request: agentic("Summarise Lease of Lund"), Library: readerLibrary()}},
		{name: "two documents by their titles", tools: "list_documents analyze_document compare_documents", task: Task{Request: agentic("Compare Lease of Lund and Deed of Gift on pets"), Library: readerLibrary()}},
		{name: "a title that nobody has said", tools: "list_documents analyze_document", task: Task{Request: agentic("Summarise the Annual Report")}},
		{name: "the library", tools: "list_documents", task: Task{Request: agentic("What documents do I have?"), Library: readerLibrary()}},
		{name: "this document", tools: "list_documents analyze_document", task: Task{Request: agentic("Summarise this document"), Library: readerLibrary()}},
		{name: "a letter, and one in the library", task: Task{UserMessageID: "u", Library: readerLibrary(), Request: with(agentic("What is the rent by the lease?"), attach(letter))}},
		{name: "data", tools: data, task: Task{Request: agentic("How many people are there?"), Library: readerLibrary(), Databases: readerDatabases()}},
		{name: "data and documents", tools: data, task: Task{Request: agentic("How many people are there? How much is the rent of the mill?"), Library: readerLibrary(), Databases: readerDatabases()}},
		{name: "data and no documents", tools: data, task: Task{Request: agentic("How many are active?"), Library: noLibrary(), Databases: readerDatabases()}},
		{name: "no more tools", limits: Limits{ToolCalls: 1}, task: Task{Request: agentic("Who painted the mill in Paris?")}},
		{name: "few requests", limits: Limits{ModelRequests: 2}, task: Task{Request: agentic("How much is the rent of the mill?")}},
		{name: "the last resort", model: silent(), task: Task{Request: with(agentic("How much is the rent of the mill?"), func(r *ibid.Request) { r.Think = ibid.ThinkOff })}},
	}
	for i := range cases {
		cases[i].passages = passages
	}
	return cases
}

// readerTools are a search over passages, a calculator, and those of the names: they
// answer as the real ones do, always the same.
func readerTools(passages []ibid.Passage, names string) []Tool {
	tools := testTools(passages)[:2]
	for _, name := range strings.Fields(names) {
		out, known := readerOutputs[name]
		if known {
			tools = append(tools, schemaTool{testTool{name, func(context.Context, map[string]any) (ibid.ToolOutput, error) { return out.output, nil }}, out.parameters})
		}
	}
	return tools
}

// schemaTool is a tool that says which arguments it takes.
type schemaTool struct {
	testTool
	parameters string
}

func (t schemaTool) Spec() ibid.ToolSpec {
	spec := t.testTool.Spec()
	spec.Parameters = json.RawMessage(t.parameters)
	return spec
}

var readerOutputs = map[string]struct {
	parameters string
	output     ibid.ToolOutput
}{
	"list_documents": {`{"type":"object","properties":{}}`, ibid.ToolOutput{Content: "2 documents:\n- lease.pdf, titled \"Annual Report\", 4 pages\n- deed.pdf, 2 pages\n"}},
	"analyze_document": {`{"type":"object","properties":{"filename":{"type":"string"}},"required":["filename"]}`,
		ibid.ToolOutput{Content: "Analysis of lease.pdf, from the whole text:\nSummary: It is a lease.\nTopics: rent\n"}},
	"compare_documents": {`{"type":"object","properties":{"doc_a":{},"doc_b":{},"question":{}},"required":["doc_a","doc_b","question"]}`,
		ibid.ToolOutput{Content: "lease.pdf compared with deed.pdf:\nBoth allow pets.\n"}},
	"retrieve_file": {`{"type":"object","properties":{"file":{},"query":{}},"required":["file"]}`, ibid.ToolOutput{Passages: []ibid.Passage{{
		Chunk:    ibid.Chunk{ID: "c_bbbbbb1", DocumentID: "u:0", Version: "v1", Level: 2, Text: "The deposit for the mill is 2,700 euros, says the report.", End: 57},
		Document: ibid.Document{ID: "u:0", Title: "scan.pdf", Name: "scan.pdf"}, Kind: ibid.SourceAttachment, Score: 1}}}},
	"describe_database": {`{"type":"object","properties":{"database":{},"question":{}},"required":["database"]}`, ibid.ToolOutput{
		Content: `{"database":"staff","dialect":"SQLite","tables":[{"name":"people","rows":2,"columns":[{"name":"name","type":"text"},{"name":"status","type":"text"}]}],"named":[{"table":"people","column":"status","value":"active"}]}`}},
	"query_database": {`{"type":"object","properties":{"database":{},"sql":{}},"required":["database","sql"]}`, ibid.ToolOutput{Content: "1 row.", Passages: []ibid.Passage{{
		Chunk: ibid.Chunk{ID: "q_0a1b2c3d", DocumentID: "db_1", Level: 2, Text: "count\n2"}, Document: ibid.Document{ID: "db_1", Title: "staff"}, Score: 1, Kind: ibid.SourceQuery}}}},
}

func readerLibrary() *ibid.Holdings {
	return &ibid.Holdings{Documents: 2, Exact: true, Titles: []string{"Lease of Lund", "Deed of Gift"}}
}

func noLibrary() *ibid.Holdings { return &ibid.Holdings{Exact: true} }

func readerDatabases() []ibid.DatabaseOutline {
	return []ibid.DatabaseOutline{{Name: "staff", Kind: "sqlite", Tables: []ibid.TableOutline{{Name: "people", Columns: []string{"name", "status"}}}}}
}

func readerPast() []ibid.Turn {
	past := func(role ibid.Role, p ibid.Past) ibid.Turn {
		p.At, p.Ago = noon.Add(-3*time.Hour), 3*time.Hour
		return ibid.Turn{Role: role, Parts: []ibid.Part{{Past: &p}}}
	}
	return []ibid.Turn{
		past(ibid.RoleUser, ibid.Past{Text: "What was the revenue in 2022?", Files: []ibid.PastFile{{Name: "scan.pdf", Type: "application/pdf", ID: "m1:0"}}}),
		past(ibid.RoleAssistant, ibid.Past{Text: "It was 6 million euros."}),
	}
}
