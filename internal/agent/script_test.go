package agent

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

var update = flag.Bool("update", false, "write the event logs that the scripts lead to into testdata")

// noon is when all tests take place.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// TestScripts runs every script of testdata. A script has these parts, of which
// only question, model and events must be there:
//
//	documents     one passage per line: "c_id document.pdf p4: its text"
//	question      the words of the question
//	request.json  how it is asked beside that
//	limits.json   Limits
//	history       turns of the past, "user: …" and "assistant: …"
//	sections      the section around a passage, one per line: "c_id s_id: its text"
//	cache         an answer that was given before: "question | text [c_id]"
//	judges.json   Grading and Verification; the model judges then, see readReply
//	fallback      what the model of last resort says
//	model         the model's turns, separated by "---"; see readReply
//	events        what is expected, as writeEvents writes it
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				sc := readScript(t, a)
				got := sc.play(t)
				if *update {
					sc.setEvents(got)
					if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				if diff := cmp.Diff(sc.events, got); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

type script struct {
	archive  *txtar.Archive
	passages []ibid.Passage
	task     Task
	limits   Limits
	replies  []ibidtest.Reply
	events   string

	sections map[string]ibid.Chunk
	cache    Cache
	judges   *struct{ Grading, Verification Judging }
	fallback ibid.Model
}

func readScript(t *testing.T, a *txtar.Archive) *script {
	t.Helper()
	sc := &script{archive: a}
	for _, f := range a.Files {
		body := strings.TrimSpace(string(f.Data))
		switch f.Name {
		case "documents":
			for i, line := range strings.Split(body, "\n") {
				sc.passages = append(sc.passages, readPassage(t, i, line))
			}
		case "question":
			sc.task.Request.Text = body
		case "request.json":
			text := sc.task.Request.Text
			readJSON(t, f.Data, &sc.task.Request)
			sc.task.Request.Text = text
		case "limits.json":
			readJSON(t, f.Data, &sc.limits)
		case "sections":
			sc.sections = map[string]ibid.Chunk{}
			for _, line := range strings.Split(body, "\n") {
				ids, text, _ := strings.Cut(line, ": ")
				child, id, _ := strings.Cut(ids, " ")
				sc.sections[child] = ibid.Chunk{ID: id, Level: 1, Text: text, End: len(text)}
			}
		case "cache":
			question, answer, _ := strings.Cut(body, " | ")
			sc.cache = oneAnswer{question, ibid.Message{Text: answer, Model: "script"}}
		case "judges.json":
			readJSON(t, f.Data, &sc.judges)
		case "fallback":
			sc.fallback = ibidtest.NewScript(ibidtest.Say(body))
		case "history":
			for _, line := range strings.Split(body, "\n") {
				role, text, _ := strings.Cut(line, ": ")
				sc.task.History = append(sc.task.History, ibid.Turn{Role: ibid.Role(role), Parts: []ibid.Part{{Text: text}}})
			}
		case "model":
			for _, turn := range strings.Split("\n"+body+"\n", "\n---\n") {
				sc.replies = append(sc.replies, readReply(t, strings.TrimSpace(turn)))
			}
		case "events":
			sc.events = string(f.Data)
		default:
			t.Fatalf("a script has no part %q", f.Name)
		}
	}
	if sc.task.Request.Mode == "" {
		sc.task.Request.Mode = ibid.ModeAgentic
	}
	return sc
}

func (sc *script) setEvents(text string) {
	for i, f := range sc.archive.Files {
		if f.Name == "events" {
			sc.archive.Files[i].Data = []byte(text)
			return
		}
	}
	sc.archive.Files = append(sc.archive.Files, txtar.File{Name: "events", Data: []byte(text)})
}

func readJSON(t *testing.T, data []byte, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

func readPassage(t *testing.T, i int, line string) ibid.Passage {
	t.Helper()
	head, text, ok := strings.Cut(line, ": ")
	fields := strings.Fields(head)
	if !ok || len(fields) != 3 {
		t.Fatalf("a passage is not %q", line)
	}
	page, err := strconv.Atoi(strings.TrimPrefix(fields[2], "p"))
	if err != nil {
		t.Fatal(err)
	}
	start := 1000 * page // a page of these documents has a thousand bytes
	return ibid.Passage{
		Chunk:    ibid.Chunk{ID: fields[0], DocumentID: "d_" + fields[1], Version: "v1", Level: 2, Text: text, Start: start, End: start + len(text), Pages: []int{page}},
		Document: ibid.Document{ID: "d_" + fields[1], Title: fields[1], Name: fields[1]},
		Quote:    ibid.Quote{Text: text, Start: start, End: start + len(text), Page: page},
		Score:    1 / float64(i+1),
	}
}

// readReply reads one turn of the model: lines "plan: …" (only for the plan
// phase), "thinks: …", "says: …" with \n for line breaks, "calls: tool {json}",
// "writes: tool {json}" for a call whose arguments come in pieces, and "fails: CODE
// retry-after-ms".
func readReply(t *testing.T, turn string) ibidtest.Reply {
	t.Helper()
	r := ibidtest.Reply{When: func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }}
	for _, line := range strings.Split(turn, "\n") {
		kind, text, _ := strings.Cut(line, ": ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		switch kind {
		case "plan":
			r = ibidtest.Plan(text)
		case "thinks":
			r.Reasoning = ibidtest.Say(text).Text
		case "says":
			r.Text = ibidtest.Say(text).Text
		case "judges":
			r = ibidtest.Say(text)
			r.When = func(r ibid.ModelRequest) bool {
				return len(r.Schema) > 0 && r.Think == ibid.ThinkOff && len(r.Tools) == 0
			}
		case "calls":
			name, args, _ := strings.Cut(text, " ")
			r.Calls = append(r.Calls, ibid.ToolCall{Name: name, Arguments: json.RawMessage(args)})
		case "writes":
			name, args, _ := strings.Cut(text, " ")
			for piece := range slices.Chunk([]byte(args), 7) {
				r.Written = append(r.Written, ibid.CallDelta{N: len(r.Calls), Name: name, Arguments: string(piece)})
			}
			r.Calls = append(r.Calls, ibid.ToolCall{Name: name, Arguments: json.RawMessage(args)})
		case "fails":
			code, after, _ := strings.Cut(text, " ")
			e := &ibid.Error{Code: ibid.Code(code), Message: "the script fails"}
			e.RetryAfter, _ = strconv.ParseInt(after, 10, 64)
			r.Err = e
		case "nothing":
		default:
			t.Fatalf("the model cannot %q", line)
		}
	}
	return r
}

// config is what scripts run with: the tools below, a clock that stands still,
// and no real pauses.
func (sc *script) config(m ibid.Model) Config {
	cfg := Config{
		Model: m, Cache: sc.cache, Limits: sc.limits, Tools: testTools(sc.passages), Now: func() time.Time { return noon },
		Retry: Retry{Rand: func() float64 { return 0 }}, Fallback: sc.fallback, FilePassages: linesOf,
	}
	if sc.sections != nil {
		cfg.Parents = func(context.Context, access.View, []string) (map[string]ibid.Chunk, error) {
			return maps.Clone(sc.sections), nil
		}
	}
	if sc.judges != nil {
		cfg.Judge, cfg.Grading, cfg.Verification = m, sc.judges.Grading, sc.judges.Verification
	}
	return cfg
}

// oneAnswer is a cache that holds one answer.
type oneAnswer struct {
	question string
	answer   ibid.Message
}

func (c oneAnswer) Lookup(_ context.Context, _ access.View, question string) (CacheFound, error) {
	if question != c.question {
		return CacheFound{Similarity: 0.5}, nil
	}
	m := c.answer
	m.Found = []ibid.Citation{{N: 1, ChunkID: "c_aaaaaa1", Title: "lease.pdf", Pages: []int{4}}}
	at := strings.Index(m.Text, "[c_aaaaaa1]")
	m.Citations = ibid.Place(nil, m.Found, ibid.CitationPlaced{N: 1, Found: 1, ChunkID: "c_aaaaaa1", Quote: "The lease runs for five years.", Pages: []int{4},
		Statement: ibid.Range{End: at - 1}, Marker: at, Support: ibid.SupportFull})
	m.Verification = &ibid.AnswerVerified{ClaimsChecked: 1, ClaimsSupported: 1, Confidence: 1}
	return CacheFound{Hit: true, Similarity: 0.98, Question: "How long is the lease?", At: noon, Answer: m}, nil
}

func (sc *script) play(t *testing.T) string {
	model := ibidtest.NewScript(sc.replies...)
	var log []ibid.EventData
	out, err := Run(t.Context(), sc.config(model), sc.task, func(d ibid.EventData) error {
		log = append(log, d)
		return nil
	})
	time.Sleep(2 * time.Minute) // until tools that were left behind have ended
	if n := model.Left(); n > 0 {
		t.Errorf("%d turns of the script were not asked for", n)
	}
	return writeEvents(log) + writeEnd(out, err)
}
