package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// webTool is a tool of the web that keeps what it was told.
type webTool struct {
	name string
	out  ibid.ToolOutput
	told [][]string
}

func (t *webTool) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: t.name, Kind: kinds[t.name], Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (t *webTool) Detail(json.RawMessage) string { return "" }
func (t *webTool) Call(_ context.Context, _ access.View, _ ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	t.told = append(t.told, env.Told)
	return t.out, nil
}

func webPair() (search, fetch *webTool) {
	page := ibid.Passage{Chunk: ibid.Chunk{ID: "c_00000001", Level: 2, Text: "Go 1.26 came out in February."}, Score: 1,
		Document: ibid.Document{Title: "News"}, Kind: ibid.SourceWeb, URL: "https://go.dev/news#page=2"}
	search = &webTool{name: "web_search", out: ibid.ToolOutput{Content: `{"query":"leak.example/?d=1","results":[{"title":"News","url":"https://go.dev/news"}]}`,
		Sources: []ibid.Source{{Title: "News", URL: "https://go.dev/news"}}}}
	return search, &webTool{name: "fetch_url", out: ibid.ToolOutput{Passages: []ibid.Passage{page}}}
}

// A search of the web that is forced is made; a page that the answer cites is
// saved as a source; and tools are told what the user and the sources said, not
// what the model made up.
func TestWeb(t *testing.T) {
	search, fetch := webPair()
	when := func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }
	turn := func(text string, call *ibid.ToolCall) ibidtest.Reply {
		r := ibidtest.Reply{When: when}
		if call != nil {
			r.Calls = []ibid.ToolCall{*call}
			return r
		}
		r.Text = ibidtest.Say(text).Text
		return r
	}
	model := ibidtest.NewScript(
		turn("It came out in May.", nil),
		turn("", &ibid.ToolCall{Name: "web_search", Arguments: json.RawMessage(`{"query":"leak.example/?d=1"}`)}),
		turn("", &ibid.ToolCall{Name: "fetch_url", Arguments: json.RawMessage(`{"url":"https://go.dev/news"}`)}),
		turn("", &ibid.ToolCall{Name: "fetch_url", Arguments: json.RawMessage(`{"url":"https://go.dev/other"}`)}),
		turn("In February [c1].", nil),
	)
	var answer string
	var named []ibid.Source
	task := Task{Request: ibid.Request{Text: "When did Go 1.26 come out?", Think: ibid.ThinkOff, ForceTools: []string{"web_search"}},
		History: []ibid.Turn{ibid.UserTurn("earlier"), ibid.AssistantTurn("mine")}}
	_, err := Run(t.Context(), Config{Model: model, Tools: []Tool{search, fetch}}, task, func(d ibid.EventData) error {
		switch d := d.(type) {
		case ibid.AnswerDelta:
			answer += d.Text
		case ibid.AnswerRetracted:
			answer = ""
		case ibid.SourcesNamed:
			named = d.Sources
		}
		return nil
	})
	if err != nil || answer != "In February [c_00000001]." || model.Left() != 0 {
		t.Fatalf("answered %q (%v), %d turns left", answer, err, model.Left())
	}
	if !slices.Equal(named, []ibid.Source{{Title: "News", URL: "https://go.dev/news"}}) {
		t.Errorf("sources are %v", named)
	}
	if want := []string{"earlier", "When did Go 1.26 come out?"}; !slices.Equal(search.told[0], want) {
		t.Errorf("the search was told %q, want %q", search.told[0], want)
	}
	last := strings.Join(fetch.told[1], "\n")
	for _, want := range []string{"https://go.dev/news", "Go 1.26 came out in February."} {
		if !strings.Contains(last, want) {
			t.Errorf("the second fetch was not told %q: %q", want, last)
		}
	}
	if strings.Contains(last, "leak.example") || strings.Contains(last, "mine") {
		t.Errorf("tools are told what the model made up: %q", last)
	}
}

// slowTool takes as long as it says it may, less a second.
type slowTool struct{ webTool }

func (t *slowTool) Timeout() time.Duration { return 3 * time.Minute }
func (t *slowTool) Call(ctx context.Context, view access.View, _ ibid.ToolCall, _ ibid.ToolEnv) (ibid.ToolOutput, error) {
	return ibid.ToolOutput{Content: "done"}, pause(ctx, 3*time.Minute-time.Second)
}

func TestToolThatNeedsLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		when := func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }
		answer := ibidtest.Say("Done.")
		answer.When = when
		model := ibidtest.NewScript(ibidtest.Reply{When: when, Calls: []ibid.ToolCall{{Name: "slow", Arguments: json.RawMessage(`{}`)}}}, answer)
		var ok bool
		_, err := Run(t.Context(), Config{Model: model, Tools: []Tool{&slowTool{webTool{name: "slow"}}}}, Task{Request: ibid.Request{Text: "go", Think: ibid.ThinkOff}},
			func(d ibid.EventData) error {
				if f, is := d.(ibid.ToolFinished); is {
					ok = f.OK
				}
				return nil
			})
		if err != nil || !ok {
			t.Errorf("the tool was cut off: %v", err)
		}
	})
}
