package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// longRun is a run with everything in it that a crash can cut: a plan, an
// announcement, calls side by side, one that finds what another found, one that
// fails, an opaque part, text that is retracted, an attached text, citations, one of
// them of a result, and named sources.
// The model's turns are chosen by how many results it has seen, so the script
// fits wherever a run goes on.
type longRun struct {
	t        *testing.T
	passages []ibid.Passage
	last     ibid.ModelRequest

	mu       sync.Mutex
	executed map[string]int // by call id
}

func newLongRun(t *testing.T) *longRun {
	l := &longRun{t: t, executed: map[string]int{}}
	for i, line := range []string{
		"c_aaaaaa1 lease.pdf p4: The lease runs for five years.",
		"c_bbbbbb2 lease.pdf p9: The rent is 900 euros a month.",
		"c_cccccc3 house.md p1: No dogs are allowed in the house.",
		"c_dddddd4 house.md p2: The rent of the garage is extra.",
	} {
		l.passages = append(l.passages, readPassage(t, i, line))
	}
	return l
}

func (l *longRun) Name() string { return "long" }

func (l *longRun) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	if req.Think == ibid.ThinkOn {
		return ibidtest.NewScript(ibidtest.Reply{Reasoning: []string{"First ", "search, ", "then ", "answer."}}).Generate(ctx, req, emit)
	}
	results := 0
	for _, turn := range req.Turns {
		if turn.Role == ibid.RoleTool {
			results++
		}
	}
	call := func(id, name, args string) ibid.ToolCall {
		return ibid.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	var r ibidtest.Reply
	switch results {
	case 0:
		r.Text = []string{"I'll look ", "that up."}
		r.Calls = []ibid.ToolCall{call("a", "later", `{"after":"3s","query":"lease rent"}`), call("b", "later", `{"after":"1s","query":"rent"}`), call("c", "broken", `{}`)}
	case 1:
		r.Reasoning = []string{"Hm."}
		r.Text = []string{"Let me now look for something else as well, for I would like to be quite sure of it."}
		r.Calls = []ibid.ToolCall{call("a", "later", `{"after":"1s","query":"dogs"}`)}
	case 2:
		r.Calls = []ibid.ToolCall{call("d", "calculator", `{"expression":"6*7"}`), call("d", "later", `{"after":"1s","query":"rent"}`), call("", "calculator", `{"expression":"6*7"}`)}
	default:
		l.last = req
		r.Text = []string{"Five years [c", "5], 900 euros [c3]", ", a garage [c4, c19].", " No dogs [c6], says Ada [c2]. 42 [c7].\n", `{"sources": [{"title": "T", "url": "https://t.example"}]}`}
	}
	resp, err := ibidtest.NewScript(r).Generate(ctx, req, emit)
	if results == 1 {
		resp.Turn.Parts[0].Provider, resp.Turn.Parts[0].Opaque = "p", json.RawMessage(`{"signature":"xyz"}`)
	}
	return resp, err
}

// config is that of scripts, with a search that takes its time and counts.
func (l *longRun) config() Config {
	sc := script{passages: l.passages}
	cfg := sc.config(l)
	cfg.NewID = func() string { return "new" } // made unique by what the log holds
	later := testTool{"later", func(ctx context.Context, args map[string]any) (ibid.ToolOutput, error) {
		after, err := time.ParseDuration(args["after"].(string))
		if err != nil {
			return ibid.ToolOutput{}, err
		}
		if err := pause(ctx, after); err != nil {
			return ibid.ToolOutput{}, err
		}
		return searchPassages(l.passages, args["query"].(string)), nil
	}}
	cfg.Tools = append(cfg.Tools, later)
	for i, t := range cfg.Tools {
		cfg.Tools[i] = countingTool{t, l}
	}
	return cfg
}

type countingTool struct {
	Tool
	run *longRun
}

func (c countingTool) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	c.run.mu.Lock()
	c.run.executed[call.ID]++
	c.run.mu.Unlock()
	return c.Tool.Call(ctx, view, call, env)
}

var errCrash = errors.New("crash")

// work runs from a log until it ends, or until it has emitted as many events as
// the crash leaves time for; a negative number is no crash.
func (l *longRun) work(log []ibid.Event, crashAfter int) ([]ibid.Event, Outcome) {
	emitted := 0
	out, err := Run(l.t.Context(), l.config(), Task{UserMessageID: "u", Request: ibid.Request{Text: "What does the lease say about the rent?", Mode: ibid.ModeAgentic,
		Attachments: []ibid.Attachment{{Name: "note.txt", MIME: "text/plain", Data: []byte("A note of Ada's.\nAda wants no dogs.")}}}, Log: log}, func(d ibid.EventData) error {
		if emitted == crashAfter {
			return errCrash
		}
		emitted++
		log = append(log, stored(l.t, ibid.Event{Seq: int64(len(log) + 1), Run: "m", At: noon, Data: d}))
		return nil
	})
	if crashAfter < 0 && err != nil {
		l.t.Fatalf("from %d events: %v", len(log), err)
	}
	return log, out
}

// stored is an event as it comes back from a store.
func stored(t *testing.T, e ibid.Event) ibid.Event {
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back ibid.Event
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// TestContinue cuts a run's log at every event, lets a second process go on and
// crash at every event, and a third one finish. No tool call that had finished
// runs again, and answer, citations, steps and the last prompt are those of a
// run that nothing happened to.
func TestContinue(t *testing.T) {
	var whole []ibid.Event
	var want ibid.Message
	var wantLast ibid.ModelRequest
	synctest.Test(t, func(t *testing.T) {
		l := newLongRun(t)
		whole, _ = l.work(nil, -1)
		want, wantLast = ibid.FoldEvents(whole), l.last
	})
	if want.Text != "Five years [c_aaaaaa1], 900 euros [c_bbbbbb2], a garage [c_dddddd4]. No dogs [c_cccccc3], says Ada [c_fffff01]. 42 [t_42]." || len(want.Found) != 7 {
		t.Fatalf("the run itself went wrong: %q, %d passages", want.Text, len(want.Found))
	}
	step := len(whole) / ibidtest.Fewer(t, 3, len(whole)) // of the second crash
	for first := range len(whole) + 1 {
		for second := -1 - first%step; second < len(whole); second += step {
			synctest.Test(t, func(t *testing.T) {
				l := newLongRun(t)
				log := append([]ibid.Event(nil), whole[:first]...)
				if second >= 0 {
					log, _ = l.work(log, second)
				}
				l.last = ibid.ModelRequest{}
				log, out := l.work(log, -1)
				checkContinued(t, log, l, first)
				got := ibid.FoldEvents(log)
				if got.Text != want.Text || out.SourcesCount != 6 || out.Confidence != want.Verification.Confidence {
					t.Errorf("answer %q, %+v", got.Text, out)
				}
				if diff := cmp.Diff(want.Citations, got.Citations); diff != "" {
					t.Errorf("citations (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want.Found, got.Found); diff != "" {
					t.Errorf("found (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want.Steps, got.Steps); diff != "" {
					t.Errorf("steps (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want.Sources, got.Sources); diff != "" {
					t.Errorf("sources (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want.Grades, got.Grades); diff != "" {
					t.Errorf("grades (-want +got):\n%s", diff)
				}
				if out.Usage.ModelRequests < 3 { // at least those whose calls stand in the log
					t.Errorf("what was used is forgotten: %+v", out.Usage)
				}
				if l.last.System == "" { // the model was not needed any more
					return
				}
				if out.DroppedMarkers != 1 {
					t.Errorf("%d markers were dropped", out.DroppedMarkers)
				}
				if diff := cmp.Diff(wantLast, l.last); diff != "" {
					t.Errorf("the last prompt (-want +got):\n%s", diff)
				}
				if t.Failed() {
					t.Fatalf("cut after %d events, then after %d", first, second)
				}
			})
			if t.Failed() {
				return
			}
		}
	}
}

// checkContinued checks that the log is that of one consistent story.
func checkContinued(t *testing.T, log []ibid.Event, l *longRun, first int) {
	t.Helper()
	if err := ibidtest.SoundFootnotes(log); err != nil {
		t.Error(err)
	}
	finished := map[string]bool{}
	for i, e := range log {
		d, ok := e.Data.(ibid.ToolFinished)
		if !ok {
			continue
		}
		if finished[d.CallID] {
			t.Errorf("call %s finished twice", d.CallID)
		}
		finished[d.CallID] = true
		if i < first && l.executed[d.CallID] > 0 {
			t.Errorf("call %s had finished and ran again", d.CallID)
		}
	}
	cited := map[string]bool{}
	for _, e := range log {
		switch d := e.Data.(type) {
		case ibid.CitationAdded:
			if cited[d.ChunkID] {
				t.Errorf("%s was made citable twice", d.ChunkID)
			}
			cited[d.ChunkID] = true
		case ibid.QueryAnalyzed:
			if e.Seq > 1 {
				t.Errorf("the question was analysed twice")
			}
		}
	}
}
