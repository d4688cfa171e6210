package agent

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// camera is a tool that shows pages.
type camera struct{}

func (camera) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "camera", Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (camera) Detail(json.RawMessage) string { return "" }

func (camera) Call(_ context.Context, _ access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args struct{ Page int }
	_ = json.Unmarshal(call.Arguments, &args)
	return ibid.ToolOutput{Content: "It is shown.", Page: &ibid.PageRef{DocumentID: "d", Version: "v", Page: args.Page}}, nil
}

// pictures returns the pictures of a request, by the role of the turn before.
func pictures(req ibid.ModelRequest) (shown []string) {
	for i, turn := range req.Turns {
		for _, p := range turn.Parts {
			if p.Image != nil {
				shown = append(shown, string(req.Turns[i-1].Role)+" "+string(p.Image.Data))
			}
		}
	}
	return shown
}

func TestPagesAreShownAsPictures(t *testing.T) {
	for name, tc := range map[string]struct {
		fetch func(context.Context, access.View, ibid.PageRef) (ibid.Image, error)
		want  int
	}{
		"a model that sees": {func(_ context.Context, _ access.View, p ibid.PageRef) (ibid.Image, error) {
			return ibid.Image{MIME: "image/png", Data: []byte("page")}, nil
		}, 1},
		"a page that cannot be had": {func(context.Context, access.View, ibid.PageRef) (ibid.Image, error) {
			return ibid.Image{}, errors.New("gone")
		}, 0},
		"a model that does not": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			call := ibidtest.CallTool("camera", `{"page":3}`)
			model := ibidtest.NewScript(ibidtest.Plan("Look."), call, ibidtest.Say("It is a seal."))
			var log []ibid.Event
			task := Task{Request: ibid.Request{Text: "What is on the page of the lease?"}}
			_, err := Run(t.Context(), Config{Model: model, Tools: []Tool{camera{}}, PageImage: tc.fetch, Now: time.Now}, task, func(d ibid.EventData) error {
				log = append(log, ibid.Event{Seq: int64(len(log)) + 1, Data: d})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			requests := model.Requests()
			shown := pictures(requests[len(requests)-1])
			if len(shown) != tc.want || tc.want > 0 && shown[0] != "tool page" {
				t.Errorf("shown %v", shown)
			}
			var finished ibid.ToolFinished
			for i, e := range log {
				if f, ok := e.Data.(ibid.ToolFinished); ok {
					finished, log = f, log[:i+1]
					break
				}
			}
			if finished.Page == nil || finished.Page.Page != 3 {
				t.Fatalf("the log says %+v", finished)
			}
			// Another process that goes on from this log shows the same.
			again := ibidtest.NewScript(ibidtest.Say("It is a seal."))
			task.Log = log
			if _, err := Run(t.Context(), Config{Model: again, Tools: []Tool{camera{}}, PageImage: tc.fetch, Now: time.Now}, task, func(ibid.EventData) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if shown := pictures(again.Requests()[0]); len(shown) != tc.want {
				t.Errorf("after a crash shown %v", shown)
			}
		})
	}
}
